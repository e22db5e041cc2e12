"""Which part of a sentence is the rule, and whether one rule is a part of another, word for word.

"Move it to Java 21 and keep the tests green" asks for a piece of work and states a rule: only the
clause stands. Where the clause would say less by itself (a condition before it, a pronoun in it, a
rule before it), the sentence stays whole.
"""

from typing import Final

from app.memory.rules_claims import narrows
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified

MOST_TASK: Final = 300
"""Characters of a task that is short: whoever reads it reads the rules in it."""

_LINK: Final = Lazy(
    r"(?:[,;]\s*(?:and|but)|\s(?:and|but))\s+(?:(?:also|please|always)\s+)*\Z"
    r"|[,，；;\s]\s*(?:但是?|而且|并且|同时|不过|另外)(?:请|要|也|一定)?\s*\Z"
)
"""What stands before a clause that can stand by itself."""

_LEADS: Final = Lazy(r"\s*(?:(?:and|but|also|please)\s+)+|(?:但是?|而且|并且|同时|不过|请)+")

_LEANS: Final = Lazy(
    r"\b(?:it|its|them|they|their|this|that|these|those|there|he|she|so|such|other|others|both"
    r"|either|neither|same|instead|one|ones|former|latter|rest|else)\b"
    r"|[它这那此其]|前者|后者|别的|其他|同样|上面|上述"
)
"""A clause with one of these says too little without what stands before it."""

_SPLITS: Final = Lazy(r"[,;:，；：。.!！?？、—–\s]")
_JOINTS: Final = Lazy(
    r"(?:[,;:，；：。.!！?？、]\s*|\s[—–-]+\s+|\s+(?=(?:and|but)\b))"
    r"(?:(?:and|but|also|then|please)\s+|但是?|而且|并且?|同时|请)*"
)
_TASK: Final = 4
"""Characters that a task has at least."""

_LOOSE: Final = Lazy(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s+|\s+(?=[\u3000-\u9fff\uff00-\uffef])")
"""Spaces beside Chinese, which say nothing."""
_EDGES: Final = " \t\n\r.,;:!?。，；：！？、*_`\"'“”"


def clause(body: str, start: int) -> tuple[int, int] | None:
    """Where a task ends and the clause that is a rule begins; None where only the whole says it.

    Args:
        body: the sentence, masked.
        start: where in it what makes it a rule begins.
    """
    if link := _LEADS.match(body, start):
        start = link.end()
    before = _LINK.search(body, 0, start)
    if before is None:
        return None
    task = body[: before.start()]
    if len(_SPLITS.sub("", task)) < _TASK or narrows(task) or _LEANS.search(body[start:]):
        return None
    return before.start(), start


def bare(text: str) -> str:
    """A text as two are compared word for word: case, spaces and the marks around it don't count.

    Args:
        text: a rule or a message.
    """
    return _LOOSE.sub("", " ".join(simplified(text).casefold().split())).strip(_EDGES)


def is_part(one: str, other: str) -> bool:
    """Whether a rule is said in another one, as a clause of it that nothing there narrows.

    "never use npm" isn't a part of "never use npm in CI", which forbids less.

    Args:
        one: the shorter rule.
        other: the longer one.
    """
    small, large = bare(one), bare(other)
    if not small or len(small) >= len(large):
        return False
    at = large.find(small)
    if at < 0:
        return False
    before, after = large[:at], large[at + len(small) :]
    joined = (not before or _ends(before)) and (not after or _JOINTS.match(after) is not None)
    return joined and not narrows(before) and not narrows(after)


def _ends(before: str) -> bool:
    return any(found.end() == len(before) for found in _JOINTS.finditer(before))
