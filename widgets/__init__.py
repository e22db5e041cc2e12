"""Textual widgets, one concern a file: they get values and post messages."""
