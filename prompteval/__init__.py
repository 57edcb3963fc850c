"""Score the answers of an extraction prompt against labelled sessions, keep the results, compare versions."""

__version__ = "0.1.0"
