"""Written by tests/text/write_keys.py; do not edit."""

# fmt: off
from typing import Literal

Key = Literal[
    "app.name", "app.tagline", "count.turns",
]
