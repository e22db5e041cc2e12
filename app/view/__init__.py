"""Read-only projections for screens: no textual, no files; fed by events, read by widgets."""
