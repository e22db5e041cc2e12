"""Whether one sentence is a rule or an acceptance, and why.

Questions, reports, conditions, and what holds for now or for one thing only are left out here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.conversation.work import RuleKind
from app.memory.rules_apart import (
    ASKS,
    ASKS_ZH,
    BOUND,
    BOUND_ZH,
    CHOSEN_ZH,
    CONCLUDES,
    CONDITION,
    CONDITION_ZH,
    CONTRARY,
    CONTRARY_ZH,
    EXPLAINS,
    FACTUAL,
    FOREVER_ZH,
    LASTS,
    LETS_ZH,
    MENDS_ZH,
    OCCURS,
    ONCE,
    POLITE,
    REGARDLESS_ZH,
    REPORTED,
    REPORTED_ZH,
    SAYS,
    SPECIFIES,
    SPECIFIES_ZH,
    SUBJECT,
    TAG_ZH,
    TEMPORARY,
    TEMPORARY_ZH,
)
from app.memory.rules_goals import (
    ACCEPTANCE,
    ACCEPTANCE_ZH,
    HINTS_ACCEPTANCE,
    NO_ACCEPTANCE,
    NO_ACCEPTANCE_ZH,
)
from app.memory.rules_lazy import Keyed, Lazy
from app.memory.rules_sentences import Sentence

LONGEST_READ: Final = 1_000
"""Characters of a sentence that are looked at."""

_HAN: Final = Lazy("[\u3400-\u9fff]")
_CLAUSE: Final = Lazy(r"[,;:，；：]|\s(?:and|but)\s")
_AFRESH: Final = Lazy(r"\b(?:uh|um|er|yeah|please|pls|oh|btw|by the way|in general|remember)\b")
"""Behind a linking word: a clause of its own begins."""

_OWED_ZH: Final = Lazy("必须|都[要得]|应|永远|始终|总是|每|一律")
"""How something has to be, which it may fail to be."""

_CLAUSE_ZH: Final = Lazy(r"[,，。；;：:、\s]")
_LINKS: Final = ("and", "then", "or")


@dataclass(frozen=True, slots=True)
class Found:
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


def near(low: str, keyed: Sequence[Keyed]) -> tuple[Keyed, ...]:
    """The patterns of which a key stands in the text: the others find nothing in it.

    Args:
        low: the text, in lower case.
        keyed: the patterns.
    """
    found = []
    for one in keyed:  # hundreds for each message: generators would take three times as long
        for key in one[0]:
            if key in low:
                found.append(one)
                break
    return tuple(found)


def judged(
    sentence: Sentence, english: Sequence[Keyed], chinese: Sequence[Keyed], accepted: bool
) -> Found | None:
    """Why a sentence is a rule or an acceptance; None if it is none.

    Args:
        sentence: it.
        english: the patterns of rules that may be found in it.
        chinese: the same of rules in Chinese.
        accepted: it may be an acceptance.
    """
    plain = sentence.mask[:LONGEST_READ]
    han = bool(_HAN.search(plain))
    body = TAG_ZH.sub("", plain) if han else plain
    low = body.lower()
    found = (
        (_accepted(body, low, han) if accepted else None)
        or _ruled(body, low, english)
        or (_ruled_zh(body, chinese) if han else None)
    )
    if not found or is_question(plain, sentence.asks) or ONCE.match(plain):
        return None
    return None if is_reported(plain, low, found.start) else found


def is_reported(plain: str, low: str, start: int) -> bool:
    """Whether a sentence tells what somebody or something else says.

    Args:
        plain: it.
        low: it in lower case.
        start: where what would be a rule begins: the reason behind it may well be a report.
    """
    if ("but " in low or "current" in low or " now " in low) and CONTRARY.search(plain):
        return True
    if EXPLAINS.search(plain, start):
        return True
    english = REPORTED.search(plain) if any(sign in low for sign in SAYS) else None
    report = english if english and _is_before(plain, english, start) else None
    report = report or REPORTED_ZH.search(plain, 0, start)
    if not report:
        return False
    concludes = CONCLUDES.search(plain, report.end())
    return concludes is None or concludes.start() > start


def _is_before(plain: str, report: re.Match[str], start: int) -> bool:
    """Whether a report stands before something, or at the very end: "..., he says"."""
    return report.start() < start or not plain[report.end() :].strip(" .,)")


def is_question(plain: str, asks: bool) -> bool:
    """Whether a sentence asks; a request with "..., all right?" behind it doesn't.

    Args:
        plain: it.
        asks: it ends with a question mark.
    """
    if TAG_ZH.search(plain):
        return bool(ASKS_ZH.search(REGARDLESS_ZH.sub("", TAG_ZH.sub("", plain))))
    if ASKS_ZH.search(REGARDLESS_ZH.sub("", plain)):
        return True
    if POLITE.match(plain):
        return False
    return asks or bool(ASKS.match(plain))


def _accepted(plain: str, low: str, han: bool) -> Found | None:
    if not any(hint in low for hint in HINTS_ACCEPTANCE):
        return None
    if not NO_ACCEPTANCE.search(plain):
        for pattern in ACCEPTANCE:
            found = pattern.search(plain)
            if found and not CONDITION.search(plain, 0, found.start()):
                return Found("acceptance", found.start(), found.end())
    if han and not NO_ACCEPTANCE_ZH.search(plain):
        found = ACCEPTANCE_ZH.search(plain)
        if found:
            return Found("acceptance", found.start(), found.end())
    return None


def _first(found: re.Match[str]) -> int:
    """Where what was found begins, behind the sign or the space before it."""
    return found.end() - len(found[0].lstrip(" \t\n,，;；:：。、！!(（—–-"))


def _ruled(plain: str, low: str, near: Sequence[Keyed]) -> Found | None:
    for keys, pattern in near:
        if not any(key in low for key in keys):
            continue
        for found in pattern.finditer(plain):
            before = plain[: found.start()] if found[0][0] not in ",;:(—–" else ""
            clause = _CLAUSE.search(plain, found.end())
            rest = plain[found.start() : clause.start() if clause else len(plain)]
            if TEMPORARY.search(rest) or CONDITION.search(before):
                continue
            if (
                found.groupdict().get("link") in _LINKS
                and SUBJECT.search(before)
                and not _AFRESH.search(found[0])
            ):
                continue
            told = found[0].lower()
            ahead = plain[: found.start()] if told[0] == ":" else before
            if ("must" in told or "should" in told) and SPECIFIES.search(ahead):
                continue
            if told.startswith("without") and (
                FACTUAL.search(before) or (not before.strip() and OCCURS.search(plain, found.end()))
            ):
                continue
            verb = found.groupdict().get("verb") or ""
            bound = bool(BOUND.match(verb)) and not LASTS.search(plain)
            return Found("rule", _first(found), found.end(), bound)
    return None


def _ruled_zh(plain: str, near: Sequence[Keyed]) -> Found | None:
    bound: Found | None = None
    for keys, pattern in near:
        if not any(key in plain for key in keys):
            continue
        for found in pattern.finditer(plain):
            breaks = [one.end() for one in _CLAUSE_ZH.finditer(plain[: found.start()])]
            before = plain[breaks[-1] if breaks else 0 : found.start()]
            if CONDITION_ZH.search(before) or CHOSEN_ZH.search(plain, 0, found.end() + 4):
                continue
            owed = _OWED_ZH.search(found[0])
            if owed and (CONTRARY_ZH.search(plain, found.end()) or MENDS_ZH.search(plain)):
                continue
            here = _first(found) == found.start()  # else a sign stands before it
            if here and SPECIFIES_ZH.search(before) and not LASTS.search(before):
                continue
            if LETS_ZH.search(plain, 0, found.start()):
                continue
            if TEMPORARY_ZH.search(plain) and not FOREVER_ZH.search(plain):
                return None
            if BOUND_ZH.match(plain, found.end()) and not LASTS.search(plain):
                bound = bound or Found("rule", _first(found), found.end(), bound=True)
                continue
            return Found("rule", _first(found), found.end())
    return bound
