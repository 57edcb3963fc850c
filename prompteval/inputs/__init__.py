"""Read what people and models wrote, and say all that is wrong with it."""
