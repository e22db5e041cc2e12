"""The `<memory>` block: which of the facts that were found stand in it, within its tokens."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, Literal, TypeVar

from app.boundary import block, neutralise, one_line, visible
from app.memory.recall import AT_MOST, FactLine, Found, Recall
from app.text import Words

LISTED: Final = 50
"""Facts that are looked at for one prompt; of those behind them only the number is told."""

LeftOut = Literal["shown", "switched_off", "budget", "count"]
"""Why a fact that was found, or is pinned, isn't in the block.

An earlier message shows it already; the user doesn't want it this time; it would go beyond the
block's tokens; nearer ones have taken the places.
"""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a line says about its fact besides the dates.

    Attributes:
        stale: the user confirmed it too long ago.
        conflicting: another one says otherwise, and nobody has decided.
        contradicted: where the project says otherwise (`pom.xml:12`); "" nowhere.
    """

    stale: bool = False
    conflicting: bool = False
    contradicted: str = ""


F = TypeVar("F", bound=FactLine)


@dataclass(frozen=True, slots=True)
class Wish(Generic[F]):
    """What a block is made for.

    Attributes:
        budget: tokens of the whole block at most, tags and opening line included.
        now: the present, in the user's zone: dates are those of that zone.
        words: the language.
        tokens: estimates the tokens of a text.
        marks: what is known about a fact; asked for those that may stand in the block.
        pinned: ids of facts that always stand in it, as far as the budget goes; in this order.
        shown: ids of facts that stand in an earlier message of the live history.
        switched_off: ids of facts that the user left out.
        k: facts in the block at most; pinned ones count, but are never cut by it.
    """

    budget: int
    now: datetime
    words: Words
    tokens: Callable[[str], int]
    marks: Callable[[F], Marks]
    pinned: Sequence[str] = ()
    shown: Collection[str] = ()
    switched_off: Collection[str] = ()
    k: int = AT_MOST


@dataclass(frozen=True, slots=True)
class Taken(Generic[F]):
    """A fact in the block.

    Attributes:
        fact: which.
        line: as it stands there.
        pinned: whether it stands there whatever was asked.
    """

    fact: F
    line: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Left(Generic[F]):
    """A fact that was found or is pinned, and isn't in the block; and why."""

    fact: F
    why: LeftOut


@dataclass(frozen=True, slots=True)
class Injection(Generic[F]):
    """A block, and what was left out of it; all visible facts are accounted for.

    Attributes:
        taken: the pinned ones, then the nearest first.
        left: those left out.
        more: how many others have a word of the query, further away than those.
        unmatched: how many have none.
        text: the block; "" without facts.
        tokens: of the block.
    """

    taken: tuple[Taken[F], ...] = ()
    left: tuple[Left[F], ...] = ()
    more: int = 0
    unmatched: int = 0
    text: str = ""
    tokens: int = 0


async def inject(
    recall: Recall[F], query: str, project: Path | None, wish: Wish[F]
) -> Injection[F]:
    """The facts for a prompt as the block that follows it.

    Args:
        recall: over all facts.
        query: the user's own text, or the goal where that only says to go on; a blank one gives
            nothing, one without any word the pinned facts.
        project: its root; None: only global facts.
        wish: the rest.
    """
    seen = recall.visible(project)
    if not query.strip():
        return Injection(unmatched=len(seen))
    found = await recall.search(query, project, LISTED)
    by_id = {fact.id: fact for fact in seen} if wish.pinned else {}
    pinned = [by_id[one] for one in dict.fromkeys(wish.pinned) if one in by_id]
    return fill(found, pinned, wish)


def fill(found: Found[F], pinned: Sequence[F], wish: Wish[F]) -> Injection[F]:
    """Takes pinned facts, then the nearest, skipping each that doesn't fit.

    Args:
        found: of a search.
        pinned: visible facts.
        wish: the rest.
    """
    always = {fact.id for fact in pinned}
    taken: list[Taken[F]] = []
    left: list[Left[F]] = []
    room = wish.budget - wish.tokens(_block([], wish.words))
    for fact in (*pinned, *(one for one in found.facts if one.id not in always)):
        why = _out(fact, wish)
        if why is None and len(taken) >= wish.k and fact.id not in always:
            why = "count"
        if why is not None:
            left.append(Left(fact, why))
            continue
        line = fact_line(fact, wish.marks(fact), wish.now, wish.words)
        cost = wish.tokens(f"\n{line}")
        if cost > room:
            left.append(Left(fact, "budget"))
            continue
        room -= cost
        taken.append(Taken(fact, line, fact.id in always))
    text = _block([one.line for one in taken], wish.words)
    # Parts may cost less than the whole: estimates round.
    while taken and wish.tokens(text) > wish.budget:
        left.append(Left(taken.pop().fact, "budget"))
        text = _block([one.line for one in taken], wish.words)
    hit = {fact.id for fact in found.facts}
    unhit = sum(fact.id not in hit for fact in pinned)
    # A pinned fact that wasn't found lies among the others that the search counted.
    unmatched = max(0, found.unmatched - unhit)
    more = found.more - max(0, unhit - found.unmatched)
    if not taken:
        return Injection((), tuple(left), more, unmatched)
    return Injection(tuple(taken), tuple(left), more, unmatched, text, wish.tokens(text))


def fact_line(fact: FactLine, marks: Marks, now: datetime, words: Words) -> str:
    """One line: content · scope · written · verified · marks (DESIGN 4, "Recall").

    Args:
        fact: which.
        marks: what is known about it.
        now: the present, in the user's zone.
        words: the language.
    """
    parts = [
        line_text(fact.content),
        words("recall.project" if fact.scope == "project" else "recall.global"),
    ]
    if fact.timestamp is not None:
        parts.append(words("recall.written", date=_date(fact.timestamp, now)))
    if fact.verified is not None:
        parts.append(words("recall.verified", date=_date(fact.verified, now)))
    else:
        parts.append(words("recall.unverified"))
    if marks.stale:
        parts.append(words("recall.stale"))
    if marks.contradicted:
        place = neutralise(visible(marks.contradicted))
        parts.append(words("recall.contradicted", place=place))
    if marks.conflicting:
        parts.append(words("recall.conflicting"))
    return "- " + " · ".join(parts)


def line_text(content: str) -> str:
    """A fact's text as its line has it: on one line, closing no block."""
    return neutralise(one_line(content))


def _out(fact: FactLine, wish: Wish[F]) -> LeftOut | None:
    if fact.id in wish.switched_off:
        return "switched_off"
    return "shown" if fact.id in wish.shown else None


def _block(lines: Sequence[str], words: Words) -> str:
    return block("memory", "\n".join([words("recall.opening"), *lines]))


def _date(at: datetime, now: datetime) -> str:
    return at.astimezone(now.tzinfo).date().isoformat()
