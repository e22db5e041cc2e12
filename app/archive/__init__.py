"""What is kept of every session: the ledger is the truth, append-only, one file a chain."""
