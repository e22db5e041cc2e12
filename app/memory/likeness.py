"""What a new fact repeats and contradicts, among ten thousand: only near ones are compared.

A pair costs a millisecond (RECALL 2), so the index says which facts are near: by the words of the
new one, and by those that stand for them in a contradiction. Facts that the index doesn't know yet,
as another program has just written them, are ranked here.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from app.archive.fact_index import Entry, FactIndex, Nearest, Query
from app.memory.claim_related import related_words
from app.memory.fact_outcomes import Clash, Likeness
from app.memory.facts import Draft, Fact
from app.memory.recall import project_scope, scope_of
from app.memory.segment import query_terms, segment
from app.memory.similarity import COMPARED, compare
from app.memory.slots import Cut, jieba_words

_NEAR: Final = COMPARED
"""Facts that are looked at for the text's own words; a duplicate has them all, so it is first."""

_RELATED: Final = COMPARED // 2
"""The same for words that stand for them in a contradiction."""

_LOOKED_AT: Final = 2_000
"""Facts that the index looks at for the rarest words (`Query.most_facts`). Of RECALL's pairs the
rules call 347 a conflict; each first text among 7,886, the second of 312 is found, of 311 with
1,000, of 308 without a limit: common words bring others before it. And of 10,000 facts a question
without a limit takes two and a half times as long (2.5 against 0.9 ms)."""

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
        self._asked: _Asked | None = None

    def ahead(self, draft: Draft) -> None:
        """Asks the index now what will be compared in a moment (`fact_outcomes.Foreseeing`).

        Of few facts all are compared. What the facts are is only known later: an answer for others
        than the index then has is thrown away, and what it doesn't know is ranked beside it.
        """
        if len(self._index.entries) > COMPARED:
            scope = project_scope(draft.project) if draft.scope == "project" else ""
            self._asked = self._ask(draft.content, scope or "")

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
        if len(domain.unknown) > _UNKNOWN:
            told = dict(domain.entries)
            told |= {one.id: Entry(one.id, one.content, domain.scope) for one in domain.unknown}
            self._index.put_now(told.values())
            domain = self._domain = _Domain.of(self._index.entries, domain.facts)
        asked, found = self._found(content, domain)
        if found.entries is not domain.entries:  # it was told of others meanwhile
            domain = self._domain = _Domain.of(found.entries, domain.facts)
        places = domain.places
        lists = [
            _nearest(asked.terms, domain.unknown),
            *([places[hit.id] for hit in hits if hit.id in places] for hits in found.hits),
        ]
        # All in turn: a contradiction may share no word with the text.
        taken: dict[str, Fact] = {}
        for place in range(max(map(len, lists))):
            taken |= {one[place].id: one[place] for one in lists if place < len(one)}
        return list(taken.values())

    def _found(self, content: str, domain: "_Domain") -> "tuple[_Asked, Nearest]":
        """What the index finds: what it was asked ahead, if that still holds."""
        asked = self._asked
        if asked is not None and (asked.content, asked.scope) == (content, domain.scope):
            found = asked.answer.result()
            if found.entries is domain.entries:
                return asked, found
        asked = self._ask(content, domain.scope)
        return asked, asked.answer.result()

    def _ask(self, content: str, scope: str) -> "_Asked":
        own = query_terms(content)
        related = query_terms(" ".join(related_words(content, self._cut)))
        answer = self._index.nearest(
            Query(tuple(own), (scope,), _NEAR, most_facts=_LOOKED_AT),
            Query(tuple(related), (scope,), _RELATED, most_facts=_LOOKED_AT),
        )
        return _Asked(content, scope, frozenset((*own, *related)), answer)

    def _taken_in(self, others: Sequence[Fact]) -> "_Domain":
        """The domain of these facts; as a rule they are those of the last time, and one more."""
        entries, domain = self._index.entries, self._domain
        known = len(domain.facts)
        if (
            entries is not domain.entries
            or domain.facts != list(others[:known])  # the same objects as a rule: that is quick
        ):
            domain = self._domain = _Domain.of(entries, others)
        else:
            for fact in others[known:]:
                domain.add(fact)
        return domain


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the index was asked: a text and a scope, the terms of both queries, the answer."""

    content: str
    scope: str
    terms: frozenset[str]
    answer: Future[Nearest]


@dataclass(slots=True)
class _Domain:
    """The facts of a domain, and what is found in them again and again.

    Attributes:
        entries: what the index had.
        scope: the one of all of them.
        facts: in the file's order.
        places: by id.
        equal: the first of each content.
        unknown: those that the index doesn't have as they are.
    """

    entries: Mapping[str, Entry]
    scope: str = ""
    facts: list[Fact] = field(default_factory=list)
    places: dict[str, Fact] = field(default_factory=dict)
    equal: dict[str, Fact] = field(default_factory=dict)
    unknown: list[Fact] = field(default_factory=list)

    @classmethod
    def of(cls, entries: Mapping[str, Entry], facts: Sequence[Fact]) -> "_Domain":
        """These facts beside what the index has."""
        domain = cls(entries, (scope_of(facts[0]) or "") if facts else "")
        for fact in facts:
            domain.add(fact)
        return domain

    def add(self, fact: Fact) -> None:
        """One more behind the others."""
        self.facts.append(fact)
        self.places[fact.id] = fact
        self.equal.setdefault(fact.content, fact)
        entry = self.entries.get(fact.id)
        if entry is None or entry.content != fact.content or entry.scope != self.scope:
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
