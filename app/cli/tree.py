"""The sessions of a chain as a tree: who stands under whom, and the lines that show it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.archive.sessions import goes_on

if TYPE_CHECKING:
    from app.archive.sessions import NodeRecord

_DEEPEST = 8
"""Levels that are drawn; what lies deeper stands at this one."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One session in its tree.

    Attributes:
        node: the session.
        lines: what leads to it: `│  └─ `; "" for a root.
    """

    node: "NodeRecord"
    lines: str


def chains(nodes: Iterable["NodeRecord"]) -> list[list["NodeRecord"]]:
    """The nodes by chain, the chain that was used last first."""
    found: dict[str, list[NodeRecord]] = {}
    for node in nodes:
        found.setdefault(node.chain, []).append(node)
    return sorted(found.values(), key=lambda chain: max(node.used for node in chain), reverse=True)


def tree(chain: Sequence["NodeRecord"], *, ascii_only: bool = False) -> Iterator[Branch]:
    """A chain's sessions in order, each with the lines before it.

    What a summary or its expansion began stands below its parent at the same level, so a long chain
    doesn't walk off to the right; a fork stands one level in, and so does what was undone. A node
    whose parent is lost counts as a root, and so does the oldest of a ring (a damaged file).
    """
    levels = list(_levels(chain))
    glyphs = ("|- ", "`- ", "|  ") if ascii_only else ("├─ ", "└─ ", "│  ")
    going_on: set[int] = set()
    lines: list[str] = []
    for level, _ in reversed(levels):
        here = glyphs[0 if level in going_on else 1] if level else ""
        before = (glyphs[2] if outer in going_on else "   " for outer in range(1, level))
        lines.append("".join(before) + here)
        going_on = {outer for outer in going_on if outer < level} | {level}
    for (_, node), line in zip(levels, reversed(lines), strict=True):
        yield Branch(node, line)


def _levels(chain: Sequence["NodeRecord"]) -> Iterator[tuple[int, "NodeRecord"]]:
    """Each node with its level, in the order in which they are shown."""
    ids = {node.id for node in chain}
    children: dict[str | None, list[NodeRecord]] = {}
    oldest = sorted(chain, key=lambda node: (node.created, node.id))
    for node in oldest:
        parent = node.parent if node.parent in ids and node.parent != node.id else None
        children.setdefault(parent, []).append(node)
    waiting = [(0, node) for node in reversed((*children.get(None, []), *oldest))]
    seen = set[str]()
    while waiting:
        level, node = waiting.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        yield level, node
        inner = min(level + 1, _DEEPEST)
        its = children.get(node.id, [])
        after = next((child for child in its if goes_on(child)), None)
        if after is not None:
            waiting.append((max(1, level), after))
        waiting += [(inner, child) for child in reversed(its) if child is not after]
