"""Finds the words in an error body: no two providers nest them alike."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_NESTED = ("error", "errors", "detail", "metadata", "raw", "data")
_WORDS = ("message", "msg", "error_description")
_CODES = ("code", "type", "status", "finish_reason")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What an error body says, wherever it says it.

    Attributes:
        text: all messages, outermost first, one a line.
        codes: all codes and types, as text in lower case: GLM's are strings of digits, OpenAI's
            are words, and in-band ones are HTTP statuses.
        numbers: figures given as fields of their own (llama.cpp: `n_ctx`, `n_prompt_tokens`).
    """

    text: str
    codes: frozenset[str]
    numbers: Mapping[str, int]

    @property
    def status(self) -> int | None:
        """An HTTP status among the codes, as in-band errors have it."""
        found = [int(code) for code in self.codes if code.isdecimal() and 400 <= int(code) <= 599]
        return max(found, default=None)


def read_body(body: object) -> ErrorBody:
    """Reads a decoded JSON body, or plain text that may be JSON.

    Messages may be strings where an object is expected (LM Studio), JSON in a string in
    `metadata.raw` (OpenRouter), in a list (FastAPI's `detail`), or at the top (SiliconFlow).
    """
    texts: list[str] = []
    codes: set[str] = set()
    numbers: dict[str, int] = {}
    for text in _walk(body, codes, numbers, 0):
        if text and text not in texts:
            texts.append(text)
    return ErrorBody("\n".join(texts), frozenset(codes), numbers)


def _walk(node: object, codes: set[str], numbers: dict[str, int], depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(node, str):
        inner = _as_json(node)
        if inner is None:
            yield node.strip()
        else:
            yield from _walk(inner, codes, numbers, depth + 1)
    elif isinstance(node, Mapping):
        for name in _CODES:
            value = node.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool):
                codes.add(str(value).lower())
        for name, value in node.items():
            if isinstance(value, int) and not isinstance(value, bool) and name.startswith("n_"):
                numbers[str(name)] = value
        for name in (*_WORDS, *_NESTED):
            if name in node:
                yield from _walk(node[name], codes, numbers, depth + 1)
    elif isinstance(node, Sequence):
        for item in node:
            yield from _walk(item, codes, numbers, depth + 1)


def _as_json(text: str) -> Mapping[object, object] | Sequence[object] | None:
    """The object or list in a text that is JSON, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping | Sequence) else None
