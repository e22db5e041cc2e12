"""Chains written straight into the archive's tables, as the ledgers' rows would come out."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from app.archive.schema import migrate
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import Standing
from app.conversation.summary_mark import SummaryMark


def user(id: str, text: str = "") -> Message:
    return Message(id, "user", (TextPart(text or f"asked {id}"),))


def answer(id: str, text: str = "", *calls: str) -> Message:
    made = tuple(ToolCall(call, "read_file", '{"path":"a"}') for call in calls)
    return Message(id, "assistant", (TextPart(text or f"said {id}"),), calls=made)


def result(id: str, call: str, text: str = "done") -> Message:
    return Message(id, "tool", (TextPart(text),), call_id=call, tool="read_file")


def system(id: str = "sys", text: str = "You are Haima") -> Message:
    return Message(id, "system", (TextPart(text),))


class Chains:
    """A database of chains; every row is a minute later than the one before.

    Attributes:
        connection: of the database.
        minute: of the next row.
    """

    def __init__(self, path: Path | str = ":memory:") -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = ON")
        migrate(self.connection)
        self.minute = 0
        self._ledger_of: dict[str, str] = {}
        self._chain_of: dict[str, str] = {}
        self._seq: dict[str, int] = {}

    def stamp(self) -> str:
        """The time of the next row."""
        self.minute += 1
        day, rest = divmod(self.minute, 1440)
        return f"2026-{1 + day // 28:02}-{1 + day % 28:02}T{rest // 60:02}:{rest % 60:02}:00.000Z"

    def node(
        self,
        id: str,
        *,
        parent: str | None = None,
        relation: str | None = None,
        chain: str | None = None,
        made: Iterable[Message] = (),
        kept: Iterable[str] = (),
        project: str = "/p",
        title: str = "",
        fork_at: str | None = None,
        fork_turn: int | None = None,
        conversation: str = "main",
        summary: SummaryMark | None = None,
    ) -> None:
        """A node's first row; what it makes and keeps is its live history."""
        if chain is None:
            own = parent is None or relation == "clear"
            chain = id if own else self._chain_of.get(parent or "", id)
        shares = relation in {"summary", "expand", "agent"} and parent in self._ledger_of
        ledger = self._ledger_of[str(parent)] if shares else id
        self._ledger_of[id], self._chain_of[id] = ledger, chain
        self.connection.execute(
            "INSERT OR IGNORE INTO ledgers (name, chain, seq, size) VALUES (?, ?, 0, 0)",
            [ledger, chain],
        )
        at, seq = self.stamp(), self._next(ledger)
        self.connection.execute(
            """INSERT INTO nodes (id, chain, parent, relation, ledger, conversation, project, mode,
            model, version, branch, title, fork_at, fork_turn, created, used,
            summary, seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, 'react', 'm', '1', '', ?, ?, ?, ?, ?, ?, ?)""",
            (
                *(id, chain, parent, relation, ledger, conversation, project, title),
                *(fork_at, fork_turn, at, at),
                *(summary and json.dumps(summary.to_data()), seq),
            ),
        )
        for known in kept:
            self.entry(id, known)
        for part, message in enumerate(made):
            self._message(id, message, seq, part, at)

    def say(self, node: str, *messages: Message, outcome: ToolOutcome | None = None) -> None:
        """Messages, a row each."""
        for message in messages:
            at = self.stamp()
            self._message(node, message, self._next(self._ledger_of[node]), 0, at, outcome)
            self.connection.execute(
                """UPDATE nodes SET used = ?, messages = messages + 1,
                turns = turns + (? = 'user') WHERE id = ?""",
                [at, message.role, node],
            )

    def fail(self, node: str, text: str) -> None:
        """A failure."""
        ledger = self._ledger_of[node]
        self.connection.execute(
            """INSERT INTO failures (ledger, seq, node, at, code, text)
            VALUES (?, ?, ?, ?, 'model', ?)""",
            [ledger, self._next(ledger), node, self.stamp(), text],
        )

    def entry(self, node: str, message: str, standing: Standing | None = None) -> None:
        """The node's live history ends with this message, which may be another node's."""
        stands = standing or Standing()
        body = (stands.body.ledger, stands.body.seq) if stands.body else (None, None)
        self.connection.execute(
            """INSERT OR REPLACE INTO entries (node, message, chain, place, state, pinned,
            body_ledger, body_seq) VALUES (?, ?, ?,
            (SELECT count(*) FROM entries WHERE node = ?1), ?, ?, ?, ?)""",
            [node, message, self._chain_of[node], stands.state, stands.pinned, *body],
        )

    def sql(self, statement: str, *values: object) -> None:
        """Something the builder has no word for."""
        self.connection.execute(statement, values)

    def _next(self, ledger: str) -> int:
        self._seq[ledger] = self._seq.get(ledger, 0) + 1
        self.connection.execute(
            "UPDATE ledgers SET seq = ? WHERE name = ?", [self._seq[ledger], ledger]
        )
        return self._seq[ledger]

    def _message(
        self,
        node: str,
        message: Message,
        seq: int,
        part: int,
        at: str,
        outcome: ToolOutcome | None = None,
    ) -> None:
        self.connection.execute(
            """INSERT INTO messages (chain, id, node, ledger, seq, part, role, at, content, outcome)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                *(self._chain_of[node], message.id, node, self._ledger_of[node], seq, part),
                *(message.role, at, json.dumps(message_to_json(message))),
                outcome and json.dumps(outcome.to_data()),
            ),
        )
        self.entry(node, message.id)
