"""The work around the model: what to paste, where to save it, how far it has come."""
