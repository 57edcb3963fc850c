"""The work around the model: what to paste, where to save the reply, and how far a run is."""
