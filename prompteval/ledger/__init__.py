"""The ledger: one SQLite file of facts. Nothing outside this package holds a connection."""
