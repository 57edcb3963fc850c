"""Reports: a module a report makes finished tables, and a module a format sets them."""
