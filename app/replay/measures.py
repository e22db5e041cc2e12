"""The figures of a whole replay out of its steps (REPLAY, "Measures")."""

from collections.abc import Callable, Iterable, Sequence

from app.replay.happened import HappenedKind
from app.replay.replayed import Measures, MissClass, Missing, Step, Totals

AFTER, WATCHED = 5, 10
"""Steps after a compaction that D counts, and in which E looks for a miss."""

SHRUNK = 0.75
"""A request under this share of the one before: there was a compaction between them."""

CLASSES: tuple[MissClass, ...] = ("repeated_work", "wrong_state", "goal_drift")


def totals_of(steps: Sequence[Step], window: int, rules: tuple[int, int]) -> Totals:
    """The figures of the whole.

    Args:
        steps: all, in order.
        window: tokens.
        rules: how many rules of the user there are, and how many no request lacked.
    """
    kept = [step.kept for step in steps]
    with_goal = [one.goal for one in kept if one.goal is not None]
    return Totals(
        steps=len(steps),
        tokens_sent=sum(step.tokens for step in steps),
        peak=max((step.tokens for step in steps), default=0),
        cached=sum(step.cached for step in steps),
        cost=sum(step.cost for step in steps),
        offloaded=_times(steps, "offloaded"),
        cleared=_times(steps, "cleared"),
        summarized=_times(steps, "summarized") + _times(steps, "cut"),
        guarded=_times(steps, "guarded"),
        rejected=_times(steps, "summary_rejected"),
        over=sum(step.over for step in steps),
        invalid=sum(step.invalid is not None for step in steps),
        goal_kept=_share(with_goal),
        rules_kept=_share([one.rules == one.rules_all for one in kept if one.rules_all]),
        changed_named=_share([one.changed == one.changed_all for one in kept if one.changed_all]),
        rules=rules[0],
        rules_always=rules[1],
        misses=tuple((kind, sum(kind in step.misses for step in steps)) for kind in CLASSES),
        measures=measures_of(steps, window),
    )


def measures_of(steps: Sequence[Step], window: int) -> Measures:
    """A to F.

    Args:
        steps: all, in order.
        window: tokens.
    """
    needing = [step for step in steps if step.needed]
    past = [step for step in needing if step.full > window]
    after = [step for step in needing if step.since is not None and step.since < AFTER]
    return Measures(
        a=_missing(needing),
        b=_missing(past),
        c=_missing([s for s in past if s.needed_touched], lambda one: one.touched),
        d=_missing(after),
        e=_share(list(_followed_by_a_miss(steps))),
        f=_missing([s for s in needing if s.needed_far], lambda one: one.far),
    )


def _followed_by_a_miss(steps: Sequence[Step]) -> Iterable[bool]:
    """For each compaction with a step that needs something soon after: whether one missed it."""
    begun = [at for at, step in enumerate(steps) if step.since == 0]
    for number, start in enumerate(begun):
        end = begun[number + 1] if number + 1 < len(begun) else len(steps)
        watched = [step for step in steps[start : min(end, start + WATCHED)] if step.needed]
        if watched:
            yield any(step.missing for step in watched)


def _missing(
    steps: Sequence[Step], counts: Callable[[Missing], bool] = lambda _: True
) -> float | None:
    return _share([any(counts(one) for one in step.missing) for step in steps])


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _times(steps: Sequence[Step], kind: HappenedKind) -> int:
    return sum(one.kind == kind for step in steps for one in step.happened)
