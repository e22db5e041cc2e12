"""What Haima runs in: Python, the terminal's size, colours and widths, tmux."""

import asyncio
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.session.about import haima_version
from app.session.doctor.asking import ask
from app.session.doctor.report import Finding, State
from app.text import Key, Words

_OLDEST = (3, 11)
_SMALLEST = (80, 24)
"""Columns and rows for which the screens are laid out (STYLE 3)."""

_SLOW = 100
"""Milliseconds tmux may hold back an Esc before it is felt (the program itself waits as long)."""


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """What the caller found out about the terminal.

    Attributes:
        columns: its width.
        rows: its height.
        widths: cells that single characters were seen to take (`─`, `≈`, `●`, `海`); None where
            that can't be measured (no screen).
    """

    columns: int
    rows: int
    widths: Mapping[str, int] | None = field(default=None)


async def python(words: Words) -> list[Finding]:
    """The interpreter."""
    fine = sys.version_info >= _OLDEST
    return [
        Finding(
            check="python",
            state="ok" if fine else "fail",
            label="Python",
            value=platform.python_version(),
            note=f"haima {haima_version()}",
            cure="" if fine else words("doctor.python_old"),
        )
    ]


async def colours(
    environ: Mapping[str, str], facts: TerminalFacts | None, words: Words
) -> list[Finding]:
    """Size and colours."""
    state: State = "ok"
    cure = ""
    term = environ.get("TERM", "")
    depth = words(_depth(environ, term))
    if facts is None:
        state, size = "unsure", words("doctor.no_terminal")
    else:
        size = f"{facts.columns}×{facts.rows}"
        if facts.columns < _SMALLEST[0] or facts.rows < _SMALLEST[1]:
            state, cure = "warn", words("doctor.too_small")
        elif term in {"", "dumb"}:
            state, cure = "warn", words("doctor.term_dumb")
    return [
        Finding(
            check="colours",
            state=state,
            label=words("doctor.colours"),
            value=words("doctor.comma").join((size, depth)),
            note=f"TERM={term}",
            cure=cure,
        )
    ]


def _depth(environ: Mapping[str, str], term: str) -> Key:
    """How many colours there are, as a key of the words."""
    if environ.get("NO_COLOR"):
        return "doctor.colours_off"
    if environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "doctor.colours_true"
    if term.endswith(("-direct", "-truecolor")):
        return "doctor.colours_true"
    return "doctor.colours_256" if "256" in term else "doctor.colours_16"


async def widths(facts: TerminalFacts | None, words: Words) -> list[Finding]:
    """Whether box drawing takes one cell and Chinese two (STYLE 5)."""
    measured = facts.widths if facts is not None else None
    state: State = "ok"
    note, cure = words("doctor.ambiguous_narrow"), ""
    if not measured:
        state, note = "unsure", ""
        value = words("doctor.not_measured")
    elif wide := [sign for sign, cells in measured.items() if cells != 1 and not _is_wide(sign)]:
        state, note = "warn", words("doctor.ambiguous_wide")
        value = words("doctor.cells_two", signs=" ".join(wide))
        cure = words("doctor.widths_cure")
    elif narrow := [sign for sign, cells in measured.items() if _is_wide(sign) and cells != 2]:
        state, note = "warn", ""
        value = words("doctor.cells_chinese", signs=" ".join(narrow))
        cure = words("doctor.font_cure")
    else:
        signs = " ".join(sign for sign in measured if not _is_wide(sign))
        value = words("doctor.cells_one", signs=signs)
    return [
        Finding(
            check="widths",
            state=state,
            label=words("doctor.widths"),
            value=value,
            note=note,
            cure=cure,
        )
    ]


def _is_wide(sign: str) -> bool:
    """Whether a sign must take two cells; the ones measured are ambiguous or Chinese."""
    return sign[:1] >= "\u2e80"


async def tmux(environ: Mapping[str, str], words: Words) -> list[Finding]:
    """How long tmux holds back an Esc; nothing outside tmux."""
    if not environ.get("TMUX"):
        return []
    version, answer = await asyncio.gather(
        ask(environ, "tmux", "-V"), ask(environ, "tmux", "show", "-sv", "escape-time")
    )
    state: State = "ok"
    cure = ""
    if not answer.isdecimal():
        state, value = "unsure", words("doctor.tmux_silent")
    elif int(answer) > _SLOW:
        state, value = "warn", words("doctor.tmux_slow", n=answer)
        cure = "set -sg escape-time 10"
    else:
        value = f"{answer} ms"
    return [
        Finding(
            check="tmux",
            state=state,
            label="tmux escape-time",
            value=value,
            note=version,
            cure=cure,
        )
    ]
