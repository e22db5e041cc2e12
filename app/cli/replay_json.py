"""Replays and suggestions as `haima replay --json` tells them (DESIGN 5)."""

from collections.abc import Sequence

from app.replay.replayed import Replayed
from app.replay.suggest import Figures, Suggestion


def record(done: Replayed) -> dict[str, object]:
    """A replay in `--json` (DESIGN 5), and some more of it."""
    totals, measures = done.totals, done.totals.measures
    return {
        "file": done.recording.source,
        "policy": done.policy,
        "window": done.window,
        "steps": totals.steps,
        "tokens_sent": totals.tokens_sent,
        "peak": totals.peak,
        "cache_reuse": round(totals.cache_reuse, 4),
        "cost": round(totals.cost),
        "offloaded": totals.offloaded,
        "cleared": totals.cleared,
        "summarized": totals.summarized,
        "invalid": totals.invalid,
        "goal_kept": _rounded(totals.goal_kept),
        "rules_kept": _rounded(totals.rules_kept),
        "measures": {
            "A": _rounded(measures.a),
            "B": _rounded(measures.b),
            "C": _rounded(measures.c),
            "D": _rounded(measures.d),
            "E": _rounded(measures.e),
            "F": _rounded(measures.f),
        },
        "changed_named": _rounded(totals.changed_named),
        "misses": dict(totals.misses),
        "over": totals.over,
        "guarded": totals.guarded,
        "rejected": totals.rejected,
        "format": done.recording.format,
        "messages": len(done.recording.entries),
        "past_missing": done.recording.past_missing,
        "skipped": {one.what: one.count for one in done.recording.skipped},
        "repaired": {one.what: one.count for one in done.recording.repaired},
    }


def suggestion_record(files: Sequence[str], window: int, found: Suggestion) -> dict[str, object]:
    """What `--suggest` found, in `--json`."""
    return {
        "suggestion": dict(found.settings),
        "files": list(files),
        "window": window,
        "tried": found.tried,
        "before": _figures(found.before),
        "after": _figures(found.after),
    }


def _figures(figures: Figures) -> dict[str, object]:
    return {"B": _rounded(figures.b), "F": _rounded(figures.f), "cost": round(figures.cost)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
