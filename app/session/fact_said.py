"""What came of a change to the memories, in words: toasts, `haima memory`, notices."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from app.boundary import one_line, visible
from app.conversation.truncate import clip
from app.events import Severity
from app.memory.fact_outcomes import (
    ChangedSince,
    Conflict,
    Deleted,
    Duplicate,
    Failed,
    Kept,
    NotFound,
    Outcome,
    Pinned,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.facts import Fact
from app.memory.memories import Known
from app.text import Key, Words

_LONGEST = 60
"""Characters of a fact that a sentence quotes."""

_LISTED = 3
"""Facts that a sentence quotes at most; of more it tells the number."""

_ROOM = 96
"""Cells that quotes of several facts take at most: a toast has four lines."""


@dataclass(frozen=True, slots=True)
class FactSaid:
    """An outcome in words.

    Attributes:
        severity: `ok`: done; `info`: there was nothing to do; `warn`: not done, the user can;
            `danger`: it failed.
        head: what happened, in a few words: a toast's first line.
        text: to what.
        sentence: both, for a line of text.
    """

    severity: Severity
    head: str
    text: str
    sentence: str


def fact_said(outcome: Outcome, words: Words) -> FactSaid:
    """An outcome in words; foreign text in it is made visible, and quoted in short.

    Args:
        outcome: of a change.
        words: the user's language.
    """
    severity, head, text = _said(outcome, words)
    title = words(head)
    return FactSaid(severity, title, text, words("fact.sentence", head=title, text=text))


def disproved(known: Sequence[Known], words: Words) -> FactSaid | None:
    """What the project's files say against facts that were just confirmed; None: nothing.

    The user's word stands, but "file missing" must not go unsaid (FIELD 49).

    Args:
        known: the facts, as they are known after it.
        words: the user's language.
    """
    against = [one for one in known if one.evidence.kind == "contradicts"]
    if not against:
        return None
    lines = [_against(one, words) for one in against[:_LISTED]]
    if len(against) > _LISTED:
        lines = [words("fact.verified_text", n=len(against))]
    title, text = words("fact.disproved"), words("fact.list").join(lines)
    return FactSaid("warn", title, text, words("fact.sentence", head=title, text=text))


def _against(known: Known, words: Words) -> str:
    finding = known.evidence.findings[0]
    what = visible(finding.says)
    if finding.reason == "value":
        says = f"{words('facts.says')} {what}"
    else:
        says = words(
            "facts.no_symbol" if finding.reason == "no_symbol" else "facts.no_file", name=what
        )
    place, content = visible(known.evidence.place), short(known.fact.content)
    return words("fact.disproved_text", content=content, place=place, says=says)


def short(content: str) -> str:
    """A fact's text on one line, visible, its end cut where it is long."""
    return clip(one_line(content), _LONGEST)


def _said(outcome: Outcome, words: Words) -> tuple[Severity, Key, str]:
    match outcome:
        case Stored(fact=fact, near=near):
            head: Key = "fact.saved_global" if fact.scope == "global" else "fact.saved_project"
            text = _quoted([fact], "fact.verified_text", words)
            if near:
                others = _quoted(near, "fact.verified_text", words)
                text = words("fact.near_text", text=text, near=others)
            return "ok", head, text
        case Replaced(fact=fact, old=old):
            return _replaced(fact, old, words)
        case Duplicate(fact=fact, verified=verified):
            head = "fact.known_verified" if verified else "fact.known"
            return "ok" if verified else "info", head, _quoted([fact], "fact.verified_text", words)
        case Conflict(content=content, existing=clashes):
            others = _quoted([one.fact for one in clashes], "fact.verified_text", words)
            text = words("fact.conflict_text", content=short(content), existing=others)
            return "warn", "fact.conflict", text
        case Kept(content=content, existing=fact):
            text = words("fact.kept_text", content=short(content), existing=short(fact.content))
            return "info", "fact.kept", text
        case NotFound(ids=()):
            return "info", "fact.nothing_to_undo", words("fact.nothing_to_undo_text")
        case NotFound(ids=ids):
            return "warn", "fact.not_found", words("fact.not_found_text", ids=_ids(ids, words))
        case ChangedSince(ids=ids):
            text = words("fact.changed_since_text", ids=_ids(ids, words))
            return "warn", "fact.changed_since", text
        case Failed(error=error):
            return "danger", "fact.failed", visible(error.sentence(words))
        case Verified(facts=facts, missing=missing):
            text = _quoted(facts, "fact.verified_text", words)
            return "ok", "fact.verified", _with_missing(text, missing, words)
        case Pinned(facts=facts, on=on, missing=missing):
            text = _quoted(facts, "fact.verified_text", words)
            head = "fact.pinned" if on else "fact.unpinned"
            return "ok", head, _with_missing(text, missing, words)
        case Deleted():
            return _deleted(outcome, words)
        case Restored(facts=facts, gone=gone):
            return _restored(facts, gone, words)


def _replaced(fact: Fact, old: Sequence[Fact], words: Words) -> tuple[Severity, Key, str]:
    if len(old) != 1:
        text = words("fact.replaced_many_text", n=len(old), content=short(fact.content))
        return "ok", "fact.replaced", text
    head: Key = "fact.changed" if old[0].id == fact.id else "fact.replaced"
    before, after = short(old[0].content), short(fact.content)
    return "ok", head, words("fact.replaced_text", old=before, content=after)


def _deleted(outcome: Deleted, words: Words) -> tuple[Severity, Key, str]:
    text = _quoted(outcome.facts, "fact.deleted_text", words)
    text = _with_missing(text, outcome.missing, words)
    if outcome.remains:
        paths = words("fact.list").join(visible(str(path)) for path in outcome.remains)
        text = words("fact.remains_text", text=text, paths=paths)
    severity: Severity = "warn" if outcome.remains else "ok"
    return severity, "fact.deleted" if outcome.change else "fact.deleted_everywhere", text


def _restored(
    facts: Sequence[Fact], gone: Sequence[Fact], words: Words
) -> tuple[Severity, Key, str]:
    if facts:
        return "ok", "fact.restored", _quoted(facts, "fact.restored_text", words)
    if len(gone) == 1:
        return "ok", "fact.undone", words("fact.undone_text", content=short(gone[0].content))
    return "ok", "fact.undone", words("fact.undone_many_text", n=len(gone))


def _with_missing(text: str, missing: Sequence[str], words: Words) -> str:
    return words("fact.missing_text", text=text, ids=_ids(missing, words)) if missing else text


def _quoted(facts: Sequence[Fact], many: Key, words: Words) -> str:
    """The facts, quoted; of more than three, or long ones, their number."""
    quoted = words("fact.list").join(
        words("fact.quoted", content=short(fact.content)) for fact in facts[:_LISTED]
    )
    too_long = len(facts) > 1 and cell_len(quoted) > _ROOM
    return words(many, n=len(facts)) if len(facts) > _LISTED or too_long else quoted


def _ids(ids: Sequence[str], words: Words) -> str:
    return words("fact.list").join(visible(one) for one in ids)
