"""Messages and the one history: pure, no files, no network, no settings."""
