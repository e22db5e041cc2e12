"""Which entities are nearest to the task: what the recovery block tells first.

One score for all kinds, that of names (NAMES 4.2), plus what the worklog knows besides: how long
ago and how often something was touched, that it was changed or failed, and above all that the open
todo or the present request names it. What was touched long ago and is named by nothing fades: a
file that was read once goes under the floor of names after about a thousand steps.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from math import log1p
from typing import NamedTuple

from app.conversation.work import EntityKind
from app.conversation.work_state import Entity
from app.memory.name_commands import command_of
from app.memory.name_score import Ranking
from app.memory.name_tables import LISTING, READING, SEARCHING
from app.memory.names import Found, Name, NameKind
from app.memory.worklog import Worklog

_FLOOR = -7.0
"""What scores less has faded (a line of its own costs more than a name in a list)."""

_FIRST_TODO, _TODO, _REQUEST = 30.0, 20.0, 6.0
"""What the first open todo, another one, and the request add when they name an entity: a todo beats
any recency, which makes less than 15."""

_WORDS = 0.25
"""The part of it for one that only shares its words."""

_OWN, _SAID = 1.7, 1.7
"""What the score of a name gives for being the agent's own and defined (NAMES 4.2), for entities
whose name the index doesn't hold as it is."""

_LOOKS = LISTING | SEARCHING | READING | frozenset({"cd", "pwd", "echo", "which", "wc", "true"})
_KINDS: dict[str, NameKind] = {"file": "path", "command": "command"}
_HUMPS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d{3,}")
_PIECE = re.compile(r"[A-Za-z0-9_]")
_PIECES = re.compile(r"[A-Za-z0-9_]+")
_LONGEST_TEXT = 8_000
_REMEMBERED = 1 << 15
"""Names of which what never changes is kept: more than a worklog holds, about 30 MB at the most."""

NOTED = 15
"""Changed files with what was done to them; of older ones the name alone is told."""


def nearest(
    worklog: Worklog, ranking: Ranking, request: str, n: int, *, told: Iterable[Entity] = ()
) -> tuple[Entity, ...]:
    """The entities nearest to the task, best first; equal ones newest touch first.

    Of commands that are called alike (`git commit -m …`) there is one, the best. Asked on the event
    loop while the work is on screen: what names and texts alone tell is worked out once.

    Args:
        worklog: what was done.
        ranking: the scores of names at this moment.
        request: what the user asked for last.
        n: at most so many.
        told: they stand elsewhere in the block.
    """
    left_out = {(entity.kind, entity.name) for entity in told}
    lift = _aims(worklog.progress.todo, request).lift
    step = worklog.step
    scored: list[tuple[float, int, Entity]] = []
    commands: dict[str, tuple[float, int, Entity]] = {}
    for place, entity in enumerate(worklog.entities()):
        kind, name = key = entity.kind, entity.name
        # The project itself is near to everything.
        if key in left_out or name == ".":
            continue
        known = _known(kind, name)
        score = _score(entity, known, step, ranking) + lift(key, known)
        if score < _FLOOR:
            continue
        if kind != "command":
            scored.append((-score, place, entity))
        elif known.called not in commands or -score < commands[known.called][0]:
            commands[known.called] = (-score, place, entity)
    return tuple(entity for _, _, entity in nsmallest(n, chain(scored, commands.values())))


class _Known(NamedTuple):
    """What an entity's kind and name alone tell, whatever was done to it.

    Attributes:
        found: its name as the index knows it; commands that are alike have one.
        looks: a command that only looks.
        forms: how a text may name it, each with a run of letters and digits that then stands in the
            text as well; "" for a form without one.
        words: of its name.
    """

    found: Found
    looks: bool
    forms: tuple[tuple[str, str], ...]
    words: frozenset[str]

    @property
    def called(self) -> str:
        """What commands that are alike have in common; of all else its name."""
        return self.found.name.text


@lru_cache(maxsize=_REMEMBERED)
def _known(kind: EntityKind, name: str) -> _Known:
    text = command_of(name) or name if kind == "command" else name
    return _Known(
        Found(Name(_KINDS.get(kind, "symbol"), text)),
        kind == "command" and name.partition(" ")[0] in _LOOKS,
        tuple(
            (form, max(_PIECES.findall(form), key=len, default="")) for form in _forms(kind, name)
        ),
        frozenset(word.lower() for word in _HUMPS.findall(name[-80:])),
    )


def _score(entity: Entity, known: _Known, step: int, ranking: Ranking) -> float:
    age = log1p(max(0, step - entity.step))
    score = ranking.of(known.found)
    if known.found.name not in ranking.index:
        score += _OWN - 0.3 * age
        if entity.kind in {"table", "identifier"}:
            score += _SAID
    score += 0.2 * log1p(entity.times) - 0.2 * age
    score += 1.0 * (entity.changed is not None)
    if known.looks:
        score -= 2.0
    elif not entity.ok:
        score += 0.8
    if entity.action == "searched":
        score -= 1.0
    return score


@lru_cache(maxsize=4)
def _aims(todo: tuple[str, ...], request: str) -> "_Aims":
    """They are the same for many steps."""
    return _Aims(todo, request)


class _Aims:
    """What may name entities: the open todo and the request.

    Which of its texts hold a word is looked up, so that an entity that none of them names costs
    next to nothing, however many there are; and what one adds is worked out once.
    """

    def __init__(self, todo: Iterable[str], request: str) -> None:
        self._lifts: dict[tuple[EntityKind, str], float] = {}
        texts = [request, *todo]
        self._texts = [text[:_LONGEST_TEXT].lower() for text in texts]
        self._holding: dict[str, list[int]] = {}
        self._sharing: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            for run in frozenset(_PIECES.findall(self._texts[number])):
                self._holding.setdefault(run, []).append(number)
            said = _HUMPS.findall(text[:_LONGEST_TEXT])
            for word in frozenset(word.lower() for word in said):
                self._sharing.setdefault(word, []).append(number)

    def lift(self, key: tuple[EntityKind, str], known: _Known) -> float:
        """What it adds that they name an entity; of several todos the one that adds most counts."""
        lift = self._lifts.get(key)
        if lift is None:
            if len(self._lifts) >= _REMEMBERED:
                self._lifts.clear()
            lift = self._lifts[key] = self._lift(known)
        return lift

    def _lift(self, known: _Known) -> float:
        named = dict.fromkeys(self._naming(known), 1.0)
        if not known.words.isdisjoint(self._sharing):
            shared = Counter(
                number for word in known.words for number in self._sharing.get(word, ())
            )
            for number, count in shared.items():
                named.setdefault(number, _WORDS * count / len(known.words))
        if not named:
            return 0.0
        asked = named.pop(0, 0.0)
        lifts = (by * (_FIRST_TODO if number == 1 else _TODO) for number, by in named.items())
        return max(lifts, default=0.0) + _REQUEST * asked

    def _naming(self, known: _Known) -> Iterable[int]:
        """The texts that name it by its name, or a file by its last part."""
        for form, run in known.forms:
            for number in self._holding.get(run, ()) if run else range(len(self._texts)):
                if _holds(self._texts[number], form):
                    yield number


def _holds(text: str, form: str) -> bool:
    """Whether a text holds a form as a word of its own."""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (_PIECE.match(form[0]) and _PIECE.match(before)) and not _PIECE.match(after):
            return True
        at = text.find(form, at + 1)
    return False


def _forms(kind: EntityKind, name: str) -> Iterable[str]:
    name = name.lower()
    yield name
    if kind == "file":
        last = name.rpartition("/")[2]
        if len(last) > 3:
            yield last
        stem = last.partition(".")[0]
        # `worklog` for `worklog.py`; a short one is a word like any other.
        if len(stem) > 5:
            yield stem
    elif kind == "table" and "." in name:
        column = name.rpartition(".")[2]
        if len(column) > 4:
            yield column
    elif kind == "identifier" and name.startswith(":"):
        yield name[1:]
