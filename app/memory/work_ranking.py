"""Which entities are nearest to the task: what the recovery block tells first.

One score for all kinds, that of names (NAMES 4.2), plus what the worklog knows besides: how long
ago and how often something was touched, that it was changed or failed, and above all that the open
todo or the present request names it. What was touched long ago and is named by nothing fades: a
file that was read once goes under the floor of names after about a thousand steps.
"""

import re
from collections.abc import Iterable
from heapq import nsmallest
from math import log1p

from app.conversation.work_state import Entity
from app.memory.name_commands import command_of
from app.memory.name_score import Ranking
from app.memory.name_tables import LISTING, READING, SEARCHING
from app.memory.names import Name, NameKind
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
_LONGEST_TEXT = 8_000


NOTED = 15
"""Changed files with what was done to them; of older ones the name alone is told."""


def nearest(
    worklog: Worklog, ranking: Ranking, request: str, n: int, *, told: Iterable[Entity] = ()
) -> tuple[Entity, ...]:
    """The entities nearest to the task, best first; equal ones newest touch first.

    Of commands that are called alike (`git commit -m …`) there is one, the best.

    Args:
        worklog: what was done.
        ranking: the scores of names at this moment.
        request: what the user asked for last.
        n: at most so many.
        told: they stand elsewhere in the block.
    """
    left_out = {entity.key for entity in told}
    todo = [_Text(one) for one in worklog.progress.todo]
    asked = _Text(request)
    scored: dict[tuple[str, str], tuple[float, int, Entity]] = {}
    for place, entity in enumerate(worklog.entities()):
        # The project itself is near to everything.
        if entity.key in left_out or entity.name == ".":
            continue
        score = _score(entity, worklog.step, ranking) + _lift(entity, todo, asked)
        key = (entity.kind, _called(entity))
        if score >= _FLOOR and (key not in scored or -score < scored[key][0]):
            scored[key] = (-score, place, entity)
    return tuple(entity for _, _, entity in nsmallest(n, scored.values()))


def _called(entity: Entity) -> str:
    """What commands that are alike have in common; of all else its name."""
    return command_of(entity.name) or entity.name if entity.kind == "command" else entity.name


def _score(entity: Entity, step: int, ranking: Ranking) -> float:
    name = Name(_KINDS.get(entity.kind, "symbol"), entity.name)
    if entity.kind == "command":
        name = Name("command", command_of(entity.name) or entity.name)
    age = log1p(max(0, step - entity.step))
    score = ranking.score(name)
    if name not in ranking.index:
        score += _OWN - 0.3 * age
        if entity.kind in {"table", "identifier"}:
            score += _SAID
    score += 0.2 * log1p(entity.times) - 0.2 * age
    score += 1.0 * (entity.changed is not None)
    if entity.kind == "command" and entity.name.partition(" ")[0] in _LOOKS:
        score -= 2.0
    elif not entity.ok:
        score += 0.8
    if entity.action == "searched":
        score -= 1.0
    return score


class _Text:
    """A text that may name entities."""

    def __init__(self, text: str) -> None:
        self.text = text[:_LONGEST_TEXT].lower()
        self.words = frozenset(word.lower() for word in _HUMPS.findall(text[:_LONGEST_TEXT]))

    def names(self, entity: Entity) -> float:
        """1: by its name, or a file by its last part; `_WORDS` at most: by its words; 0."""
        if not self.text:
            return 0.0
        if any(self._holds(form) for form in _forms(entity)):
            return 1.0
        if not self.words:
            return 0.0
        own = {word.lower() for word in _HUMPS.findall(entity.name[-80:])}
        shared = own & self.words
        return _WORDS * len(shared) / len(own) if shared else 0.0

    def _holds(self, form: str) -> bool:
        """Whether it stands there as a word of its own."""
        at = self.text.find(form)
        while at >= 0:
            end = at + len(form)
            before, after = self.text[at - 1 : at], self.text[end : end + 1]
            if not (_PIECE.match(form[0]) and _PIECE.match(before)) and not _PIECE.match(after):
                return True
            at = self.text.find(form, at + 1)
        return False


def _forms(entity: Entity) -> Iterable[str]:
    name = entity.name.lower()
    yield name
    if entity.kind == "file":
        last = name.rpartition("/")[2]
        if len(last) > 3:
            yield last
        stem = last.partition(".")[0]
        # `worklog` for `worklog.py`; a short one is a word like any other.
        if len(stem) > 5:
            yield stem
    elif entity.kind == "table" and "." in name:
        column = name.rpartition(".")[2]
        if len(column) > 4:
            yield column
    elif entity.kind == "identifier" and name.startswith(":"):
        yield name[1:]


def _lift(entity: Entity, todo: list[_Text], asked: _Text) -> float:
    lift = 0.0
    for number, text in enumerate(todo):
        named = text.names(entity)
        lift = max(lift, named * (_TODO if number else _FIRST_TODO))
    return lift + _REQUEST * asked.names(entity)
