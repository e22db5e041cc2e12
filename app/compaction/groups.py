"""The messages of a history in groups that people know again: turns, and steps of long turns."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.boundary import safe_name, visible
from app.compaction.pointer import asked
from app.conversation.messages import Message, ToolCall, is_injected
from app.conversation.truncate import clip
from app.text import LANGUAGES, Words
from app.view.compaction import GroupKind

_LONG = 16
"""Messages of a turn from which on it is shown in pieces."""

_PIECE = 10
"""Messages of such a piece, about: it ends with a step."""

_TITLE = 120
"""Characters of a title."""

_TOOLS = 3
"""Tools that a piece's title names."""


@dataclass(frozen=True, slots=True)
class Run:
    """Messages that follow each other.

    Attributes:
        kind: what they are.
        title: what they are about; "" for an earlier summary.
        messages: they, discarded ones left out; at least one.
    """

    kind: GroupKind
    title: str
    messages: tuple[Message, ...]


def runs_of(messages: Sequence[Message]) -> tuple[Run, ...]:
    """The groups of a part of a history, in order.

    Args:
        messages: without the system message.
    """
    return tuple(run for turn in _turns(messages) for run in _pieces(turn))


def title_of(message: Message, calls: Mapping[str, ToolCall]) -> str:
    """One message in a few words: what was asked of a tool, else how it begins."""
    if message.role == "tool":
        call = calls.get(message.call_id or "")
        return f"{safe_name(message.tool or '')} {asked(call)}".strip()
    return first_words(message.text)


def first_words(text: str) -> str:
    """How a text begins, on one line."""
    line = next((line for line in text[: 8 * _TITLE].splitlines() if line.strip()), "")
    return clip(visible(" ".join(line.split())), _TITLE)


def pinned_title(text: str) -> str:
    """A pinned message that an earlier summary carried over, in a few words (`pinned_parts`)."""
    head, _, rest = text.partition("\n")
    for language in LANGUAGES:
        words = Words(language)
        before, _, after = words.named("compaction.pinned_head").partition("{what}")
        if head.startswith(before) and head.endswith(after):
            what = head[len(before) : len(head) - len(after)]
            spoken = {words("compaction.pinned_user"), words("compaction.pinned_answer")}
            return first_words(rest if what in spoken else what)
    return first_words(text)


def _turns(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """From one message of the user, or those sent together, to the next."""
    turn: list[Message] = []
    for message in messages:
        if message.discarded:
            continue
        if message.role == "user" and turn and turn[-1].role != "user":
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _pieces(turn: Sequence[Message]) -> Iterator[Run]:
    """A turn as one group, a long one in pieces that end with a step."""
    first, piece = turn[0], list[Message]()
    kind, title = _kind(first), first_words(first.text)
    for message in turn:
        full = len(turn) > _LONG and len(piece) >= _PIECE
        if full and message.role == "assistant":
            yield _run(kind, title, piece)
            kind, piece = "steps", []
        piece.append(message)
    yield _run(kind, title, piece)


def _kind(first: Message) -> GroupKind:
    if first.role != "user":
        return "rest"
    return "summary" if is_injected(first) else "turn"


def _run(kind: GroupKind, title: str, messages: Sequence[Message]) -> Run:
    """Steps are known by their tools, an earlier summary has words of its own."""
    if kind == "summary":
        title = ""
    elif kind != "turn":
        title = _tools(messages)
    return Run(kind, title, tuple(messages))


def _tools(messages: Iterable[Message]) -> str:
    """`read_file ×6, grep ×3`; without calls how the first answer begins."""
    made = Counter(safe_name(call.name) for message in messages for call in message.calls)
    if not made:
        return next((said for one in messages if (said := first_words(one.text))), "")
    named = [f"{name} ×{n}" if n > 1 else name for name, n in made.most_common(_TOOLS)]
    return ", ".join(named)
