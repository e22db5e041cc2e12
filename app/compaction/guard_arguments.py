"""Cuts the arguments of calls down, where the window is full and nothing else helps (`guard`).

A call stays one that could have been made: a JSON object with the same keys. What is longest goes
first: texts, wherever they stand, then lists of many pieces, as an edit at twenty places has one.
Of each its beginning and its end stay, and between them stands how much was left out.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from app.conversation.arguments import arguments_of
from app.conversation.messages import ToolCall
from app.conversation.truncate import cut
from app.conversation.window import RULES, Rules
from app.text import Words

GUARD_PARTS = 12
"""`Rules.guard_head` and `guard_tail` are parts of so many."""

LINE_ENDS = 2
"""Around what is said of the part that was left out."""

_BETWEEN = 2
"""Between two pieces of a list."""

_Way = tuple[str | int, ...]
"""The keys and places that lead to a value in a call's arguments."""


def shorter_calls(
    calls: Sequence[ToolCall], words: Words, rules: Rules = RULES
) -> Iterator[tuple[ToolCall, ...]]:
    """A step's calls, each time with one value less; until nothing longer than the least is left.

    Args:
        calls: as the model made them; one with broken arguments stays as it is.
        words: the language of results.
        rules: the numbers.
    """
    made = list(calls)
    values: list[Any] = [arguments_of(call.arguments) for call in calls]
    shorten = _Shorten(words, rules)
    for kind in (str, list):
        for place, way in _longest(values, kind, rules.guard_least):
            value = values[place]
            for key in way[:-1]:
                value = value[key]
            value[way[-1]] = shorten(value[way[-1]])
            made[place] = replace(made[place], arguments=_json(values[place]))
            yield tuple(made)


def _longest(values: Sequence[Any], kind: type, least: int) -> list[tuple[int, _Way]]:
    """Where the values of a kind with more characters are, the longest first.

    None stands within another: of nested lists only the outermost is told.
    """
    found: list[tuple[int, int, _Way]] = []
    for place, arguments in enumerate(values):
        left: list[tuple[_Way, object]] = [((), arguments)]
        while left:
            way, value = left.pop()
            size = _size(value) if isinstance(value, kind) else 0
            if size > least:
                found.append((size, place, way))
            elif isinstance(value, dict):
                left.extend(((*way, key), one) for key, one in value.items())
            elif isinstance(value, list):
                left.extend(((*way, number), one) for number, one in enumerate(value))
    return [(place, way) for _, place, way in sorted(found, key=lambda one: -one[0])]


def _size(value: object) -> int:
    """Characters of a text, or of anything else as it is sent."""
    return len(value) if isinstance(value, str) else len(_json(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Shorten:
    """Cuts a value to the least that stays of one."""

    def __init__(self, words: Words, rules: Rules) -> None:
        self._words = words
        self._rules = rules

    def __call__(self, value: str | list[object]) -> str | list[object]:
        """Its beginning, what was left out, its end."""
        return self._text(value) if isinstance(value, str) else self._pieces(value)

    def _text(self, value: str) -> str:
        head, tail = self._shares(len(value))
        piece = cut(value, head + tail, head)
        if piece is None:
            return value
        return f"{piece.head}\n{self._left_out(piece.characters)}\n{piece.tail}"

    def _pieces(self, value: list[object]) -> list[object]:
        sizes = [_size(one) + _BETWEEN for one in value]
        head, tail = self._shares(sum(sizes))
        first = _fitting(sizes, head)
        last = _fitting(sizes[first:][::-1], tail)
        left_out = sum(sizes[first : len(sizes) - last])
        return [*value[:first], self._left_out(left_out), *value[len(value) - last :]]

    def _shares(self, characters: int) -> tuple[int, int]:
        """Characters of the beginning and of the end, beside what is said between them."""
        around = len(self._left_out(characters)) + LINE_ENDS
        room = max(0, self._rules.guard_least - around)
        head, tail = self._rules.guard_head, self._rules.guard_tail
        return room * head // GUARD_PARTS, room * tail // GUARD_PARTS

    def _left_out(self, characters: int) -> str:
        return self._words("tool_result.guarded_argument", characters=f"{characters:,}")


def _fitting(sizes: Sequence[int], room: int) -> int:
    """How many of the first ones fit together."""
    count = 0
    for size in sizes:
        room -= size
        if room < 0:
            break
        count += 1
    return count
