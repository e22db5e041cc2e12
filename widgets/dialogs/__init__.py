"""Modal windows: each declares its result and is left on every path, Esc included."""
