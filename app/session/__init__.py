"""Puts the core together for one project: what a screen or `haima run` talks to."""
