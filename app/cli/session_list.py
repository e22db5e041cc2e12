"""The table of `haima sessions list`: chains as trees."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from app.archive.sessions import goes_on
from app.boundary import one_line
from app.cli.table import Column, table_lines
from app.cli.tree import chains, tree
from app.text.ages import age
from app.text.numbers import tokens

if TYPE_CHECKING:
    from app.archive.sessions import NodeRecord
    from app.conversation.summary_mark import SummaryMark
    from app.text import Words

_SHORTEST = 8
"""Digits of an id; more where two begin alike."""


class SessionList:
    """Sessions as text.

    Attributes:
        words: the language.
        now: the present.
        columns: cells of a line.
        ascii_only: no other characters for lines and marks.
        live: names of the ledgers that are open somewhere.
    """

    def __init__(
        self,
        words: "Words",
        *,
        now: datetime,
        columns: int,
        ascii_only: bool,
        live: Collection[str] = (),
    ) -> None:
        self.words = words
        self.now = now
        self.columns = columns
        self.ascii_only = ascii_only
        self.live = live

    def text(self, nodes: Sequence["NodeRecord"], *, by_project: bool = False) -> str:
        """The sessions, chains that were used last first.

        Args:
            nodes: all of them, in any order.
            by_project: a heading a project, and a table below it.
        """
        if not by_project:
            return "\n".join(self.lines(nodes)) + "\n"
        projects: dict[str, list[NodeRecord]] = defaultdict(list)
        for node in sorted(nodes, key=lambda node: node.used, reverse=True):
            projects[node.project].append(node)
        return "\n".join(
            "\n".join((one_line(project) or "—", *self.lines(its))) + "\n"
            for project, its in projects.items()
        )

    def relation(self, node: "NodeRecord") -> str:
        """How a session came out of its parent: `summary`, `fork at 84`; "" for a chain's first."""
        if node.relation == "summary":
            return self.words("session_list.summary")
        if node.relation == "expand":
            return self.words("session_list.expand")
        if node.relation == "fork" and node.fork_turn is not None:
            return self.words("session_list.fork_at", turn=node.fork_turn)
        if node.relation == "clear":
            return self.words("session_list.clear")
        return self.words("session_list.fork") if node.relation == "fork" else ""

    def lines(self, nodes: Sequence["NodeRecord"]) -> Iterator[str]:
        """The table: its head, and a line a session."""
        words = self.words
        columns = (
            Column(words("session_list.session")),
            Column(words("session_list.title"), least=16, keep=5),
            Column(words("session_list.turns"), right=True, keep=3),
            Column(words("session_list.messages"), right=True, keep=2),
            Column(words("session_list.used"), right=True, keep=4),
            Column(words("session_list.model"), keep=1),
        )
        digits = self._digits([node.id for node in nodes])
        after = {node.parent: node for node in nodes if goes_on(node)}
        rows = [
            (
                branch.lines + node.id[:digits] + ("" if node.id in after else self._live(node)),
                self._title(node, after.get(node.id)),
                f"{node.turns:,}",
                f"{node.messages:,}",
                age(node.used, self.now, words),
                one_line(node.model),
            )
            for chain in chains(nodes)
            for branch in tree(chain, ascii_only=self.ascii_only)
            for node in (branch.node,)
        ]
        return table_lines(columns, rows, width=self.columns, ascii_only=self.ascii_only)

    def figures(self, summary: "SummaryMark") -> str:
        """`Σ 61 → 1.4k`: messages, and the tokens that stand for them."""
        sign, arrow = ("S", "->") if self.ascii_only else ("Σ", "→")
        return f"{sign} {summary.messages:,} {arrow} {tokens(summary.tokens)}"

    def _title(self, node: "NodeRecord", after: "NodeRecord | None") -> str:
        """`fork at 84 · try GraalVM`, with what became of it."""
        # A chain that `/clear` began stands by itself: nothing to say here.
        relation = "" if node.relation == "clear" else self.relation(node)
        parts = [relation, one_line(node.title)]
        if after is not None and after.summary is not None:
            parts.append(self.figures(after.summary))
        if node.undone is not None:
            parts.insert(0, self.words("session_list.undone"))
        if node.deleted is not None:
            parts.insert(0, self.words("session_list.deleted"))
        between, nothing = (" - ", "-") if self.ascii_only else (" · ", "—")
        return between.join(filter(None, parts)) or nothing

    def _live(self, node: "NodeRecord") -> str:
        if node.ledger not in self.live:
            return ""
        return " *" if self.ascii_only else " ●"

    def _digits(self, ids: Sequence[str]) -> int:
        """How much of an id has to be shown so that no two of these look alike."""
        digits, most = _SHORTEST, max(map(len, ids), default=0)
        while digits < most and len({name[:digits] for name in ids}) < len(set(ids)):
            digits += 1
        return digits
