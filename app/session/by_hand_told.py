"""What the agent is told of what the user changed by hand: goal, rules, list, as they are now."""

from app.boundary import visible
from app.conversation.by_hand import ByHand, EntryState
from app.conversation.work import Progress
from app.memory.work_progress import place_of
from app.memory.worklog import Worklog
from app.text import Key, Words

_GOAL = 8_000
"""Characters of a new goal that are told; about what a recovery block tells of it."""

_ASKED = 'read_history(query="work: goal")'

_PLACES: dict[tuple[EntryState, EntryState], Key] = {
    ("", "todo"): "by_hand.added",
    ("done", "todo"): "by_hand.again",
    ("todo", "done"): "by_hand.finished",
    ("todo", ""): "by_hand.dropped",
    ("done", ""): "by_hand.dropped",
}
"""Where an entry stood and where it stands; what came and was finished meanwhile needs no word."""


def by_hand_text(changed: ByHand, log: Worklog, words: Words) -> str:
    """What is told of it; "" where all is as it was.

    Args:
        changed: what was changed since the agent was told.
        log: as it is now.
        words: the language of what the model reads.
    """
    goal, rules = _goal(changed, log, words), _rules(changed, log, words)
    entries = [
        words(key, text=visible(text))
        for text, was in changed.entries
        if (key := _PLACES.get((was, place_of(log.progress, text)))) is not None
    ]
    lines = [f"- {line}" for line in (*goal, *rules, *entries)]
    if not lines:
        return ""
    end = [words("by_hand.keep")] if entries else []
    return "\n".join([words("by_hand.head"), *lines, *end])


def changed_entries(changed: ByHand, progress: Progress) -> tuple[str, ...]:
    """The things of the list that don't stand where the agent believes they do."""
    return tuple(text for text, was in changed.entries if place_of(progress, text) != was)


def _goal(changed: ByHand, log: Worklog, words: Words) -> list[str]:
    now = "" if log.goal is None else log.goal.text
    if changed.goal is None or now == changed.goal or not now.strip():
        return []
    if len(now) <= _GOAL:
        return [words("by_hand.goal", text=visible(now))]
    size = {"shown": f"{_GOAL:,}", "total": f"{len(now):,}"}
    cut = words("front.goal_cut", **size, call=_ASKED)
    return [f"{words('by_hand.goal', text=visible(now[:_GOAL]))}\n{cut}"]


def _rules(changed: ByHand, log: Worklog, words: Words) -> list[str]:
    lines: list[str] = []
    for rule, was in changed.rules:
        now = log.held(rule)
        if now == was:
            continue
        texts = {"text": visible(now), "was": visible(was)}
        if not was:
            lines.append(words("by_hand.rule", text=texts["text"]))
        elif not now:
            lines.append(words("by_hand.no_rule", was=texts["was"]))
        else:
            lines.append(words("by_hand.other_rule", **texts))
    return lines
