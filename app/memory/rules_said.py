"""Rules, acceptance and new goals in what the user said (DESIGN 4, "Worklog and recovery").

By words and by code, in both languages; questions, reports, one-off requests and what is only for
now aren't rules. Decided: "for now", "yet", 先别, 暂时 don't stand; "until I say so" stands, as it
binds every later step. A remark is never a goal, nor is "now let's work on …", which is
mostly the next step of the same work.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.conversation.work import Rule, RuleKind
from app.memory.rules_apart import (
    ASKS,
    ASKS_ZH,
    AT_FILE,
    BOUND,
    BOUND_ZH,
    COMPLAINS,
    CONDITION,
    CONTRARY,
    FACTUAL,
    LASTS,
    POLITE,
    REPORTED,
    REPORTED_ZH,
    SAYS,
    SPECIFIES,
    SUBJECT,
    TAG_ZH,
    TEMPORARY,
    TEMPORARY_ZH,
)
from app.memory.rules_chinese import RULES_ZH
from app.memory.rules_claims import is_repeated, lifted, lifts_all, taken_back
from app.memory.rules_english import RULES
from app.memory.rules_goals import (
    ACCEPTANCE,
    ACCEPTANCE_ZH,
    GOAL,
    HEADING,
    HEADING_ACCEPTANCE,
    HINTS_ACCEPTANCE,
    HINTS_GOAL,
    NO_ACCEPTANCE,
    NO_ACCEPTANCE_ZH,
)
from app.memory.rules_lazy import Keyed, Lazy
from app.memory.rules_own import COVER, CUT, masked
from app.memory.rules_parts import MOST_TASK, bare, clause, is_part
from app.memory.rules_sentences import Sentence, sentences, shown

MOST_RULES: Final = 40
"""Rules taken from one message: a longer list is a document, and stands in the goal."""

_AT_FRONT: Final = 8
"""Sentences among which a new goal is looked for."""

_OPENING: Final = 60
"""Characters of a message in which a complaint says what it is about."""

_LONGEST: Final = 1_000
"""Characters of a sentence that are looked at."""

_HAN: Final = Lazy("[\u3400-\u9fff]")
_CLAUSE: Final = Lazy(r"[,;:，；：]|\s(?:and|but)\s")
_CLAUSE_ZH: Final = Lazy(r"[,，。；;：:、\s]")
_CONDITION_ZH: Final = Lazy(
    r"如果|要是|假如|若|因为|由于|为了|既然|为什么|以前|原来|曾经|本来|我(?:可以|能)?$|^(?:他|她)"
)
_FOREVER_ZH: Final = Lazy("以后|一律|永远|始终|每次")
_LINKS: Final = ("and", "then", "so", "or")
_SPOKEN: Final = Lazy(
    r"(?:can|may|ok(?:ay)?|fine|free|allowed|ahead|need|longer|have to|limits"
    r"|all|rules?|restriction"
    r"|constraints?|ban)\b|[可能允用必需限规要约禁]",
)
"""A sentence without any of these permits nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a message of the user's says of the work to come.

    Attributes:
        rules: the new rules and acceptances, in order, word for word, at most 300 characters each.
        revoked: ids of rules that it contradicts or takes back, oldest first.
        goal: a new goal, word for word; None if it states none.
        longer: ids of rules of which a new sentence says more, each with the sentence: it takes the
            place of the rule's text.
    """

    rules: tuple[tuple[RuleKind, str], ...] = ()
    revoked: tuple[str, ...] = ()
    goal: str | None = None
    longer: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """Why a sentence is a rule, and where in it that stands.

    Attributes:
        kind: of which kind.
        start, end: where.
        bound: it says how something looks, so that it may be about one thing only.
    """

    kind: RuleKind
    start: int
    end: int
    bound: bool = False


def said(text: str, *, active: Sequence[Rule], first: bool, task: str = "") -> Said:
    """What a message says of rules, acceptance and the goal.

    Args:
        text: the message, as the user wrote it.
        active: the rules that hold.
        first: it is the first of its chain: as a whole it is the goal, so no goal is returned, and
            no rule that says just the same.
        task: the goal so far, where no rule was taken from it; what a short one says is no rule.
    """
    mask = masked(text)
    if not mask.strip(CUT + COVER + " \n\t"):
        return Said()
    heard = tuple(sentences(mask))
    rules: list[tuple[RuleKind, str]] = []
    longer: dict[str, str] = {}
    revoked: set[str] = set()
    whole = bare(text) if first else ""
    short = task if len(task) <= MOST_TASK else ""
    for sentence, found in _standing(heard, mask):
        shows = shown(text, sentence, found.start, found.end) if found else ""
        if active:
            revoked |= _revoked(text[sentence.start : sentence.end], sentence, bool(shows), active)
        if not found or not shows or len(rules) >= MOST_RULES:
            continue
        if (whole and bare(shows) == whole) or (short and _stands_in(shows, short)):
            continue
        held = {rule.id: longer.get(rule.id, rule.text) for rule in active}
        known = [*(held[one] for one in held if one not in revoked), *(one for _, one in rules)]
        if any(is_repeated(shows, one) or is_part(shows, one) for one in known):
            continue
        less = [one for one in held if one not in revoked and is_part(held[one], shows)]
        if less:
            longer[less[0]] = shows
            continue
        rules = [one for one in rules if not is_part(one[1], shows)]
        rules.append((found.kind, shows))
    goal = None if first else _goal(text, mask, heard)
    taken = tuple(rule.id for rule in active if rule.id in revoked)
    more = tuple((one, said) for one, said in longer.items() if one not in revoked)
    return Said(tuple(rules), taken, goal, more)


def _standing(heard: Sequence[Sentence], mask: str) -> Iterator[tuple[Sentence, _Found | None]]:
    """As `_found`, without what is for one thing only; of a task with a rule the clause alone."""
    about = _about(mask)
    for sentence, found in _found(heard, mask.lower()):
        if found is None or (found.bound and (about or _is_bound(sentence))):
            yield sentence, None
            continue
        part = clause(sentence.mask[:_LONGEST], found.start)
        if part and not _held_before(sentence, part[0]):
            yield _behind(sentence, found, part[1])
        else:
            yield sentence, found


def _about(mask: str) -> bool:
    """Whether a message begins with one file, or with a complaint: it is about that thing."""
    if AT_FILE.match(mask):
        return True
    start = mask.lstrip()[:_OPENING]
    return COMPLAINS.search(start) is not None


def _is_bound(sentence: Sentence) -> bool:
    """Whether a sentence complains, or asks for now: "..., all right?"."""
    plain = sentence.mask[:_LONGEST]
    return bool(COMPLAINS.search(plain) or TAG_ZH.search(plain))


def _held_before(sentence: Sentence, end: int) -> bool:
    """Whether what stands before a clause is a rule too."""
    task = replace(sentence, end=sentence.start + end, mask=sentence.mask[:end], asks=False)
    return _judged(task, RULES, RULES_ZH, True) is not None


def _behind(sentence: Sentence, found: _Found, cut: int) -> tuple[Sentence, _Found]:
    """A clause of a sentence as a sentence."""
    clause = replace(sentence, start=sentence.start + cut, mask=sentence.mask[cut:])
    return clause, replace(found, start=max(0, found.start - cut), end=found.end - cut)


def _stands_in(shows: str, task: str) -> bool:
    return bare(shows) == bare(task) or is_part(shows, task)


def _near(low: str, keyed: Sequence[Keyed]) -> tuple[Keyed, ...]:
    """The patterns of which a key stands in the text: the others find nothing in it."""
    return tuple(one for one in keyed if any(key in low for key in one[0]))


def _found(heard: Sequence[Sentence], low: str) -> Iterator[tuple[Sentence, _Found | None]]:
    """The sentences, each with why it is a rule; the items under a heading "Rules" all are."""
    english, chinese = _near(low, RULES), _near(low, RULES_ZH)
    accepted = any(hint in low for hint in HINTS_ACCEPTANCE)
    under: RuleKind | None = None
    listed = False
    for one in heard:
        if one.heading or one.mask.rstrip()[-1:] in ":：":
            bare = one.mask.strip(" \t#_¤")
            under = (
                "acceptance"
                if HEADING_ACCEPTANCE.fullmatch(bare)
                else "rule"
                if HEADING.fullmatch(bare)
                else None
            )
            listed = False
            yield one, None if under else _judged(one, english, chinese, accepted)
            continue
        if under and not one.item and listed:
            under = None  # the list is over
        listed = listed or one.item
        whole = under and one.item and not one.asks and len(one.mask) > 3
        yield (
            one,
            _Found(under, 0, min(len(one.mask), 60))
            if whole and under
            else _judged(one, english, chinese, accepted),
        )


def _judged(
    sentence: Sentence, english: Sequence[Keyed], chinese: Sequence[Keyed], accepted: bool
) -> _Found | None:
    """Why a sentence is a rule or an acceptance; None if it is none."""
    plain = sentence.mask[:_LONGEST]
    han = bool(_HAN.search(plain))
    body = TAG_ZH.sub("", plain) if han else plain
    low = body.lower()
    found = (
        (_accepted(body, low, han) if accepted else None)
        or _ruled(body, low, english)
        or (_ruled_zh(body, chinese) if han else None)
    )
    if not found or _is_question(plain, sentence.asks):
        return None
    return None if _is_reported(plain, low) else found


def _is_reported(plain: str, low: str) -> bool:
    """Whether a sentence tells what somebody or something else says."""
    if "but " in low and CONTRARY.search(plain):
        return True
    english = any(sign in low for sign in SAYS) and REPORTED.search(plain)
    return bool(english or REPORTED_ZH.search(plain))


def _is_question(plain: str, asks: bool) -> bool:
    if TAG_ZH.search(plain):
        return bool(ASKS_ZH.search(TAG_ZH.sub("", plain)))
    if ASKS_ZH.search(plain):
        return True
    if POLITE.match(plain):
        return False
    return asks or bool(ASKS.match(plain))


def _accepted(plain: str, low: str, han: bool) -> _Found | None:
    if not any(hint in low for hint in HINTS_ACCEPTANCE):
        return None
    if not NO_ACCEPTANCE.search(plain):
        for pattern in ACCEPTANCE:
            found = pattern.search(plain)
            if found and not CONDITION.search(plain, 0, found.start()):
                return _Found("acceptance", found.start(), found.end())
    if han and not NO_ACCEPTANCE_ZH.search(plain):
        found = ACCEPTANCE_ZH.search(plain)
        if found:
            return _Found("acceptance", found.start(), found.end())
    return None


def _first(found: re.Match[str]) -> int:
    """Where what was found begins, behind the sign or the space before it."""
    return found.end() - len(found[0].lstrip(" \t\n,，;；:：。、！!(（—–-"))


def _ruled(plain: str, low: str, near: Sequence[Keyed]) -> _Found | None:
    for keys, pattern in near:
        if not any(key in low for key in keys):
            continue
        for found in pattern.finditer(plain):
            before = plain[: found.start()] if found[0][0] not in ",;:(—–" else ""
            clause = _CLAUSE.search(plain, found.end())
            rest = plain[found.start() : clause.start() if clause else len(plain)]
            if TEMPORARY.search(rest) or CONDITION.search(before):
                continue
            if found.groupdict().get("link") in _LINKS and SUBJECT.search(before):
                continue
            if "must" in found[0].lower() and SPECIFIES.search(before):
                continue
            if found[0].lower().startswith("without") and FACTUAL.search(before):
                continue
            verb = found.groupdict().get("verb") or ""
            bound = bool(BOUND.match(verb)) and not LASTS.search(plain)
            return _Found("rule", _first(found), found.end(), bound)
    return None


def _ruled_zh(plain: str, near: Sequence[Keyed]) -> _Found | None:
    bound: _Found | None = None
    for keys, pattern in near:
        if not any(key in plain for key in keys):
            continue
        for found in pattern.finditer(plain):
            breaks = [one.end() for one in _CLAUSE_ZH.finditer(plain[: found.start()])]
            before = plain[breaks[-1] if breaks else 0 : found.start()]
            if _CONDITION_ZH.search(before):
                continue
            if TEMPORARY_ZH.search(plain) and not _FOREVER_ZH.search(plain):
                return None
            if BOUND_ZH.match(plain, found.end()) and not LASTS.search(plain):
                bound = bound or _Found("rule", _first(found), found.end(), bound=True)
                continue
            return _Found("rule", _first(found), found.end())
    return bound


def _revoked(whole: str, sentence: Sentence, is_rule: bool, active: Sequence[Rule]) -> set[str]:
    """The ids of the rules that a sentence takes back."""
    plain = sentence.mask[:_LONGEST]
    whole = whole[:_LONGEST]
    if not is_rule:
        if not _SPOKEN.search(plain):
            return set()
        if COVER in plain:
            whole = plain.replace(COVER, " ")
    texts = [rule.text for rule in active]
    if lifts_all(plain):
        places = [place for place, rule in enumerate(active) if rule.kind == "rule"]
    else:
        places = taken_back(whole, is_rule, texts) or lifted(whole, texts)
    if not places or _is_question(plain, sentence.asks) or _is_reported(plain, plain.lower()):
        return set()
    return {active[place].id for place in places}


def _goal(text: str, mask: str, heard: Sequence[Sentence]) -> str | None:
    """From where a sentence states a new goal, to the end of the message."""
    for one in heard[:_AT_FRONT]:
        plain = one.mask[:_LONGEST]
        low = plain.lower()
        if not any(hint in low for hint in HINTS_GOAL) or _is_question(plain, one.asks):
            continue
        if any(pattern.match(mask, one.start) for pattern in GOAL):
            return text[one.start :].strip()
    return None
