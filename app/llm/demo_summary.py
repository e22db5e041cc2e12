"""The demo's summaries: what its own requests hold, sorted under the four headings by rule.

The demo is no model; it copies what was said and called, and invents nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.conversation.messages import WireMessage
from app.llm.demo_scene import content, paragraphs
from app.ports import ModelRequest
from app.text import LANGUAGES, Key, Language, Words

_HEADINGS: tuple[Key, ...] = (
    "summary.heading_goal",
    "summary.heading_decisions",
    "summary.heading_done",
    "summary.heading_open",
)

_LINE = 120
"""Characters of a line."""

_MOST, _LEAST, _SHARE = 3_000, 500, 4
"""Characters of a summary: at most, at least, and the share of the request (1 of so many)."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing in a request: `user`, `assistant`, `call`, or `earlier summary`, and its text."""

    kind: str
    text: str


def summary_of(request: ModelRequest) -> str | None:
    """The summary that a request asks for; None where it asks for none."""
    language = _language(request)
    if language is None:
        return None
    words = Words(language)
    said = list(_record(request) if _apart(request, words) else _session(request.messages[:-1]))
    asked = [one.text for one in said if one.kind == "user"]
    done = [one.text for one in said if one.kind == "call"]
    earlier = [one.text for one in said if one.kind == "earlier summary"]
    answers = [one.text for one in said if one.kind == "assistant"]
    lists = (
        asked[:1],
        asked[1:],
        [line for text in earlier for line in _points(text)] + done,
        [_opening(text) for text in answers[-1:]],
    )
    size = sum(len(content(message)) for message in request.messages)
    room = min(_MOST, max(_LEAST, size // _SHARE)) // len(_HEADINGS)
    none = words("summary.demo_none")
    return "\n".join(
        "\n".join([f"## {words(key)}", *(_lines(texts, room) or [f"- {none}"])])
        for key, texts in zip(_HEADINGS, lists, strict=True)
    )


def _language(request: ModelRequest) -> Language | None:
    """The language a summary is asked for in."""
    if not request.messages:
        return None
    for language in LANGUAGES:
        words = Words(language)
        asked = words("summary.from_session").strip().partition("\n")[0]
        if asked in content(request.messages[-1]) or _apart(request, words):
            return language
    return None


def _apart(request: ModelRequest, words: Words) -> bool:
    """Whether the old messages come as a record, not as the session's own request."""
    begin = words("summary.from_record", mark="").strip().partition("\n")[0]
    return content(request.messages[0]).startswith(begin)


def _session(messages: Iterable[WireMessage]) -> Iterator[_Said]:
    for message in messages:
        match message.get("role"):
            case "user":
                yield from (_Said("user", text) for text in paragraphs(message))
                yield from (_Said("earlier summary", text) for text in _summaries(message))
            case "assistant":
                yield from _assistant(message)


def _assistant(message: WireMessage) -> Iterator[_Said]:
    if text := content(message).strip():
        yield _Said("assistant", text)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call["function"]
        yield _Said("call", _call(function["name"], function["arguments"]))


def _record(request: ModelRequest) -> Iterator[_Said]:
    text = content(request.messages[-1])
    found = re.search(r"^(@@[0-9a-f]+) begin$", text, re.MULTILINE)
    if found is None:
        return
    for message in re.split(rf"^{found[1]} ", text, flags=re.MULTILINE)[1:]:
        header, _, body = message.partition("\n")
        kind, _, rest = header.partition(" ")
        if kind == "call":
            yield _Said("call", _call(rest.partition(" ")[0], body.strip()))
        elif kind in {"part", "earlier"}:
            yield _Said("earlier summary", body)
        elif kind in {"user", "assistant"} and body.strip():
            yield _Said(kind, body.strip())


def _call(name: str, arguments: str) -> str:
    """A call in a line: the tool, and the path or command."""
    try:
        values = json.loads(arguments)
    except ValueError:
        values = {}
    asked = values if isinstance(values, Mapping) else {}
    about = next((asked[key] for key in ("path", "command", "pattern") if key in asked), "")
    return f"`{name}` {about}".strip()


def _opening(answer: str) -> str:
    """The first paragraph of an answer, without its marks: a line of a list isn't Markdown."""
    return answer.partition("\n\n")[0].replace("**", "").lstrip("# ")


def _summaries(message: WireMessage) -> list[str]:
    return re.findall(r"<summary>\n(.*?)\n</summary>", content(message), re.DOTALL)


def _points(summary: str) -> list[str]:
    """The lines of an earlier summary, carried on."""
    lines = (line.removeprefix("- ").strip() for line in summary.splitlines())
    none = {Words(language)("summary.demo_none") for language in LANGUAGES}
    return [line for line in lines if line and not line.startswith("#") and line not in none]


def _lines(texts: Iterable[str], room: int) -> list[str]:
    """One line each, every text once, the newest that fit."""
    flat = dict.fromkeys(" ".join(text.split()) for text in texts)
    lines = [f"- {text if len(text) <= _LINE else text[: _LINE - 1] + '…'}" for text in flat]
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept.insert(0, line)
    return kept
