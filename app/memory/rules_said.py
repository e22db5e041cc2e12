"""Rules, acceptance and new goals in what the user said (DESIGN 4, "Worklog and recovery").

By words and by code, in both languages; questions, reports, one-off requests and what is only for
now aren't rules. Decided: "for now", "yet", 先别, 暂时 don't stand; "until I say so" stands, as it
binds every later step. A remark is never a goal, nor is "now let's work on …", which is
mostly the next step of the same work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.conversation.work import Rule, RuleKind
from app.memory.rules_apart import (
    AT_FILE,
    COMPLAINS,
    TAG_ZH,
)
from app.memory.rules_chinese import RULES_ZH
from app.memory.rules_claims import is_repeated
from app.memory.rules_customs import CUSTOMS
from app.memory.rules_ended import Held, after, held, is_no_demand
from app.memory.rules_english import RULES
from app.memory.rules_excepted import is_excepted
from app.memory.rules_goals import (
    GOAL,
    HEADING,
    HEADING_ACCEPTANCE,
    HINTS_ACCEPTANCE,
    HINTS_GOAL,
)
from app.memory.rules_judged import LONGEST_READ, Found, is_question, is_reported, judged, near
from app.memory.rules_lazy import Lazy
from app.memory.rules_lifts import lifts_all
from app.memory.rules_marks import MARKED
from app.memory.rules_marks_zh import MARKED_ZH
from app.memory.rules_norms import NORMS
from app.memory.rules_norms_zh import NORMS_ZH
from app.memory.rules_own import COVER, CUT, masked
from app.memory.rules_parts import MOST_TASK, bare, clause, is_part
from app.memory.rules_sentences import Sentence, sentences, shown
from app.memory.rules_stated import STATED
from app.memory.rules_stated_zh import STATED_ZH
from app.memory.rules_terse import TERSE
from app.memory.rules_terse_zh import TERSE_ZH

MOST_RULES: Final = 40
"""Rules taken from one message: a longer list is a document, and stands in the goal."""

_AT_FRONT: Final = 8
"""Sentences among which a new goal is looked for."""

_OPENING: Final = 60
"""Characters of a message in which a complaint says what it is about."""

_TITLE: Final = 40
"""Characters of a line that may be a title though nothing marks it."""

_RULES_EN: Final = (*RULES, *STATED, *MARKED, *NORMS, *CUSTOMS, *TERSE)
_RULES_ZH: Final = (*RULES_ZH, *STATED_ZH, *MARKED_ZH, *NORMS_ZH, *TERSE_ZH)
_SPOKEN: Final = Lazy(
    r"(?:can|may|ok(?:ay)?|fine|alright|free|allowed|ahead|need\w*|longer|have to|limits|all|rules?"
    r"|restriction|constraints?|ban|stop|said|told|wrote|asked|mind|required|necessary|mandatory"
    r"|permitted|applies|welcome|again|any ?(?:more|longer))\b"
    r"|[可能允用必需限规要约禁不忘废管撤收再許規約]",
)
"""A sentence without any of these permits nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a message of the user's says of the work to come.

    Attributes:
        rules: the new rules and acceptances, in order, word for word, at most 300 characters each;
            before them what is left of a revoked rule of which a part alone was taken back.
        revoked: ids of rules that it contradicts or takes back, oldest first.
        goal: a new goal, word for word; None if it states none.
        longer: ids of rules of which a new sentence says more, each with the sentence: it takes the
            place of the rule's text.
    """

    rules: tuple[tuple[RuleKind, str], ...] = ()
    revoked: tuple[str, ...] = ()
    goal: str | None = None
    longer: tuple[tuple[str, str], ...] = ()


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
    holding = [held(rule.text) for rule in active]
    told: set[str] = set()
    whole = bare(text) if first else ""
    short = task if len(task) <= MOST_TASK else ""
    for sentence, reason in _standing(heard, mask):
        found = reason
        shows = shown(text, sentence, found.start, found.end) if found else ""
        words = text[sentence.start : sentence.end][:LONGEST_READ]
        left = _after(words, sentence, bool(shows), active, holding) if active else holding
        ended, holding = left != holding, left
        if not ended and active and (not shows or is_no_demand(words, ended)):
            found = _excepted(sentence, words, active, holding)
            shows = shown(text, sentence, found.start, found.end) if found else ""
        elif shows and is_no_demand(words, ended):
            continue
        if not found or not shows or shows in told or len(rules) >= MOST_RULES:
            continue
        told.add(shows)
        if (whole and bare(shows) == whole) or (short and _stands_in(shows, short)):
            continue
        held_now = {
            rule.id: longer.get(rule.id, rule.text)
            for rule, one in zip(active, holding, strict=True)
            if one.whole
        }
        kept = [part for one in holding if not one.whole for part in one.parts]
        known = [*held_now.values(), *kept, *(one for _, one in rules)]
        if any(is_repeated(shows, one) or is_part(shows, one) for one in known):
            continue
        less = [one for one, held in held_now.items() if is_part(held, shows)]
        if less:
            longer[less[0]] = shows
            continue
        rules = [one for one in rules if not is_part(one[1], shows)]
        rules.append((found.kind, shows))
    goal = None if first else _goal(text, mask, heard)
    gone = [(rule, one) for rule, one in zip(active, holding, strict=True) if not one.whole]
    rest = [(rule.kind, part) for rule, one in gone for part in one.parts]
    taken = tuple(rule.id for rule, _ in gone)
    more = tuple((one, said) for one, said in longer.items() if one not in taken)
    return Said((*rest, *rules), taken, goal, more)


def _standing(heard: Sequence[Sentence], mask: str) -> Iterator[tuple[Sentence, Found | None]]:
    """As `_found`, without what is for one thing only; of a task with a rule the clause alone."""
    about = _about(mask)
    for sentence, found in _found(heard, mask.lower()):
        if found is None or (found.bound and (about or _is_bound(sentence))):
            yield sentence, None
            continue
        part = clause(sentence.mask[:LONGEST_READ], found.start)
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
    plain = sentence.mask[:LONGEST_READ]
    return bool(COMPLAINS.search(plain) or TAG_ZH.search(plain))


def _held_before(sentence: Sentence, end: int) -> bool:
    """Whether what stands before a clause is a rule too."""
    task = replace(sentence, end=sentence.start + end, mask=sentence.mask[:end], asks=False)
    return judged(task, _RULES_EN, _RULES_ZH, True) is not None


def _behind(sentence: Sentence, found: Found, cut: int) -> tuple[Sentence, Found]:
    """A clause of a sentence as a sentence."""
    clause = replace(sentence, start=sentence.start + cut, mask=sentence.mask[cut:])
    return clause, replace(found, start=max(0, found.start - cut), end=found.end - cut)


def _stands_in(shows: str, task: str) -> bool:
    return bare(shows) == bare(task) or is_part(shows, task)


def _found(heard: Sequence[Sentence], low: str) -> Iterator[tuple[Sentence, Found | None]]:
    """The sentences, each with why it is a rule; the items under a heading "Rules" all are."""
    english, chinese = near(low, _RULES_EN), near(low, _RULES_ZH)
    accepted = any(hint in low for hint in HINTS_ACCEPTANCE)
    under: RuleKind | None = None
    listed = False
    for one in heard:
        plain = one.mask.strip(" \t#_¤")
        titled = one.fresh and not one.item and len(plain) <= _TITLE and HEADING.fullmatch(plain)
        if one.heading or titled or one.mask.rstrip()[-1:] in ":：":
            under = (
                "acceptance"
                if HEADING_ACCEPTANCE.fullmatch(plain)
                else "rule"
                if HEADING.fullmatch(plain)
                else None
            )
            listed = False
            yield one, None if under else judged(one, english, chinese, accepted)
            continue
        if under and listed and one.fresh and not one.item:
            under = None  # the list is over
        listed = listed or one.item
        whole = under and one.item and not one.asks and len(one.mask) > 3
        yield (
            one,
            Found(under, 0, min(len(one.mask), 60))
            if whole and under
            else judged(one, english, chinese, accepted),
        )


def _after(
    whole: str, sentence: Sentence, is_rule: bool, active: Sequence[Rule], holding: list[Held]
) -> list[Held]:
    """The rules as they hold after a sentence."""
    plain = sentence.mask[:LONGEST_READ]
    if not is_rule:
        if not _SPOKEN.search(plain):
            return holding
        if COVER in plain:
            whole = plain.replace(COVER, " ")
    if lifts_all(plain):
        left = [
            one if rule.kind == "acceptance" else replace(one, parts=())
            for one, rule in zip(holding, active, strict=True)
        ]
    else:
        left = after(whole, is_rule, holding, [rule.text for rule in active])
    if (
        left == holding
        or is_question(plain, sentence.asks)
        or is_reported(plain, plain.lower(), len(plain))
    ):
        return holding
    return left


def _excepted(
    sentence: Sentence, words: str, active: Sequence[Rule], holding: Sequence[Held]
) -> Found | None:
    """Why a sentence that ends no rule stands all the same: it lifts one half of one that holds."""
    plain = sentence.mask[:LONGEST_READ]
    if not _SPOKEN.search(plain) or COVER in plain or is_question(plain, sentence.asks):
        return None
    texts = [rule.text for rule, one in zip(active, holding, strict=True) if one.whole]
    if not is_excepted(words, texts) or is_reported(plain, plain.lower(), len(plain)):
        return None
    return Found("rule", 0, len(plain))


def _goal(text: str, mask: str, heard: Sequence[Sentence]) -> str | None:
    """From where a sentence states a new goal, to the end of the message."""
    for one in heard[:_AT_FRONT]:
        plain = one.mask[:LONGEST_READ]
        low = plain.lower()
        if not any(hint in low for hint in HINTS_GOAL) or is_question(plain, one.asks):
            continue
        if any(pattern.match(mask, one.start) for pattern in GOAL):
            return text[one.start :].strip()
    return None
