"""What outlives a conversation, and what of one must stay known after a rewrite: names first."""
