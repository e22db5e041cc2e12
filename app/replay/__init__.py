"""Recorded sessions run through the compaction again (DESIGN 5; REPLAY); nothing is generated."""
