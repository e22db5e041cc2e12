"""The table of `haima memory list` and `search`, and its records."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.boundary import one_line
from app.cli.table import Column, table_lines
from app.memory.facts import FACT_STATES, FactState, instant
from app.text.ages import age

if TYPE_CHECKING:
    from app.memory.facts import Fact
    from app.memory.inbox import Pending
    from app.memory.memories import Known
    from app.text import Key, Words

_GLYPHS: dict[FactState, tuple[str, str]] = {
    "fresh": ("✓", "+"),
    "stale": ("~", "~"),
    "unverified": ("?", "?"),
    "contradicted": ("✗", "x"),
    "conflicting": ("≠", "#"),
}
"""Glyph and its ASCII form (STYLE 5)."""

_PINNED = ("◆", "*")

_WORDS: dict[FactState, "Key"] = {
    "fresh": "memory_list.fresh",
    "stale": "memory_list.stale",
    "unverified": "memory_list.unverified",
    "contradicted": "memory_list.contradicted",
    "conflicting": "memory_list.conflicting",
}

_ID = 13
"""Cells of one of our ids; a longer one is cut there, unless two begin alike."""

_EPOCH = datetime.min.replace(tzinfo=UTC)


def record(known: "Known") -> dict[str, object]:
    """A memory as it stands in `--json` (DESIGN 5): the file's own fields, and its state."""
    return fact_record(known.fact, known.state)


def fact_record(fact: "Fact", state: FactState) -> dict[str, object]:
    """The same of a fact whose state is known."""
    return dict(fact.fields) | {"id": fact.id, "state": state}


def pending_record(pending: "Pending") -> dict[str, object]:
    """A conflict that waits, for `--json`: the new text with the ids of what it contradicts."""
    draft = pending.draft
    return {
        "id": pending.id,
        "content": draft.content,
        "scope": draft.scope,
        "project": draft.project,
        "author": draft.provenance.who,
        "timestamp": instant(pending.at),
        "existing": list(pending.existing),
        "state": "conflicting",
    }


def by_need(found: Sequence["Known"]) -> list["Known"]:
    """What needs a look first, then what was confirmed or written last."""
    return sorted(
        sorted(found, key=lambda one: one.fact.last_verified or _EPOCH, reverse=True),
        key=lambda one: FACT_STATES.index(one.state),
    )


class MemoryList:
    """Memories as text.

    Attributes:
        words: the language.
        now: the present, in the user's zone.
        columns: cells of a line.
        ascii_only: no other characters for marks.
        project: the key of the project that is looked from.
    """

    def __init__(
        self, words: "Words", *, now: datetime, columns: int, ascii_only: bool, project: str
    ) -> None:
        self.words = words
        self.now = now
        self.columns = columns
        self.ascii_only = ascii_only
        self.project = project

    def text(self, found: Sequence["Known"], *more: str) -> str:
        """The memories in this order, how many of them are in which state, and more lines."""
        counts = Counter(one.state for one in found)
        words = self.words
        parts = [words("memory_list.count", n=len(found))]
        parts += [
            words("memory_list.of_state", n=counts[state], state=words(_WORDS[state]))
            for state in FACT_STATES
            if counts[state]
        ]
        lines = (*self._lines(found), "", self._join(parts), *filter(None, more))
        return "\n".join(lines) + "\n"

    def _lines(self, found: Sequence["Known"]) -> Iterator[str]:
        words = self.words
        others = not all(one.fact.visible_in(self.project) for one in found)
        columns: Sequence[Column] = (
            Column(words("memory_list.id")),
            Column(words("memory_list.state")),
            Column(words("memory_list.memory"), least=20),
            # Other projects' memories are marked in this column.
            Column(words("memory_list.scope"), keep=4 if others else 1, least=8),
            Column(words("memory_list.confirmed"), right=True, keep=3),
            Column(words("memory_list.evidence"), keep=2, least=14),
        )
        digits = self._digits([one.fact.id for one in found])
        rows: Sequence[Sequence[str]] = [
            (
                one_line(one.fact.id)[:digits],
                f"{_GLYPHS[one.state][self.ascii_only]} {words(_WORDS[one.state])}",
                self._content(one.fact),
                self._scope(one.fact),
                self._confirmed(one.fact),
                self._evidence(one),
            )
            for one in found
        ]
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        return table_lines(columns, rows, width=self.columns, ascii_only=self.ascii_only)

    def _content(self, fact: "Fact") -> str:
        text = one_line(fact.content)
        return f"{_PINNED[self.ascii_only]} {text}" if fact.pinned else text

    def _scope(self, fact: "Fact") -> str:
        """`project` is the one that is looked from; another one goes by its path."""
        if fact.scope == "global":
            return self.words("memory_list.global")
        if not fact.project:
            return self.words("memory_list.nowhere")
        if fact.project == self.project:
            return self.words("memory_list.project")
        return one_line(fact.project)

    def _confirmed(self, fact: "Fact") -> str:
        if fact.verified is None:
            return self.words("memory_list.never")
        return age(fact.verified.isoformat(), self.now, self.words)

    def _evidence(self, one: "Known") -> str:
        if one.evidence.kind == "silent":
            return ""
        state: FactState = "fresh" if one.evidence.kind == "supports" else "contradicted"
        glyph = _GLYPHS[state][self.ascii_only]
        finding = one.evidence.findings[0]
        says = f" {one_line(finding.says)}" if finding.says and state == "contradicted" else ""
        return f"{glyph} {one_line(one.evidence.place)}{says}"

    def _join(self, parts: Sequence[str]) -> str:
        return (" - " if self.ascii_only else " · ").join(parts)

    def _digits(self, ids: Sequence[str]) -> int:
        """How much of an id has to be shown so that no two of these look alike."""
        digits, most = _ID, max(map(len, ids), default=0)
        while digits < most and len({name[:digits] for name in ids}) < len(set(ids)):
            digits += 1
        return digits
