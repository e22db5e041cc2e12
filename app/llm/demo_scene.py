"""What the demo can know: the messages of a request, read anew each time.

The demo has no memory. Where its story stands follows from what the user asked last and from the
results that have come since; results are read by the words the tools use, in either language.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from string import Formatter

from app.conversation.messages import WireMessage
from app.ports import ModelRequest
from app.text import LANGUAGES, Key, Language, Words

_TAG = re.compile(r"\A<tool_result\b[^>]*>\n(.*)\n</tool_result>", re.DOTALL)
_BLOCK = re.compile(r"<(memory|recovery|restored|summary|earlier_messages)\b.*?</\1>", re.DOTALL)

INTERRUPTED: tuple[Key, ...] = (
    "agent.interrupted_running",
    "agent.interrupted_waiting",
    "agent.interrupted_earlier",
)
"""Results that say only that there is none."""

_QUOTE = re.compile(r'read_history\(ref="([^"]+)"\)')


@dataclass(frozen=True, slots=True)
class Call:
    """A call the demo asks for."""

    name: str
    arguments: dict[str, object]


def ask(name: str, **arguments: object) -> Call:
    """A call with these arguments."""
    return Call(name, arguments)


@dataclass(frozen=True, slots=True)
class Line:
    """What the demo says next: a bit of reasoning, a text, calls."""

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A call that came back with a result.

    Attributes:
        name: the tool.
        arguments: what it was called with.
        text: the result, without the tag around it.
    """

    name: str
    arguments: dict[str, object]
    text: str

    @property
    def path(self) -> str:
        """The path it was about, "" if none."""
        path = self.arguments.get("path", "")
        return path if isinstance(path, str) else ""

    @property
    def exit_code(self) -> int | None:
        """A command's exit code; None where there is none."""
        for language in LANGUAGES:
            start = Words(language)("tool_result.exit_code", code="")
            if found := re.search(rf"^{re.escape(start)}(\d+)", self.text, re.MULTILINE):
                return int(found[1])
        return None

    @property
    def cleared(self) -> bool:
        """Whether only a pointer stands here, in the place of what it was."""
        return is_pointer(self.text)

    @property
    def ref(self) -> str:
        """The reference by which a pointer's original is quoted; "" where it names none."""
        refs = _QUOTE.findall(self.text) if self.cleared else ()
        return refs[-1] if refs else ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A request, as far as one story is concerned.

    Attributes:
        words: in the language the story was asked for.
        tools: names of the tools on offer.
        results: what the calls since the story's beginning brought, interrupted ones left out.
        messages: how many messages the request has.
        characters: of all their contents.
        result_count: how many of them are results.
        result_characters: of all results.
        pointers: how many of them are pointers: what stood there was cleared.
    """

    words: Words
    tools: frozenset[str]
    results: tuple[Result, ...]
    messages: int
    characters: int
    result_count: int
    result_characters: int
    pointers: int

    def say(self, key: Key, **values: object) -> str:
        """What is said under `key`, without the blank lines around it."""
        return self.words(key, **values).strip()

    def last(self, name: str, path: str = "") -> Result | None:
        """The newest result of a tool, about that path if one is given."""
        found = (r for r in reversed(self.results) if r.name == name and path in ("", r.path))
        return next(found, None)


def make_scene(request: ModelRequest, language: Language, start: int) -> Scene:
    """Reads a request.

    Args:
        request: what was sent.
        language: of the story.
        start: place of the user's message that began it.
    """
    bodies = [(message.get("role"), content(message)) for message in request.messages]
    results = [body for role, body in bodies if role == "tool"]
    return Scene(
        words=Words(language),
        tools=frozenset(tool.name for tool in request.tools),
        results=tuple(_results(request.messages[start:])),
        messages=len(bodies),
        characters=sum(len(body) for _, body in bodies),
        result_count=len(results),
        result_characters=sum(map(len, results)),
        pointers=sum(is_pointer(untagged(body)) for body in results),
    )


def lost(scene: Scene, result: Result) -> Line:
    """Something the script doesn't know; a model would look into it."""
    return Line(scene.say("demo.lost", tool=result.name, line=telling(result.text)))


def telling(text: str) -> str:
    """The line that says what went wrong: the error, else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\w*(Error|Exception)\b", line)]
    return (errors or lines or [""])[-1].replace("`", "'")[:200]


def content(message: WireMessage) -> str:
    """A message's text; of a list of parts the texts."""
    body = message.get("content")
    if isinstance(body, list):
        texts = (part.get("text") for part in body if isinstance(part, dict))
        return "\n\n".join(text for text in texts if isinstance(text, str))
    return body if isinstance(body, str) else ""


def untagged(body: str) -> str:
    """A result without the tag around it."""
    found = _TAG.search(body)
    return found[1] if found else body


def is_pointer(text: str) -> bool:
    """Whether a result's whole text is a pointer, in either language."""
    return "\n" not in text and text.startswith(_pointer_starts())


@cache
def _pointer_starts() -> tuple[str, ...]:
    told = (
        Words(language)("tool_result.pointer_unasked", tool="\n", characters="")
        for language in LANGUAGES
    )
    return tuple(text.partition("\n")[0] for text in told)


def paragraphs(message: WireMessage) -> list[str]:
    """What the user said, the newest first: messages sent as one have a blank line between."""
    spoken = _BLOCK.sub("", content(message)).split("\n\n")
    return [text for text in reversed(spoken) if text.strip()]


def plain(text: str) -> str:
    """Letters and digits alone, in one case and width: how prompts are compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def says(text: str, key: Key) -> dict[str, str] | None:
    """Whether the words under `key` stand in `text`, in either language; what fills the blanks."""
    for language in LANGUAGES:
        if found := _pattern(language, key).search(text):
            return found.groupdict()
    return None


@cache
def _pattern(language: Language, key: Key) -> re.Pattern[str]:
    """The words as a pattern: each blank takes whatever stands there, on one line."""
    pattern, seen = "", set[str]()
    for literal, name, _, _ in Formatter().parse(Words(language)(key)):
        pattern += re.escape(literal)
        if name is not None:
            pattern += "[^\n]*" if name in seen else f"(?P<{name}>[^\n]*)"
            seen.add(name)
    return re.compile(pattern)


def _results(messages: tuple[WireMessage, ...]) -> Iterator[Result]:
    """The calls that were made and came to something, in order."""
    asked: dict[object, tuple[str, dict[str, object]]] = {}
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = call["function"]
            asked[call["id"]] = (function["name"], _arguments(function["arguments"]))
        if message.get("role") == "tool" and message.get("tool_call_id") in asked:
            name, arguments = asked[message["tool_call_id"]]
            text = untagged(content(message))
            if all(says(text, key) is None for key in INTERRUPTED):
                yield Result(name, arguments, text)


def _arguments(text: str) -> dict[str, object]:
    arguments = json.loads(text)
    return arguments if isinstance(arguments, dict) else {}
