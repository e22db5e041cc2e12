"""The past as Markdown, for people: a heading a turn, results fenced, a line where a node begins.

Discarded text, reasoning and what Haima added to messages are left out.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, tzinfo

from app.boundary import visible
from app.conversation.images import pictures, told
from app.conversation.messages import Message
from app.conversation.past import Past, PastFailure, PastMark, PastMessage
from app.session.exports.masking import masked_arguments
from app.text import Words
from app.text.numbers import tokens


def markdown_sections(
    past: Iterable[Past],
    *,
    words: Words,
    mask: Callable[[str], str],
    zone: tzinfo | None = None,
) -> Iterator[str]:
    """Blocks of Markdown; whoever writes them puts a blank line between.

    Args:
        past: oldest first.
        words: for headings and marks.
        mask: applied to each block, and to what is fenced before that: the fence stays.
        zone: for times; None: the machine's.
    """
    return map(mask, _Sections(words, zone, mask).of(past))


class _Sections:
    """Counts turns and knows who spoke last."""

    def __init__(self, words: Words, zone: tzinfo | None, mask: Callable[[str], str]) -> None:
        self._words = words
        self._zone = zone
        self._mask = mask
        self._turn = 0
        self._speaker = ""
        self._calls = 0

    def of(self, past: Iterable[Past]) -> Iterator[str]:
        for item in past:
            match item:
                case PastMark():
                    self._speaker = ""
                    yield _quoted(self._mark(item))
                case PastFailure():
                    self._speaker = ""
                    yield _quoted(self._words("export.failed", text=visible(item.text)))
                case PastMessage():
                    if not item.message.discarded and item.message.role != "system":
                        yield from self._said(item.message, item.at)

    def _said(self, message: Message, at: str) -> Iterator[str]:
        if message.role == "tool":
            yield f"{self._result(message)}\n\n{_fenced(self._mask(visible(message.text)))}"
            yield from self._pictures(message)
            return
        if message.role == "user":
            self._turn += 1
            yield f"## {self._heading(at)}"
        if message.role == "user" or self._speaker != message.role:
            self._speaker = message.role
            name = self._words("export.you" if message.role == "user" else "export.agent")
            yield f"### {name}"
        if message.text.strip():
            yield visible(message.text).strip("\n")
        yield from self._pictures(message)
        self._calls = len(message.calls)
        for call in message.calls:
            told = self._words("export.call", tool=_name(call.name))
            arguments = visible(masked_arguments(call.arguments, self._mask))
            yield f"{told}\n\n{_fenced(arguments, 'json')}"

    def _pictures(self, message: Message) -> Iterator[str]:
        """Which pictures there were; the Markdown holds none."""
        for part in pictures(message.parts):
            yield self._words("export.picture", image=visible(told(part)).replace("`", "'"))

    def _heading(self, at: str) -> str:
        time = self._time(at)
        if not time:
            return self._words("export.turn", n=self._turn)
        return self._words("export.turn_at", n=self._turn, time=time)

    def _result(self, message: Message) -> str:
        if self._calls > 1 and message.tool:
            return self._words("export.result_of", tool=_name(message.tool))
        return self._words("export.result")

    def _mark(self, mark: PastMark) -> str:
        time = self._time(mark.at)
        match mark.kind:
            case "summary" if mark.summary is not None:
                known = mark.summary
                return self._words(
                    "export.cut" if known.how == "cut" else "export.summary_figures",
                    n=mark.count,
                    tokens=tokens(known.tokens),
                    before=tokens(known.tokens_before),
                    after=tokens(known.tokens_after),
                    time=time,
                )
            case "summary":
                return self._words("export.summary", n=mark.count, time=time)
            case "expand":
                return self._words("export.expand", n=mark.count, time=time)
            case "fork":
                told = {"node": visible(mark.node), "parent": visible(mark.parent)}
                return self._words("export.fork", time=time, **told)
            case "clear":
                return self._words("export.clear", parent=visible(mark.parent), time=time)

    def _time(self, at: str) -> str:
        """The local time to the minute; "" where there is none."""
        try:
            return f"{datetime.fromisoformat(at).astimezone(self._zone):%Y-%m-%d %H:%M}"
        except (ValueError, OverflowError):
            return visible(at)


def _name(tool: str) -> str:
    return visible(tool).replace("`", "'")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in the text."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
