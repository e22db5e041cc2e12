"""The sessions the archive knows: one record a node, found by id, by prefix, by last use.

Deletion is of whole chains, so a node counts as deleted as soon as any node of its chain is marked;
a fork whose ledger was taken in after the mark is no exception.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.archive.nodes import Relation
from app.archive.schema import storable
from app.archive.stepping import UNDOABLE
from app.boundary import visible
from app.conversation.summary_mark import SummaryMark
from app.errors import HaimaError
from app.text import Words

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_NAMED = 10
"""Candidates that are named in the sentence about an ambiguous prefix."""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One node, as lists and screens show it.

    Attributes:
        id: what one session id names.
        parent: the node it came out of, perhaps lost; None for a chain's first.
        chain: the id of the tree's root.
        relation: how it came out of its parent; None for a first one.
        ledger: the name of the ledger file that holds its rows, without `.jsonl`.
        project: the project's folder.
        title: the first user message's first line, or what the user called it.
        model: who answers.
        mode: `react`, later `plan` and `team`.
        branch: the git branch when it was last opened, or "".
        tools: 12 hex digits of the tools' schemas.
        fork_at: the last message a fork has from its parent.
        fork_turn: the number of that message's turn.
        created: when it began, ISO 8601 UTC.
        used: when its last row was written, ISO 8601 UTC.
        deleted: when its chain was deleted, ISO 8601 UTC; None while it isn't.
        messages: how many messages were said in it, the system message apart.
        turns: how many of them the user said.
        prompt: tokens of all its requests.
        cached: of these, tokens from the provider's cache.
        completion: tokens of all its answers.
        cost: US dollars, where the provider told them.
        peak: tokens of its largest request.
        undone: when its beginning was taken back, ISO 8601 UTC: it counts nowhere.
        summary: what is known of the summary it begins with.
        passed: nothing was written to its ledger since a fork began that goes on: the fork was used
            later, whatever the clock said.
    """

    id: str
    parent: str | None
    chain: str
    relation: Relation | None
    ledger: str
    project: str
    title: str
    model: str
    mode: str
    branch: str
    tools: str
    fork_at: str | None
    fork_turn: int | None
    created: str
    used: str
    deleted: str | None
    messages: int
    turns: int
    prompt: int
    cached: int
    completion: int
    cost: float | None
    peak: int
    undone: str | None = None
    summary: SummaryMark | None = None
    passed: bool = False

    @property
    def tokens(self) -> int:
        """Tokens of all its requests and answers together."""
        return self.prompt + self.completion


class NodeNotFound(HaimaError):  # noqa: N818
    """No node has this id, or one that begins like this."""

    code = "not_found"

    def __init__(self, prefix: str) -> None:
        super().__init__("sessions.not_found", id=visible(prefix))


class AmbiguousNode(HaimaError):  # noqa: N818
    """Several nodes have an id that begins like this.

    Attributes:
        candidates: all of them, the newest first.
    """

    code = "ambiguous"

    def __init__(self, prefix: str, candidates: Sequence[NodeRecord]) -> None:
        super().__init__("sessions.ambiguous", id=visible(prefix), n=len(candidates))
        self.candidates = tuple(candidates)

    def sentence(self, words: Words) -> str:
        """What the user reads: the candidates with their titles, the first ten of them."""
        named = [
            f"{node.id} ({visible(node.title) or words('sessions.untitled')})"
            for node in self.candidates[:_NAMED]
        ]
        if left := len(self.candidates) - len(named):
            named.append(words("sessions.more", n=left))
        return words(self.key, **self.values, candidates=", ".join(named))


_MAIN = "coalesce({0}.relation, '') <> 'agent' AND coalesce({0}.conversation, 'main') = 'main'"
"""Holds for nodes the user talks in: agents and what came out of them hide under their parent."""

_GOES_ON = """({0}.undone IS NULL OR EXISTS (
  SELECT 1 FROM nodes c WHERE c.parent = {0}.id AND c.undone IS NULL))"""
"""Holds for nodes whose beginning wasn't undone, or that somebody forked before it was."""

_PASSED = """EXISTS (SELECT 1 FROM nodes f WHERE f.after_ledger = {0}.ledger
  AND f.after_seq >= coalesce((SELECT l.seq FROM ledgers l WHERE l.name = {0}.ledger), 0)
  AND f.relation = 'fork' AND coalesce(f.conversation, 'main') = 'main')"""
"""Holds for nodes whose ledger has no row since a fork of one of them began."""

_SELECT = f"""
SELECT n.id, n.parent, n.chain, n.relation, coalesce(n.ledger, ''), coalesce(n.project, ''),
  coalesce(n.title, ''), coalesce(n.model, ''), coalesce(n.mode, ''), coalesce(n.branch, ''),
  coalesce(n.tools, ''), n.fork_at, n.fork_turn, coalesce(n.created, ''), coalesce(n.used, ''),
  (SELECT max(d.deleted) FROM nodes d WHERE d.chain = n.chain) AS gone,
  coalesce(n.messages, 0), coalesce(n.turns, 0), coalesce(n.prompt, 0), coalesce(n.cached, 0),
  coalesce(n.completion, 0), n.cost, coalesce(n.peak, 0), n.undone, n.summary,
  {_PASSED.format("n")}
FROM nodes n"""  # noqa: S608

_NEWEST_CHAIN = f"""
SELECT n.chain FROM nodes n LEFT JOIN ledgers l ON l.name = n.ledger
WHERE n.project = ? AND EXISTS (
  SELECT 1 FROM nodes o WHERE o.chain = n.chain AND o.turns > 0 AND {_MAIN.format("o")})
GROUP BY n.chain
HAVING (SELECT max(d.deleted) FROM nodes d WHERE d.chain = n.chain) IS NULL
ORDER BY max(n.used) DESC, max(l.seq) DESC, n.chain DESC LIMIT 1"""  # noqa: S608

_NEWEST_LEDGER = f"""
SELECT n.ledger FROM nodes n LEFT JOIN ledgers l ON l.name = n.ledger
WHERE n.chain = ? AND {_MAIN.format("n")}
GROUP BY n.ledger
ORDER BY max({_PASSED.format("n")}), max(n.used) DESC, max(l.seq) DESC, n.ledger DESC LIMIT 1"""  # noqa: S608


def list_nodes(
    connection: sqlite3.Connection,
    project: str | None,
    *,
    deleted: bool = False,
    agents: bool = False,
    undone: bool = False,
) -> tuple[NodeRecord, ...]:
    """The nodes of a project, or of all, the last used first.

    Args:
        connection: of the archive.
        project: the project's folder; None: of all projects.
        deleted: those of deleted chains too.
        agents: the sub-agents' too.
        undone: those too whose beginning was undone.
    """
    wanted, values = ["1"], list[str]()
    if project is not None:
        wanted.append("n.project = ?")
        values.append(storable(project))
    if not deleted:
        wanted.append("gone IS NULL")
    if not agents:
        wanted.append(_MAIN.format("n"))
    if not undone:
        wanted.append(_GOES_ON.format("n"))
    return _records(connection, " AND ".join(wanted), values)


def find_node(
    connection: sqlite3.Connection, prefix: str, project: str | None = None
) -> NodeRecord:
    """The node with this id, else the one whose id begins like this.

    A whole id is found even where its chain is deleted or its beginning undone, a prefix counts
    among the others only; upper and lower case are the same.

    Args:
        connection: of the archive.
        prefix: the id or its first digits, perhaps with `#` in front.
        project: only among the nodes of this project.

    Raises:
        NodeNotFound: there is none.
        AmbiguousNode: there are several.
    """
    asked = prefix.strip().removeprefix("#")
    if not _ID.fullmatch(asked):
        raise NodeNotFound(prefix)
    there, values = ("", []) if project is None else (" AND n.project = ?", [storable(project)])
    exact = _records(connection, "n.id = ? COLLATE NOCASE" + there, [asked, *values])
    if same := [node for node in exact if node.id == asked] or list(exact):
        found: Sequence[NodeRecord] = same
    else:
        pattern = asked.replace("_", r"\_") + "%"
        like = r"n.id LIKE ? ESCAPE '\' AND gone IS NULL AND " + _GOES_ON.format("n")
        found = _records(connection, like + there, [pattern, *values])
    if not found:
        raise NodeNotFound(prefix)
    if len(found) > 1:
        raise AmbiguousNode(prefix, found)
    return found[0]


def get_node(connection: sqlite3.Connection, node: str) -> NodeRecord | None:
    """The node with exactly this id, deleted or not."""
    found = _records(connection, "n.id = ?", [node])
    return found[0] if found else None


def newest_node(connection: sqlite3.Connection, project: str) -> NodeRecord | None:
    """Where `--continue` goes on: the last node of the project's chain that was used last.

    Chains that are deleted, or in which the user said nothing, don't count, nor do sub-agents. Of
    nodes in one ledger the one written to last is the last, and a fork comes after a parent that
    nothing was written to since, whatever the clock said.

    Args:
        connection: of the archive.
        project: the project's folder.
    """
    chain = connection.execute(_NEWEST_CHAIN, [storable(project)]).fetchone()
    return None if chain is None else newest_in_chain(connection, chain[0])


def newest_in_chain(connection: sqlite3.Connection, chain: str) -> NodeRecord | None:
    """The node in which a chain goes on, as in `newest_node`; None: it isn't known.

    Args:
        connection: of the archive.
        chain: its id.
    """
    found = connection.execute(_NEWEST_LEDGER, [chain]).fetchone()
    if found is None:
        return None
    last = connection.execute(
        f"""
        SELECT n.id FROM nodes n WHERE n.chain = ? AND n.ledger = ? AND n.undone IS NULL
          AND {_MAIN.format("n")}
        ORDER BY max(n.seq, coalesce((SELECT max(m.seq) FROM messages m WHERE m.node = n.id), 0))
          DESC, n.used DESC, n.id DESC LIMIT 1""",  # noqa: S608
        [chain, found[0]],
    ).fetchone()
    return get_node(connection, last[0]) if last else None


def children(connection: sqlite3.Connection, node: str) -> tuple[NodeRecord, ...]:
    """What came out of a node, the oldest first: summaries, forks, agents, what `/clear` began."""
    there = "n.parent = ? AND gone IS NULL AND " + _GOES_ON.format("n")
    found = _records(connection, there, [node])
    return tuple(sorted(found, key=lambda child: (child.created, child.id)))


def goes_on(node: NodeRecord) -> bool:
    """Whether its parent goes on as this node, in the same ledger: nothing more is said there."""
    return node.relation in UNDOABLE and node.undone is None


def chain_nodes(connection: sqlite3.Connection, chain: str) -> tuple[NodeRecord, ...]:
    """All nodes of a chain, agents too, deleted or undone or not, the oldest first."""
    found = _records(connection, "n.chain = ?", [chain])
    return tuple(sorted(found, key=lambda node: (node.id != chain, node.created, node.id)))


def _records(
    connection: sqlite3.Connection, where: str, values: Sequence[str]
) -> tuple[NodeRecord, ...]:
    """The nodes a condition holds for, the last used first."""
    order = "n.used DESC, n.created DESC, n.id DESC"
    rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY {order}", values)
    return tuple(map(_record, rows))


def _record(row: tuple[Any, ...]) -> NodeRecord:
    *columns, summary, passed = row
    mark = None if summary is None else _mark(summary)
    return replace(NodeRecord(*columns), summary=mark, passed=bool(passed))


def _mark(text: str) -> SummaryMark | None:
    return SummaryMark.from_data(json.loads(text))
