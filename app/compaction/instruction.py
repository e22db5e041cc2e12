"""What a model is told that writes a summary; the words stand in `app/text`, section `summary`.

They are put together from what the model is shown (the session's own request, or a record of it),
the rules, which are always the same, and what is special about this summary.
"""

from dataclasses import dataclass
from typing import Literal

from app.boundary import visible
from app.compaction.summary_check import HEADINGS
from app.conversation.truncate import clip
from app.text import Key, Words

Wrong = Literal["bare", "headings", "too_long", "truncated", "calls"]
"""What one repair may put right."""

_FAULTS: dict[Wrong, Key] = {
    "bare": "summary.fault_bare",
    "headings": "summary.fault_headings",
    "too_long": "summary.fault_too_long",
    "truncated": "summary.fault_truncated",
    "calls": "summary.fault_calls",
}

_LONGEST_FOCUS = 1_000
"""Characters of what the user asks a summary to dwell on."""

_AIM = (3, 4)
"""The share of what is allowed that the model is asked for: no model counts characters well."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What is special about one summary.

    Attributes:
        most: characters it may have.
        focus: what the user asked it to dwell on, "" for nothing.
        in_turn: the record ends inside the newest turn.
    """

    most: int
    focus: str = ""
    in_turn: bool = False

    @property
    def target(self) -> int:
        """Characters the model is asked for."""
        share, whole = _AIM
        return self.most * share // whole


def headings(words: Words) -> str:
    """The four headings as they must stand, a line each."""
    return "\n".join(f"## {words(key)}" for key in HEADINGS)


def in_session(words: Words, brief: Brief) -> str:
    """The message after the session's own request up to the cut."""
    return f"{words('summary.from_session').strip()}\n\n{_rules(words, brief)}"


def for_record(words: Words, brief: Brief, mark: str, *, merge: bool = False) -> str:
    """The system message before a record.

    Args:
        words: the language.
        brief: the summary.
        mark: what the first line of each message in the record starts with.
        merge: the record is made of summaries.
    """
    told = [words("summary.from_record", mark=mark).strip(), _rules(words, brief)]
    if merge:
        told.append(words("summary.merge").strip())
    return "\n\n".join(told)


def around_piece(
    words: Words, brief: Brief, framed: str, *, n: int = 1, of: int = 1, inside: str = ""
) -> str:
    """The message that holds a piece of a record.

    Args:
        words: the language.
        brief: the summary.
        framed: the piece between its marks.
        n: which piece, from 1.
        of: how many there are.
        inside: the first line of the message that the piece begins inside of.
    """
    note = words("summary.whole") if of == 1 else words("summary.piece", n=n, of=of)
    if inside:
        note = f"{note}\n{words('summary.inside', header=inside)}"
    return f"{note}\n\n{framed}\n\n{words('summary.now', target=brief.target)}"


def around_parts(words: Words, brief: Brief, framed: str, *, n: int) -> str:
    """The message that holds `n` summaries to be merged."""
    now = words("summary.now", target=brief.target)
    return f"{words('summary.parts', n=n)}\n\n{framed}\n\n{now}"


def repair(words: Words, brief: Brief, wrong: Wrong, *, characters: int = 0) -> str:
    """What is said of a summary that can't be used.

    Args:
        words: the language.
        brief: the summary.
        wrong: what is wrong with it.
        characters: how many it has.
    """
    return words(
        "summary.repair",
        fault=words(_FAULTS[wrong], n=characters),
        headings=headings(words),
        target=brief.target,
        most=brief.most,
    ).strip()


def _rules(words: Words, brief: Brief) -> str:
    """The rules, and below their last list what is special this time."""
    rules = words(
        "summary.rules", headings=headings(words), target=brief.target, most=brief.most
    ).strip()
    special = [words("summary.in_turn" if brief.in_turn else "summary.goes_on").strip("\n")]
    if focus := clip(" ".join(visible(brief.focus).split()), _LONGEST_FOCUS):
        special.append(words("summary.focus", focus=focus).strip("\n"))
    return "\n".join([rules, *special])
