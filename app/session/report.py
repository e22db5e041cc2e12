"""What stands in `/context`, out of the meter and the history."""

from collections.abc import Mapping

from rich.cells import chop_cells

from app.boundary import visible
from app.conversation.arguments import arguments_of
from app.conversation.estimate import Kind
from app.conversation.history import History
from app.conversation.measured import Measure
from app.conversation.messages import Message, ToolCall, is_injected
from app.conversation.meter import Meter
from app.session.context import SessionContext
from app.view.context_view import (
    CompositionKind,
    CompositionRow,
    ContextReport,
    ItemKind,
    LargestItem,
    MeterReport,
)
from app.view.subjects import call_subject

MOST_ITEMS = 12
"""The largest items that are listed."""

SUBJECT_CELLS = 80
"""Cells of a subject; the view clips it to its own room."""

_KINDS: Mapping[Kind, CompositionKind] = {
    "prompt": "system_prompt",
    "tools": "tools",
    "documents": "documents",
    "memory": "memory",
    "summary": "summary",
    "user": "messages",
    "answers": "answers",
    "calls": "calls",
    "pointers": "pointers",
    "results": "results",
}

_FILE_TOOLS = frozenset({"read_file", "write_file", "edit_file"})
"""Tools whose calls are about one file, which `o` opens."""


def context_report(
    context: SessionContext, history: History, *, busy: bool = False
) -> ContextReport:
    """What `/context` shows beside the gauge, as things are now.

    Args:
        context: of the session.
        history: what the next request would hold.
        busy: a turn runs that isn't among those of `context` yet.
    """
    meter, tools = context.meter, context.tools
    begun = len(context.turns) + busy
    turns = _turns(history, begun)
    measure = meter.measure(history, tools)
    composition = tuple(
        CompositionRow(_KINDS[share.kind], share.items, share.tokens)
        for share in meter.composition(history, tools, dict.fromkeys(context.cleared, "pointers"))
        if share.items or share.tokens
    )
    return ContextReport(
        composition=composition,
        largest=_largest(context, history, composition, turns),
        turns=tuple(context.turns),
        begins=_begins(history, turns, begun)[: len(context.turns)],
        events=tuple(context.happened),
        clearable=context.clearable,
        meter=_meter_report(meter, measure),
    )


def _largest(
    context: SessionContext,
    history: History,
    composition: tuple[CompositionRow, ...],
    turns: Mapping[str, int],
) -> tuple[LargestItem, ...]:
    """The largest messages, and the tools' schemas as one item among them."""
    calls = {call.id: call for message in history for call in message.calls}
    items = [
        _item(item.message, item.tokens, turns, calls, context.file_of(item.message.id))
        for item in context.meter.largest(history, MOST_ITEMS)
    ]
    items += [
        LargestItem("tools", row.tokens, count=row.items)
        for row in composition
        if row.kind == "tools"
    ]
    return tuple(sorted(items, key=lambda item: -item.tokens)[:MOST_ITEMS])


def _item(
    message: Message,
    tokens: int,
    turns: Mapping[str, int],
    calls: Mapping[str, ToolCall],
    path: str,
) -> LargestItem:
    kind: ItemKind
    about: ToolCall | None = None
    tool, subject = "", _first_line(message.text)
    match message.role:
        case "system":
            kind, subject = "system", ""
        case "user" if message.summary is not None:
            kind, subject = "summary", ""
        case "user":
            kind = "you"
        case "tool":
            kind, tool = "result", message.tool or ""
            about = calls.get(message.call_id or "")
            subject = call_subject(about.name, about.arguments) if about is not None else ""
        case "assistant" if message.calls:
            kind, about = "call", message.calls[0]
            tool, subject = about.name, call_subject(about.name, about.arguments)
        case _:
            kind = "answer"
    turn = turns.get(message.id)
    if not path and about is not None and about.name in _FILE_TOOLS:
        path = _file_of(about)
    return LargestItem(
        kind, tokens, turn, _shown(tool), _shown(subject), message=message.id, path=path
    )


def _turns(history: History, begun: int = 0) -> dict[str, int]:
    """The turn of each message, from 1: a run of user messages begins one.

    Those that a summary stands for were turns too: the last one's number is how many there were.

    Args:
        history: what the next request would hold.
        begun: turns of the chain, as far as that is known.
    """
    turns: dict[str, int] = {}
    turn, before = 0, ""
    for message in history:
        if message.discarded:
            continue
        turn += message.role == "user" and before != "user" and not is_injected(message)
        before = message.role
        if turn:
            turns[message.id] = turn
    gone = max(0, begun - turn)
    return {id: number + gone for id, number in turns.items()}


def _begins(history: History, turns: Mapping[str, int], begun: int) -> tuple[str, ...]:
    """The ids of the messages with which the turns of the chain begin; "": summarised.

    Args:
        history: what the next request would hold.
        turns: the turn of each message; before a session was resumed there were more of them.
        begun: turns of the chain that are known.
    """
    first: dict[int, Message] = {}
    for message in history:
        turn = turns.get(message.id)
        if turn is None:
            continue
        before = first.setdefault(turn, message)
        if is_injected(before) and message.role == "user" and not is_injected(message):
            first[turn] = message
    earlier = max(turns.values(), default=0) - begun
    found = (first.get(earlier + turn) for turn in range(1, begun + 1))
    return tuple("" if message is None else message.id for message in found)


def _file_of(call: ToolCall) -> str:
    """The file a call is about, "" where its arguments don't say."""
    path = arguments_of(call.arguments).get("path")
    return path if isinstance(path, str) else ""


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0]


def _shown(text: str) -> str:
    """Foreign text on one line, as long as `SUBJECT_CELLS`."""
    line = " ".join(visible(text[: 4 * SUBJECT_CELLS]).split())
    return next(iter(chop_cells(line, SUBJECT_CELLS)), "")


def _meter_report(meter: Meter, measure: Measure) -> MeterReport:
    error = meter.error
    return MeterReport(
        anchored=measure.source == "anchored",
        since=measure.since,
        calls=error.calls if error else 0,
        median=error.median if error else 0.0,
        worst=error.worst if error else 0.0,
        ratio=measure.ratio,
    )
