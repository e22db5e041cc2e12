"""A node as it is before another begins: for the way back to it, and for taking messages from it.

A summary, or the expansion of one, begins a child. As long as nothing was said there,
`Recorder.step_back` returns to the parent, byte for byte; the child then stands in the ledger as
undone and counts nowhere. What was cut or cleared in the child meanwhile goes with it: the parent
has it whole. What left a history with a summary can begin another node only by way of
its `LiveNode` (`Recorder.begin(known=)`): an append or a splice never brings it back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from app.archive.nodes import LayoutEntry, NodeStart, Relation
from app.archive.rows import Kind
from app.archive.stands import Stands
from app.conversation.history import History, InvalidHistory
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing

CHANGING: frozenset[Kind] = frozenset({"message", "splice"})
"""Rows by which messages come or go: once there is one, a node's beginning can't be undone, or what
was said since would be lost. How a message is shown can change: the parent has it as it was."""

UNDOABLE: frozenset[Relation] = frozenset({"summary", "expand"})
"""How a node began whose beginning can be undone."""


@dataclass(frozen=True, slots=True)
class LiveNode:
    """A node's history, and how its messages stand.

    Not a copy: where the recorder is still, or again, in the node, it goes on with it.

    Attributes:
        node: its id.
        history: what goes to the model.
        stands: how that stands.
        gone: ids of messages that left the history before, as far as it is known.
        way_back: the node `Recorder.step_back` could return to from this one.
    """

    node: str
    history: History
    stands: Stands
    gone: frozenset[str] = frozenset()
    way_back: str | None = None

    @property
    def layout(self) -> tuple[LayoutEntry, ...]:
        """Its messages as a node begins with them, in order (`NodeStart.layout`)."""
        return self.stands.layout(self.history)

    @property
    def standings(self) -> Mapping[str, Standing]:
        """How messages stand, those left out that nothing was done to."""
        return self.stands.view

    def standing(self, message_id: str) -> Standing:
        """How one of its messages stands."""
        return self.stands.of(message_id)

    @property
    def files(self) -> Mapping[str, Offloaded]:
        """Where contents are that were moved to files, by message."""
        return self.stands.files


def way_back_after(start: NodeStart, left: str) -> str | None:
    """Where one can step back to from a node that has just begun; None: nowhere.

    Args:
        start: its first row.
        left: the node the recorder was in.
    """
    return left if start.relation in UNDOABLE and start.parent == left else None


def check_step(live: LiveNode, way_back: str | None) -> None:
    """Raises where `Recorder.step_back` can't return to a node.

    Raises:
        InvalidHistory: it isn't the one the present node began from, or something was said since.
    """
    if way_back is None or live.node != way_back:
        raise InvalidHistory("history.no_way_back", node=live.node[:4])
