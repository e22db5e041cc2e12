"""When the prompt offers something, and what: commands, files, earlier prompts. No widget here."""

import re
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["command", "file", "history"]

OPENERS = "/／、"
"""What opens the list of commands at the start: the slash and its twins (STYLE 8)."""

_AT = re.compile(r"(?:^|(?<=[\s(\[{<\"'`,;:=])|(?<=[^\x00-\x7f]))[@＠]([^\s@＠]*)\Z")
_LONGEST_QUERY = 256


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing on offer.

    Attributes:
        text: what it puts into the prompt.
        label: what the list shows, where that differs.
        note: what it is for.
        runs: Enter sends it at once (a command that takes no argument).
    """

    text: str
    label: str = ""
    note: str = ""
    runs: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """A stretch of the prompt that asks for completion.

    Attributes:
        kind: what is looked for.
        query: what was typed so far, without its opener.
        start: where the stretch begins, in code points of the text up to the cursor.
    """

    kind: Kind
    query: str
    start: int = 0


def trigger(before: str, after: str = "") -> Trigger | None:
    """What the text around the cursor asks for.

    A command is looked for in the first word of the whole prompt, a file after an `@` that doesn't
    follow a letter (an address is no file).
    """
    if before[:1] and before[0] in OPENERS and not re.search(r"\s", before):
        return Trigger("command", before[1:]) if not after.strip() else None
    tail = before[-_LONGEST_QUERY:]
    if found := _AT.search(tail):
        return Trigger("file", found[1], len(before) - len(tail) + found.start())
    return None


@dataclass(frozen=True, slots=True)
class Offer:
    """A list that is open.

    Attributes:
        trigger: what it answers.
        candidates: best first.
        at: where the cursor is.
        moved: whether the user moved it there.
    """

    trigger: Trigger
    candidates: tuple[Candidate, ...]
    at: int = 0
    moved: bool = False

    @property
    def chosen(self) -> Candidate:
        """The one the cursor is on."""
        return self.candidates[self.at]

    def move(self, by: int) -> "Offer":
        """The cursor moved; over the end it comes back at the other."""
        return replace(self, at=(self.at + by) % len(self.candidates), moved=True)
