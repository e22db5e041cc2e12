"""Which facts a prompt makes one think of: those of this project and the global ones, by its words.

The index behind it (`archive.fact_index`) holds nothing but what `update` was given. What another
project wrote is never found: the index looks into the scopes asked for only, and each hit is
checked against the fact itself once more.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, Literal, Protocol, TypeVar

from app.archive.fact_index import Entry, FactIndex, Query
from app.memory.facts import project_key
from app.memory.segment import query_terms

AT_MOST: Final = 10
"""Facts in one prompt (DESIGN 4, "Recall")."""

_READ: Final = 2_000
"""Characters at the beginning and at the end of a query that count: there stands what is asked."""

_GLOBAL: Final = ""
"""The scope of facts that every project sees; those of projects go by their path."""

_LONG_AGO: Final = float("-inf")


class FactLine(Protocol):
    """What recall needs to know of a fact (`facts.Fact`)."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def content(self) -> str:
        """What is remembered; foreign text."""

    @property
    def scope(self) -> Literal["global", "project"]:
        """Where it holds."""

    @property
    def project(self) -> str:
        """The path of its project; "" for a global one."""

    @property
    def timestamp(self) -> datetime | None:
        """When it was written; None: unknown."""

    @property
    def verified(self) -> datetime | None:
        """When the user last confirmed it; None: never."""


F = TypeVar("F", bound=FactLine)


@dataclass(frozen=True, slots=True)
class Found(Generic[F]):
    """What a search gives.

    Attributes:
        facts: the nearest first; of equally near ones the one confirmed or written last.
        more: how many other visible facts have a word of the query.
        unmatched: how many visible facts have none.
    """

    facts: tuple[F, ...]
    more: int
    unmatched: int


class Recall(Generic[F]):
    """The facts as they were last told, and the index over them."""

    def __init__(self, index: FactIndex) -> None:
        """Knows no facts yet.

        Args:
            index: cuts by `segment.segment`, at `segment.VERSION`.
        """
        self._index = index
        self._known: _Known[F] = _Known({}, Counter())

    async def update(self, facts: Sequence[F]) -> None:
        """Says what all the facts are, of every project; to be called when the file has changed.

        Args:
            facts: in the file's order; of several with one id the first counts.
        """
        known, entries = await asyncio.to_thread(_prepared, facts)
        await self._index.put(entries)
        self._known = known

    def visible(self, project: Path | None) -> list[F]:
        """The facts that a project sees, in the file's order.

        Args:
            project: its root; None: only the global ones.
        """
        known = self._known
        scopes = known.scopes(project)
        return [fact for _, fact in known.facts.values() if scope_of(fact) in scopes]

    async def search(self, query: str, project: Path | None, k: int = AT_MOST) -> Found[F]:
        """The facts nearest to a query that a project sees; none for a query without words.

        Args:
            query: any text; only its first and last 2,000 characters count.
            project: its root; None: only global facts.
            k: how many at most.
        """
        known = self._known
        scopes = known.scopes(project)
        visible = sum(known.sizes[scope] for scope in scopes)
        hits = await self._index.search(Query(tuple(query_terms(_ends(query))), scopes, k))
        near = [
            (-round(hit.score, 9), -_last(fact), place, fact)
            for hit in hits.nearest
            if hit.id in known.facts
            for place, fact in [known.facts[hit.id]]
            if scope_of(fact) in scopes
        ]
        near.sort(key=lambda one: one[:3])
        found = tuple(fact for *_, fact in near[:k])
        return Found(found, max(0, hits.all - len(found)), max(0, visible - hits.all))


@dataclass(frozen=True, slots=True)
class _Known(Generic[F]):
    """The facts by id, each with its place in the file; and how many each scope has."""

    facts: Mapping[str, tuple[int, F]]
    sizes: Counter[str]

    def scopes(self, project: Path | None) -> tuple[str, ...]:
        """What a project sees; other spellings of its path count where they are the same folder."""
        key = None if project is None else project_scope(str(project))
        if key is None:
            return (_GLOBAL,)
        folded = key.casefold()
        others = (one for one in self.sizes if one != key and one.casefold() == folded)
        return (_GLOBAL, key, *(one for one in others if _same_folder(one, key)))


def scope_of(fact: FactLine) -> str | None:
    """Who sees a fact: a scope to compare; None: nobody (a project's without its path)."""
    return project_scope(fact.project) if fact.scope == "project" else _GLOBAL


def project_scope(path: str) -> str | None:
    """A project's scope: its key; None where it has none (`facts.project_key`)."""
    return project_key(path) or None


def _same_folder(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def _prepared(facts: Sequence[F]) -> tuple[_Known[F], list[Entry]]:
    """The facts by id, and what the index gets of them; those that nobody sees stay out of it."""
    known: dict[str, tuple[int, F]] = {}
    sizes: Counter[str] = Counter()
    entries: list[Entry] = []
    for place, fact in enumerate(facts):
        scope = scope_of(fact)
        if fact.id not in known and scope is not None:
            known[fact.id] = place, fact
            sizes[scope] += 1
            entries.append(Entry(fact.id, fact.content, scope))
    return _Known(known, sizes), entries


def _ends(query: str) -> str:
    return query if len(query) <= 2 * _READ else f"{query[:_READ]} {query[-_READ:]}"


def _last(fact: FactLine) -> float:
    """When it was last confirmed, else written; seconds since 1970."""
    at = fact.verified or fact.timestamp
    return _LONG_AGO if at is None else at.timestamp()
