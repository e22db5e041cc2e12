"""What a menu lists."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to do.

    Attributes:
        text: what it does.
        keys: how it is done without the menu.
        runs: the Textual action, or a command with its slash.
    """

    text: str
    keys: str
    runs: str
