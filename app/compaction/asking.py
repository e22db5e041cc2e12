"""How a summary will be asked for: by which way, in which pieces, with how many calls at most.

Two ways (DESIGN 4, Tier 3). Where the session's own model writes it and the cut is at a user
message, the session's own request up to the cut goes out again, with one instruction after it: the
same system message, the same tools, so the provider's prefix cache pays. Else the old messages go
as a record: in pieces, each summarised, and the summaries merged in order until one remains.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.compaction.instruction import Brief, for_record, in_session
from app.compaction.serialize import Record, pieces, record
from app.compaction.summary_failed import SummaryFailed
from app.conversation.classes import estimate_text
from app.conversation.history import RecoverySlot
from app.conversation.messages import Message, WireMessage
from app.conversation.shares import TextLimit, piece_characters
from app.conversation.window import Thresholds, thresholds
from app.llm.families import coefficients_for
from app.ports import ChatModel, ToolSchema
from app.text import Words

MOST_CALLS = 100
"""Calls that one summary may take; a history of 900K tokens at 200K takes about 75 (FIELD 20)."""

_REPAIRS = 3
"""Answers that may be put right in one summary, each once."""

_LEAST_LIMIT = 600
"""Characters a summary may have, however short the record: four headings and some lines."""

_AROUND = 150
"""Tokens around a piece in its message, and between messages."""

_INSTRUCTION = 1_000
"""Tokens for the instruction that `piece_characters` keeps free already."""

MARGIN = 1.1
"""On estimates of tokens, as nothing of it is measured (DESIGN 4, Token meter)."""

_DEAREST = 2.0
"""Tokens that a character costs at most: no estimate is needed where a piece fits even so."""

_SAMPLE, _SAMPLES = 4_000, 12
"""Characters of a place, and places of a long record that tell what its characters cost."""

_PARTS = 3
"""So many summaries of parts fit into one piece, at least: merging always gets on."""

_LEAST_ROOM = 600
"""Tokens for a piece, below which a window is too small to summarise with."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The model that writes summaries.

    Attributes:
        model: it.
        window: tokens of its window.
        reserve: tokens of its answer, at most.
        tokens: estimates a text.
        own: it is the session's own model, whose prefix cache holds the session.
    """

    model: ChatModel
    window: int
    reserve: int
    tokens: Callable[[str], int]
    own: bool

    @property
    def room(self) -> int:
        """Tokens for old messages in one call."""
        return self.window - self.reserve - _INSTRUCTION


def main_writer(model: ChatModel, marks: Thresholds, tokens: Callable[[str], int]) -> Writer:
    """The session's own model.

    Args:
        model: it.
        marks: of the session's window.
        tokens: the session's meter (`Meter.text_tokens`).
    """
    return Writer(model, marks.window, marks.reserve, tokens, own=True)


def auxiliary_writer(model: ChatModel, window: int) -> Writer:
    """An auxiliary model.

    Args:
        model: it.
        window: tokens of its window.
    """
    coefficients = coefficients_for(model.name)

    def tokens(text: str) -> int:
        return round(estimate_text(text, coefficients))

    return Writer(model, window, thresholds(window).reserve, tokens, own=False)


@dataclass(frozen=True, slots=True)
class Old:
    """What is to be summarised.

    Attributes:
        messages: the old part, without the system message.
        prefix: the session's own request up to the cut, system message and old part, as it went
            out: `to_wire` of those messages with the recovery slot.
        prefix_tokens: of it and the tools, at most.
        tools: on offer in the session.
        recovery: the history's recovery slot.
        in_turn: the cut lies inside the newest turn.
        focus: what the user asked the summary to dwell on.
        whole: the session's request may go out again; False after the provider refused it as too
            large without naming a limit.
    """

    messages: Sequence[Message]
    prefix: tuple[WireMessage, ...]
    prefix_tokens: int
    tools: tuple[ToolSchema, ...]
    recovery: RecoverySlot | None = None
    in_turn: bool = False
    focus: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """How a summary will be asked for.

    Attributes:
        old: what of.
        brief: what is special about it.
        limit: how long it may be; both hold.
        generation: which summary of summaries it is, from 1.
        record: the old part as a record; None: the session's own request goes out.
        pieces: of the record, in order.
        piece: tokens that a piece may have.
        calls: to the model that are expected, repairs apart.
        repairs: answers that may be put right.
    """

    old: Old
    brief: Brief
    limit: TextLimit
    generation: int
    record: Record | None
    pieces: tuple[str, ...]
    piece: TextLimit
    calls: int
    repairs: int

    @property
    def calls_at_most(self) -> int:
        """Calls to the model, at most."""
        return self.calls + self.repairs


def plan_asking(old: Old, writer: Writer, limit: TextLimit, words: Words) -> Plan:
    """Plans a summary; asks nobody. A million tokens take about a second: call it off the loop.

    Args:
        old: what is to be summarised.
        writer: the model that writes it.
        limit: how long it may be (`Shares.summary_text`).
        words: the language of the instruction.

    Raises:
        SummaryFailed: the writer's window is too small (`no_room`), or it takes too many calls
            (`too_many`).
    """
    whole = record(old.messages, old.recovery)
    cost = _cost(whole.text, writer.tokens)
    tokens = min(limit.tokens, max(writer.room, 0) // _PARTS)
    characters = min(limit.characters, max(_LEAST_LIMIT, len(whole.text) // 2))
    brief = Brief(min(characters, int(tokens / cost)), old.focus, old.in_turn)
    held = TextLimit(characters, tokens)
    generation = 1 + max((one.summary.generation for one in old.messages if one.summary), default=0)
    fits = old.prefix_tokens + writer.tokens(in_session(words, brief)) + _AROUND + writer.reserve
    if writer.own and old.whole and not old.in_turn and fits <= writer.window:
        return Plan(old, brief, held, generation, None, (), TextLimit(0, 0), calls=1, repairs=1)
    told = writer.tokens(for_record(words, brief, whole.mark, merge=True)) + _AROUND
    piece = _piece(writer, told, cost)
    if piece.tokens < _LEAST_ROOM:
        raise SummaryFailed(
            "no_room",
            "summary.failed_no_room",
            model=writer.model.name,
            window=f"{writer.window:,}",
        )
    cut = _cut(whole, piece, writer)
    calls = len(cut) + _merges(len(cut), piece, held)
    if calls > MOST_CALLS:
        raise SummaryFailed(
            "too_many",
            "summary.failed_too_many",
            model=writer.model.name,
            calls=calls,
            most=MOST_CALLS,
        )
    repairs = min(_REPAIRS, calls)
    return Plan(old, brief, held, generation, whole, cut, piece, calls, repairs)


def groups(sizes: Sequence[tuple[int, int]], piece: TextLimit) -> tuple[int, ...]:
    """How many summaries each merge takes, in order: as many as fit, at least two if they can be.

    Args:
        sizes: characters and tokens of each summary.
        piece: what a call may hold.
    """
    found: list[int] = []
    count = characters = tokens = 0
    for size, cost in sizes:
        full = characters + size > piece.characters or tokens + cost > piece.tokens
        if count > 1 and full:
            found.append(count)
            count = characters = tokens = 0
        count += 1
        characters += size
        tokens += cost
    return (*found, count) if count else tuple(found)


def _piece(writer: Writer, told: int, cost: float) -> TextLimit:
    """What a piece may have: characters as a first guess, tokens for sure."""
    taken = writer.reserve + max(0, told - _INSTRUCTION)
    tokens = int((writer.window - taken - _INSTRUCTION) / MARGIN)
    return TextLimit(piece_characters(writer.window, taken, cost * MARGIN), tokens)


def _cut(whole: Record, piece: TextLimit, writer: Writer) -> tuple[str, ...]:
    """The record in pieces, each of which fits."""
    limit = piece.characters
    while True:
        cut = pieces(whole.text, limit, whole.mark)
        if limit * _DEAREST <= piece.tokens or len(cut) > MOST_CALLS:
            return cut  # so many aren't asked for
        largest = max(map(writer.tokens, cut), default=0)
        if largest <= piece.tokens:
            return cut
        limit = max(1, min(limit - 1, int(0.95 * limit * piece.tokens / largest)))


def _merges(parts: int, piece: TextLimit, held: TextLimit) -> int:
    """Merges of so many summaries, each as long as may be."""
    merges = 0
    while parts > 1:
        sizes = groups([(held.characters, held.tokens)] * parts, piece)
        merges += sum(size > 1 for size in sizes)
        parts = len(sizes)
    return merges


def _cost(text: str, tokens: Callable[[str], int]) -> float:
    """Tokens that a character of the text costs; of a long one by places of it."""
    if len(text) > _SAMPLE * _SAMPLES:
        step = (len(text) - _SAMPLE) // (_SAMPLES - 1)
        text = "".join(text[n * step : n * step + _SAMPLE] for n in range(_SAMPLES))
    return max(0.05, tokens(text) / len(text)) if text else 0.25
