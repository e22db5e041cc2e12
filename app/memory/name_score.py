"""How likely a name is needed again: one score for all kinds.

NAMES 4.2: log-odds, fitted on half of the recorded sessions, of being used in arguments within 80
steps. Notes, pointers and the recovery block ask the same function, so names of three kinds compete
on one scale. All logarithms are of 1 + x.
"""

from collections.abc import Iterable, Mapping
from math import log1p

from app.memory.name_calls import Work
from app.memory.name_index import NameIndex, Record
from app.memory.names import Found, Name

FLOOR = -7.5
"""A name that scores less is never listed (NAMES 4.10; there -6.5, `g_m65`). At 128K it misses a
quarter less than -7.0 does, for 0.6 % more tokens (27 recorded sessions)."""

_OWN = 0.2
"""What the agent or the user named themselves counts so much more than as it was fitted: to miss it
weighs more than to miss what merely stood in a result. On the recorded sessions a third less of it
is missing at 64K (4 of 2,331 steps, 6 without), nothing more at other windows (27 sessions)."""

_NEAR = 20
"""Steps within which a touched folder lifts its paths (NAMES 4.2)."""

_CHARACTERS_OF_A_TOKEN = 4.0
"""Of a name: about what the tokenizers make of it; the score takes a logarithm of it."""

_PATH_WORK: Mapping[Work, float] = {
    "grep": 1.5,
    "other": 0.8,
    "edit": 0.5,
    "read": 0.3,
    "shell": -0.1,
    "list": -0.6,
    "body": -0.7,
}
_SYMBOL_WORK: Mapping[Work, float] = {
    "other": 0.5,
    "grep": 0.2,
    "read": -0.4,
    "edit": -0.4,
    "list": -0.8,
    "body": -0.8,
    "shell": -1.3,
}
_COMMAND_WORK: Mapping[Work, float] = {"read": 0.8, "shell": 0.5, "grep": -2.0}


class Ranking:
    """The scores at one moment; made anew for each note and each point, as they change with steps.

    A score is worked out once.
    """

    def __init__(self, index: NameIndex, goal: str = "") -> None:
        """Asks an index.

        Args:
            index: what the conversation held; nothing is to be added to it as long as the ranking
                is used, perhaps in a thread. What came before may be joined meanwhile.
            goal: the user's goal, whose names weigh more; "" if there is none.
        """
        self.index = index = index.at_this_moment()
        self._step, self._asked = index.step, index.newest_user
        self._goal = frozenset(found.name for found in index.read(goal)) if goal else frozenset()
        self._scores: dict[Name, float] = {}

    def score(self, name: Name) -> float:
        """The score of a name in the index; of another one as if it stood in the newest result."""
        return self.of(Found(name))

    def of(self, found: Found) -> float:
        """The score of a name found in a text, which the index need not know (a long text)."""
        name = found.name
        score = self._scores.get(name)
        if score is None:
            record = self.index.record(name) or Record(
                messages=1, count=found.count, step=self._step, defined=found.defined
            )
            score = self._scores[name] = self._score(name, record)
        return score

    def best_first(self, names: Iterable[Found] | None = None) -> list[Name]:
        """Names by score, none under the floor; equal ones in the order of their text.

        Args:
            names: of a text; None: all names of the index.
        """
        if names is None:
            scores = {name: self.score(name) for name in self.index.names()}
        else:
            scores = {found.name: self.of(found) for found in names}
        kept = [name for name, score in scores.items() if score >= FLOOR]
        return sorted(kept, key=lambda name: (-scores[name], name))

    def _score(self, name: Name, record: Record) -> float:
        match name.kind:
            case "path":
                score = self._path(name, record)
            case "symbol":
                score = self._symbol(name, record)
            case "command":
                score = self._command(name, record)
        return score - 0.5 * log1p(len(name.text) / _CHARACTERS_OF_A_TOKEN)

    def _path(self, name: Name, record: Record) -> float:
        step = self._step
        score = -3.3 - 0.5 * log1p(step - record.step)
        score += 0.4 * log1p(record.count) - 0.2 * log1p(record.messages)
        if record.own:
            score += 1.8 + _OWN + 0.2 * log1p(record.arguments)
        score += 2.0 * (name in self._asked) + 0.6 * (name in self._goal)
        touched = self.index.folder_step(name.text.rpartition("/")[0])
        score += 0.4 * (touched > 0 and step - touched <= _NEAR)
        return score + _worked(_PATH_WORK, record)

    def _symbol(self, name: Name, record: Record) -> float:
        score = -5.6 - 0.2 * log1p(self._step - record.step)
        score += 0.3 * log1p(record.messages) + 0.15 * log1p(record.count)
        if record.own:
            score += 1.7 + _OWN - 0.2 * log1p(self._step - record.own_step)
        score += 1.7 * record.defined + 0.4 * record.user
        score += 0.4 * (name in self._asked) + 0.4 * (name in self._goal)
        return score + _worked(_SYMBOL_WORK, record)

    def _command(self, name: Name, record: Record) -> float:
        score = -4.5 - 0.3 * log1p(self._step - record.step)
        score += 2.0 * log1p(record.count) - 2.0 * log1p(record.messages)
        if record.own:
            score += 3.0 + _OWN - 0.2 * log1p(self._step - record.own_step)
            score += 1.3 * log1p(record.arguments)
        score += 2.0 * (name in self._asked)
        return score + _worked(_COMMAND_WORK, record)


def _worked(by_work: Mapping[Work, float], record: Record) -> float:
    return 0.0 if record.work is None else by_work.get(record.work, 0.0)
