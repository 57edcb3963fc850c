"""Reports: `values` makes finished tables out of outcomes, and one module a format renders them."""
