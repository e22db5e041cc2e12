"""What the doctor found, and its plain forms: text to read or copy, records for scripts."""

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict
from rich.cells import cell_len

from app.text import Words

State = Literal["ok", "warn", "unsure", "fail"]
GroupId = Literal["model", "kept", "terminal", "project"]
GROUPS: tuple[GroupId, ...] = get_args(GroupId)
"""In the order in which they are shown (STYLE 14.13)."""

_MARKS: dict[State, tuple[str, str]] = {
    "ok": ("✓", "+"),
    "warn": ("!", "!"),
    "unsure": ("?", "?"),
    "fail": ("✗", "x"),
}
"""Glyph and its ASCII form (STYLE 5)."""

_LABEL = 24
"""Cells of the label column (mock 13)."""


class Finding(BaseModel):
    """One thing that was looked at.

    Attributes:
        check: a stable word for scripts.
        state: `warn` and `fail` are to be looked at, `unsure` couldn't be found out.
        label: what was looked at, in the user's language, as are the rest.
        value: what was found.
        note: for the right edge.
        cure: what to do, after `→`.
        details: more lines, for whoever opens the finding.
    """

    model_config = ConfigDict(frozen=True)

    check: str
    state: State
    label: str
    value: str
    note: str = ""
    cure: str = ""
    details: tuple[str, ...] = ()

    def changed(self, change: Callable[[str], str]) -> "Finding":
        """A copy with every text for people put through `change`."""
        return self.model_copy(
            update={
                "value": change(self.value),
                "note": change(self.note),
                "cure": change(self.cure),
                "details": tuple(map(change, self.details)),
            }
        )


class Group(BaseModel):
    """Findings that belong together."""

    model_config = ConfigDict(frozen=True)

    id: GroupId
    title: str
    findings: tuple[Finding, ...]


class Report(BaseModel):
    """All findings of one examination.

    Attributes:
        groups: in order; an empty one is left out.
        haima: version.
        python: version.
        seconds: how long it took.
    """

    model_config = ConfigDict(frozen=True)

    groups: tuple[Group, ...]
    haima: str
    python: str
    seconds: float

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All, in order."""
        return tuple(finding for group in self.groups for finding in group.findings)

    def count(self, *states: State) -> int:
        """How many findings are in one of these states."""
        return sum(finding.state in states for finding in self.findings)

    @property
    def failed(self) -> bool:
        """Whether something doesn't work (for the exit code)."""
        return self.count("fail") > 0

    def counts(self, words: Words) -> tuple[str, str, str]:
        """`2 things to look at`, `1 unsure`, `12 fine`; "" where there is none of a kind."""
        look, unsure, fine = self.count("warn", "fail"), self.count("unsure"), self.count("ok")
        return (
            words("doctor.to_look_at", n=look) if look else "",
            words("doctor.unsure", n=unsure) if unsure else "",
            words("doctor.fine", n=fine) if fine else "",
        )

    def about(self, words: Words) -> str:
        """`haima 0.1.0 · Python 3.11.7 · checked in 1.4 s`."""
        return words(
            "doctor.about", haima=self.haima, python=self.python, seconds=f"{self.seconds:.1f}"
        )

    def text(self, words: Words, *, width: int = 100, ascii_only: bool = False) -> str:
        """The report as plain text: for a terminal without the screen, and for copying.

        Args:
            words: the language of the frame; the findings come in that of the examination.
            width: cells, for the notes at the right edge; a longer line runs on.
            ascii_only: marks in ASCII.
        """
        return "\n".join(self._lines(words, width, ascii_only)) + "\n"

    def records(self) -> Iterator[dict[str, object]]:
        """One record a finding, the summary last, for `--json`."""
        for group in self.groups:
            for finding in group.findings:
                yield {"type": "finding", "group": group.id, **finding.model_dump(mode="json")}
        yield {
            "type": "doctor",
            "haima": self.haima,
            "python": self.python,
            "seconds": round(self.seconds, 3),
            "to_look_at": self.count("warn", "fail"),
            "unsure": self.count("unsure"),
            "fine": self.count("ok"),
        }

    def _lines(self, words: Words, width: int, ascii_only: bool) -> Iterator[str]:
        yield _spread("   ".join(filter(None, self.counts(words))), self.about(words), width)
        arrow = "->" if ascii_only else "→"
        for group in self.groups:
            yield ""
            yield group.title
            for finding in group.findings:
                mark = _MARKS[finding.state][ascii_only]
                label = finding.label + " " * max(1, _LABEL - cell_len(finding.label))
                yield _spread(f"  {mark} {label}{finding.value}", finding.note, width)
                indent = " " * (4 + _LABEL)
                yield from (f"{indent}{line}" for line in finding.details)
                if finding.cure:
                    yield f"{indent}{arrow} {finding.cure}"


def _spread(left: str, right: str, width: int) -> str:
    """Two texts on one line, the second at its right edge where there is room."""
    if not right:
        return left
    return left + " " * max(3, width - cell_len(left) - cell_len(right)) + right
