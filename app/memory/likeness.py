"""What a new fact repeats and contradicts, among ten thousand: only near ones are compared.

A pair costs a millisecond (RECALL 2), so the index says which facts are near: by the words of the
new one, and by those that stand for them in a contradiction. Facts that the index doesn't know yet,
as another program has just written them, are ranked here.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from app.archive.fact_index import Entry, FactIndex, Query
from app.memory.claim_related import related_words
from app.memory.fact_outcomes import Clash, Likeness
from app.memory.facts import Fact
from app.memory.recall import scope_of
from app.memory.segment import query_terms, segment
from app.memory.similarity import COMPARED, compare
from app.memory.slots import Cut, jieba_words

_NEAR: Final = COMPARED
"""Facts that are looked at for the text's own words; a duplicate has them all, so it is first."""

_RELATED: Final = COMPARED // 2
"""The same for words that stand for them in a contradiction."""

_LOOKED_AT: Final = 2_000
"""Facts that the index looks at for the rarest words (`Query.most_facts`): of RECALL's pairs among
5,300 texts as many conflicts are found as without a limit; 1,500 lose some, and 10,000 facts cost
five times as much."""

_UNKNOWN: Final = 200
"""Facts that the index may not know, before it is told of them."""


class Likenesses:
    """Compares with what the index finds (`fact_outcomes.Compare`); called in a thread."""

    def __init__(self, index: FactIndex, cut: Cut = jieba_words) -> None:
        """Compares nothing yet.

        Args:
            index: of the facts; what is found in it is checked against the facts given.
            cut: makes words of a run of Chinese.
        """
        self._index = index
        self._cut = cut
        self._domain = _Domain({})

    def __call__(self, content: str, others: Sequence[Fact]) -> Likeness:
        """What a text repeats and contradicts.

        Args:
            content: the text.
            others: the facts of its domain as the file has them now.
        """
        domain = self._taken_in(others)
        equal = domain.equal.get(content)
        if equal is not None:
            return Likeness(equal)
        near = self._near(content, domain)
        similar = compare(content, [fact.content for fact in near], self._cut, questions=False)
        same = next((near[one.place] for one in similar if one.kind == "duplicate"), None)
        if same is not None:
            return Likeness(same)
        return Likeness(
            None, tuple(Clash(near[one.place], one.kind) for one in similar if one.is_conflict)
        )

    def _near(self, content: str, domain: "_Domain") -> list[Fact]:
        """The facts to compare with, the nearest first."""
        if len(domain.facts) <= COMPARED:
            return list(domain.facts)
        own = query_terms(content)
        related = query_terms(" ".join(related_words(content, self._cut)))
        unknown = self._unknown(domain)
        scopes = (scope_of(domain.facts[0]) or "",)
        hits = self._index.nearest_now(
            Query(tuple(own), scopes, _NEAR, most_facts=_LOOKED_AT),
            Query(tuple(related), scopes, _RELATED, most_facts=_LOOKED_AT),
        )
        lists = [
            _nearest(own + related, unknown),
            *([domain.places[hit.id] for hit in some if hit.id in domain.places] for some in hits),
        ]
        # All in turn: a contradiction may share no word with the text.
        taken: dict[str, Fact] = {}
        for place in range(max(map(len, lists))):
            taken |= {one[place].id: one[place] for one in lists if place < len(one)}
        return list(taken.values())

    def _taken_in(self, others: Sequence[Fact]) -> "_Domain":
        """The domain of these facts; as a rule they are those of the last time, and one more."""
        entries, domain = self._index.entries, self._domain
        known = len(domain.facts)
        if (
            entries is not domain.entries
            or domain.facts != list(others[:known])  # the same objects as a rule: that is quick
        ):
            domain = self._domain = _Domain(entries)
            known = 0
        for fact in others[known:]:
            domain.add(fact)
        return domain

    def _unknown(self, domain: "_Domain") -> Sequence[Fact]:
        """Those that the index doesn't have as they are; it is told of them when they are many."""
        if len(domain.unknown) <= _UNKNOWN:
            return domain.unknown
        told = dict(domain.entries)
        for fact in domain.unknown:
            told[fact.id] = Entry(fact.id, fact.content, scope_of(fact) or "")
        self._index.put_now(told.values())
        return []


@dataclass(slots=True)
class _Domain:
    """The facts of a domain, and what is found in them again and again.

    Attributes:
        entries: what the index had.
        facts: in the file's order.
        places: by id.
        equal: the first of each content.
        unknown: those that the index doesn't have as they are.
    """

    entries: Mapping[str, Entry]
    facts: list[Fact] = field(default_factory=list)
    places: dict[str, Fact] = field(default_factory=dict)
    equal: dict[str, Fact] = field(default_factory=dict)
    unknown: list[Fact] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        """One more behind the others."""
        self.facts.append(fact)
        self.places[fact.id] = fact
        self.equal.setdefault(fact.content, fact)
        entry = self.entries.get(fact.id)
        if entry is None or entry.content != fact.content:
            self.unknown.append(fact)


def _nearest(terms: Collection[str], facts: Sequence[Fact]) -> list[Fact]:
    """Facts that share a term, those with the most first; rare terms count more."""
    wanted = frozenset(terms)
    shared = {fact.id: wanted & _terms(fact.content) for fact in facts}
    often = Counter(term for found in shared.values() for term in found)
    weight = {
        name: sum(1 / often[term] for term in found) for name, found in shared.items() if found
    }
    near = [fact for fact in facts if fact.id in weight]
    return sorted(near, key=lambda fact: (-weight[fact.id], fact.id))[:_NEAR]


@lru_cache(1_024)
def _terms(content: str) -> frozenset[str]:
    return frozenset(segment(content))
