"""The preview of a compaction as data: what leaves, what stays, what is carried over (mock 04).

The figures add up exactly: what leaves and what stays, beside system message and tools, is the
Before figure; the summary, what stays and what is carried over is the After figure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.events import KeptBySummary
from app.text.numbers import percent
from app.view.gauge import GaugeView
from app.view.gauge_bar import GaugeParts
from app.view.gauge_marks import Limits, marks_of

GroupKind = Literal["turn", "steps", "rest", "summary"]
"""A turn from the user's message on; steps of a long one; what stays of the newest one after a cut
inside it; an earlier summary."""

CarriedKind = Literal["said", "request", "pin", "recovery", "references", "around"]
"""The user's messages word for word; the request of the turn the cut falls into; a pinned message;
the recovery block; lines on what left; the message's own frame, where nothing else is carried."""


@dataclass(frozen=True, slots=True)
class Group:
    """Messages that leave or stay together.

    Attributes:
        first, last: their numbers in the conversation as it is sent, from 1.
        title: what they are about; "" for what has words of its own.
        tokens: of them.
        messages: their ids.
        kind: which they are.
        pinned: all that can be pinned of them is.
    """

    first: int
    last: int
    title: str
    tokens: int
    messages: tuple[str, ...]
    kind: GroupKind = "turn"
    pinned: bool = False

    @property
    def count(self) -> int:
        """How many messages."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Carried:
    """Something that stands beside the summary afterwards.

    Attributes:
        kind: what it is.
        tokens: of it.
        count: how many there are of it.
        title: of a pin.
        message: id of what is pinned.
    """

    kind: CarriedKind
    tokens: int
    count: int = 1
    title: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Balance:
    """Before and after.

    Attributes:
        before, after: the two requests by their parts.
        leaving: what the summary will stand for, oldest first.
        staying: what stays word for word.
        carried: what stands beside the summary.
        kept: what the recovery block and the rest come to.
        summary: tokens of the summary's text.
        pins_left_out: pinned messages for which there is no room.
    """

    before: GaugeParts
    after: GaugeParts
    leaving: tuple[Group, ...]
    staying: tuple[Group, ...]
    carried: tuple[Carried, ...]
    kept: KeptBySummary
    summary: int
    pins_left_out: int = 0

    @property
    def freed(self) -> int:
        """Tokens that the request loses."""
        return self.before.total - self.after.total


Phase = Literal["writing", "ready", "failed", "stale"]
"""The model writes; there is a text to accept; there is none; the history moved meanwhile."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the preview shows.

    Attributes:
        phase: how far it is.
        balance: before and after, with the text there is, else one of the usual length.
        bodies: what stands under the four headings.
        model: who writes, or wrote, it.
        seconds: it took.
        edited: the user changed it.
        said: why there is none, or why it can't be taken; "" for nothing.
        done, pieces: calls to the model that are done, of how many.
        since: when the writing began, by the clock of whoever shows it.
    """

    phase: Phase
    balance: Balance
    bodies: tuple[str, ...] = ()
    model: str = ""
    seconds: float = 0.0
    edited: bool = False
    said: str = ""
    done: int = 0
    pieces: int = 1
    since: float = 0.0


def tokens_of(rows: Sequence[Group] | Sequence[Carried]) -> int:
    """Tokens of some rows together."""
    return sum(row.tokens for row in rows)


def seen_with(view: GaugeView, parts: GaugeParts) -> GaugeView:
    """The gauge as it would be if the next request were made of these parts."""
    used = parts.total
    marks = {mark.number: mark.tokens for mark in view.marks}
    limits = Limits(
        clear=marks.get(1, view.window),
        precompute=marks.get(2),
        warn=marks.get(3, view.window),
        summary=marks.get(4, view.window),
    )
    reserve = max(0, min(view.window - limits.summary, view.window - used))
    due = used >= limits.summary
    return replace(
        view,
        used=used,
        parts=parts,
        reserve=reserve,
        free=max(0, view.window - used - reserve),
        percent=percent(used, view.window),
        stage="over" if used > view.window else "due" if due else "calm",
        marks=marks_of(limits, used, view.growth),
        preview=False,
        cleared=None,
        summarised=None,
        summarising=None,
    )
