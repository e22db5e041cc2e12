"""What turns outside a node's past did in the same chain: files they changed, commands they ran.

After a branch, a fork from an earlier message, or when another branch went on, the files lie there
as those turns left them, and the node's own messages tell nothing of it. Rows are folded up by
ledger, so of a ledger that the node shares up to some row it is told by time what came later.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.archive.work_past import END, Facts, PastNode, Stretch, path_of
from app.archive.work_tables import EntityState
from app.conversation.work import EntityKey
from app.conversation.work_state import Elsewhere, Entity


@dataclass(frozen=True, slots=True)
class _Shared:
    """How much of a ledger a node shares: rows before `seq`, not after `at`."""

    seq: int
    at: str


def elsewhere(states: Iterable[EntityState], facts: Facts, node: str) -> tuple[Elsewhere, ...]:
    """What other turns had to do with last, newest first.

    Args:
        states: what each ledger of the chain tells.
        facts: of the chain.
        node: whose past counts; nothing where it isn't known.
    """
    there = tuple(states)
    own = facts.nodes.get(node)
    if own is None or all(state.ledger == own.ledger for state in there):
        return ()
    shared = _shared(facts, node)
    begun = _begun(facts.nodes.values())
    found: dict[EntityKey, tuple[Elsewhere, EntityState]] = {}
    known: dict[EntityKey, str] = {}
    for state in there:
        one, ours = state.entity, shared.get(state.ledger)
        if ours is not None and state.seq < ours.seq and one.at <= ours.at:
            if one.action not in {"named", "searched"}:
                known[one.key] = max(known.get(one.key, ""), one.at)
            continue
        since = begun.get(state.ledger, "") if ours is None else ours.at
        at = _done(one)
        before = found.get(one.key)
        if at and at >= since and (before is None or at > before[0].at):
            found[one.key] = Elsewhere(one, at, since), state
    left = [pair for key, pair in found.items() if pair[0].at > known.get(key, "")]
    left.sort(key=lambda pair: (pair[0].at, pair[1].ledger, pair[1].seq, pair[1].part))
    return tuple(one for one, _ in reversed(left))


def _done(entity: Entity) -> str:
    """When a file was changed, or a command run; "" where neither was."""
    if entity.kind == "file":
        return entity.changed_at
    return entity.at if entity.kind == "command" and entity.action == "ran" else ""


def _shared(facts: Facts, node: str) -> Mapping[str, _Shared]:
    """How much of each ledger on its path a node shares."""
    path = path_of(facts, node)
    on_path = {stretch.node.id for stretch in path}
    # Of several nodes in one ledger the last one on the path says how far.
    return {one.node.ledger: _end(facts, one, on_path) for one in path}


def _end(facts: Facts, stretch: Stretch, on_path: set[str]) -> _Shared:
    one = stretch.node
    if stretch.end < END:
        at = facts.when(one.id, stretch.end) or stretch.until
        return _Shared(stretch.end, min(stretch.until, at))
    later = [
        other
        for other in facts.nodes.values()
        if other.ledger == one.ledger
        and other.seq > one.seq
        and other.id not in on_path
        and other.relation != "agent"
        and not other.undone
    ]
    if not later:
        return _Shared(END, stretch.until)
    child = min(later, key=lambda other: other.seq)
    return _Shared(child.seq, min(stretch.until, child.created))


def _begun(nodes: Iterable[PastNode]) -> dict[str, str]:
    """When each ledger's first node began."""
    begun: dict[str, str] = {}
    for one in nodes:
        begun[one.ledger] = min(begun.get(one.ledger, one.created), one.created)
    return begun
