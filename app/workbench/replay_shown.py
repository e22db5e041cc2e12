"""A replay as the Replay screen shows it: from recordings and what policies came to."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from app.boundary import one_line
from app.compaction.pointer import asked
from app.conversation.window import Thresholds
from app.replay.policy import PolicyName
from app.replay.recording import Recorded, Recording
from app.replay.replayed import Replayed, Step, Totals
from app.view.plot import EventKind, TurnEvent
from app.view.replay_view import Figures, Pane, StepItem, Track
from widgets.glyphs import Glyphs

_SHORT: dict[PolicyName, str] = {
    "summarise-80": "summarise",
    "keep-10-turns-at-70": "keep-10",
    "head-tail-at-85": "head-tail",
}
"""Names of policies that fit over a column."""

_SHARES: dict[PolicyName, tuple[int | None, int | None]] = {
    "summarise-80": (None, 80),
    "keep-10-turns-at-70": (None, 70),
    "head-tail-at-85": (85, None),
    "truncate": (80, None),
    "none": (None, None),
}
"""Hundredths of the window from which they let something go, and from which they summarise."""


def items(recording: Recording) -> tuple[StepItem, ...]:
    """The steps of a recording."""
    return tuple(_item(entries) for entries in stretches(recording))


def stretches(recording: Recording) -> Iterator[Sequence[Recorded]]:
    """Each step's message with its results."""
    entries = recording.entries
    for start in recording.steps:
        end = start + 1
        while end < len(entries) and entries[end].message.role == "tool":
            end += 1
        yield entries[start:end]


def _item(entries: Sequence[Recorded]) -> StepItem:
    first, results = entries[0], entries[1:]
    calls = first.message.calls
    return StepItem(
        tool=one_line(calls[0].name) if calls else "",
        asked=one_line(asked(calls[0])) if calls else "",
        more=max(0, len(calls) - 1),
        ok=all(one.ok for one in results) if calls else None,
        characters=sum(len(one.message.text) for one in results),
        at=_time(first.at),
    )


def _time(at: str) -> str:
    """A time on the user's clock."""
    try:
        return f"{datetime.fromisoformat(at).astimezone():%H:%M:%S}" if at else ""
    except (ValueError, OverflowError):
        return ""


def waiting(policy: PolicyName, marks: Thresholds) -> Pane:
    """A policy before it is played.

    Args:
        policy: which.
        marks: of the window.
    """
    window = marks.window
    if policy in _SHARES:
        clear, summary = (
            None if share is None else share * window // 100 for share in _SHARES[policy]
        )
    else:
        clear = marks.clear
        summary = None if policy == "clear-only" else marks.summary
    return Pane(policy, _SHORT.get(policy, policy), clear, summary)


def track(done: Replayed) -> Track:
    """What a policy came to."""
    events = tuple(_events(done.steps))
    return Track(
        tokens=tuple(step.tokens for step in done.steps),
        events=events,
        left_out=tuple(_left_out(done.steps)),
        missing=tuple(tuple(one_line(one.text) for one in step.missing) for step in done.steps),
        figures=_figures(done.totals, dropped=_dropped(done.steps)),
    )


def _events(steps: Sequence[Step]) -> Iterator[TurnEvent]:
    """What stands under the plot.

    Results are moved to files on their way in, so that stands under the step they belong to, the
    one before the request; what was done to the history stands under the request.
    """
    left = 0
    for step in steps:
        for one in step.happened:
            kind: EventKind | None = None
            match one.kind:
                case "offloaded":
                    yield TurnEvent(max(1, step.number - 1), "offload")
                case "cleared":
                    kind = "clear"
                case "summarized" | "cut":
                    kind = "summary"
                case "dropped" if one.tokens_before or one.count > left:
                    kind, left = "clear", one.count
                case _:
                    pass
            if kind is not None:
                yield TurnEvent(step.number, kind)


def _dropped(steps: Sequence[Step]) -> int:
    """How often messages were left out without a word, which no policy of Haima's does."""
    kinds = (one.kind for step in steps for one in step.happened)
    if "dropped" not in kinds:
        return 0
    return sum(event.kind == "clear" for event in _events(steps))


def _left_out(steps: Sequence[Step]) -> Iterator[int]:
    """Characters of each step's results that went to files at once."""
    for after in steps[1:]:
        yield sum(
            max(0, one.characters - one.kept) for one in after.happened if one.kind == "offloaded"
        )


def _figures(totals: Totals, *, dropped: int) -> Figures:
    measures = totals.measures
    return Figures(
        b=measures.b,
        c=measures.c,
        f=measures.f,
        goal=totals.goal_kept,
        rules=(totals.rules_always, totals.rules) if totals.rules else None,
        sent=totals.tokens_sent,
        cost=round(totals.cost),
        peak=totals.peak,
        cache=totals.cache_reuse,
        invalid=totals.invalid,
        offload=totals.offloaded,
        clear=dropped or totals.cleared,
        summary=totals.summarized,
    )


def told(entries: Sequence[Recorded], glyphs: Glyphs) -> str:
    """A step in full, for the viewer: what was said, each call, each result.

    Args:
        entries: the step's message with its results.
        glyphs: the full set, or ASCII.
    """
    parts = [entries[0].message.text]
    parts += [f"{glyphs.cursor} {call.name} {call.arguments}" for call in entries[0].message.calls]
    for one in entries[1:]:
        sign = glyphs.ok if one.ok else glyphs.failed
        parts.append(f"{sign} {one.message.tool or ''}\n{one.message.text}")
    return "\n\n".join(filter(str.strip, parts))
