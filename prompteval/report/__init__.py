"""Reports: one module per report makes finished tables, and one module per format sets them."""
