"""Text as it is compared, read and shown."""
