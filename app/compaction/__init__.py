"""What keeps a request inside the window: big results to files, old ones cleared."""
