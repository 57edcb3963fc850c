"""The ledger: one SQLite file of facts. Only this package opens connections."""
