"""Where a summary cuts: what leaves the history, and the tail that stays word for word.

Pure (DESIGN 4, tier 3). A cut falls before a message that the user said, or inside a turn between
complete steps; a step never loses a result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from app.compaction.said import said_id
from app.conversation.history import History
from app.conversation.messages import Message, is_injected
from app.conversation.meter import Meter
from app.conversation.shares import Shares

TURNS = 3
"""Real user turns that stay (FACTS 1.7)."""

BY_HAND = 1
"""The same where the user asks for it, by `/compact`."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut.

    Attributes:
        end: index of the first message that stays.
        in_turn: it falls inside a turn: no acknowledgement, the turn's request is said again.
        request: id of the user's message in whose turn it falls, as it was first said; None where
            the cut is before a message of the user.
        replaced: ids of the messages that leave, without the system message and discarded ones.
        before: their tokens, as estimated.
        tail: tokens of what stays.
    """

    end: int
    in_turn: bool
    request: str | None
    replaced: tuple[str, ...]
    before: int
    tail: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place where a cut may fall.

    Attributes:
        end: index of the first message that stays.
        inside: it falls inside a turn.
        request: the message of the user in whose turn it falls.
    """

    end: int
    inside: bool = False
    request: Message | None = None


def plan_cut(
    history: History,
    meter: Meter,
    shares: Shares,
    *,
    turns: int = TURNS,
    in_turn: bool = True,
    pins: int = 0,
) -> Cut | None:
    """Where to cut; None where there is nothing that may leave.

    The last `turns` turns of the user stay, and earlier ones until `tail_min` is reached. Where
    that is more than `tail_most`, fewer turns stay; where the newest is too much by itself, its
    newest steps. Less than `tail_min` never stays, whatever it comes to.

    Args:
        history: as it would be sent.
        meter: estimates messages.
        shares: the room of the new history.
        turns: real user turns that stay, if there is room for them.
        in_turn: whether the cut may fall inside a turn.
        pins: tokens of what is pinned and will stand at the front.
    """
    messages = history.messages
    tails = _tails(messages, meter)
    begin, *later = places(messages)
    found = [
        begin,
        *(
            place
            for place in later
            if tails[place.end] >= shares.tail_min and (in_turn or not place.inside)
        ),
    ]
    starts = [place.end for place in later if not place.inside]
    keep = starts[-turns] if len(starts) >= turns else begin.end

    def fits(place: Place) -> bool:
        return tails[place.end] + pins + _again(place, meter) <= shares.tail_most

    chosen = _choose(found, fits, keep)
    return None if chosen is begin else _cut(messages, chosen, tails)


def places(messages: Sequence[Message]) -> list[Place]:
    """Every place where a cut leaves whole steps, in order; at the first, nothing leaves.

    That is behind the system message and an earlier summary with its acknowledgement: to make a
    summary of a summary alone gains nothing. Messages that the user said without an answer between
    them (waiting ones are sent together) are one turn.
    """
    begin = _begin(messages)
    found = [Place(begin)]
    request = previous = None
    start: int | None = None
    for index, message in enumerate(messages):
        if message.discarded:
            # What was cut and begun afresh belongs to the step that follows.
            start = index if start is None else start
            continue
        place, start = index if start is None else start, None
        if message.role == "user" and not is_injected(message):
            if index > begin and (previous is None or previous.role != "user"):
                found.append(Place(index))
            request = message
        elif (
            message.role == "assistant"
            and place > begin
            and previous is not None
            and previous.role != "user"
        ):
            found.append(Place(place, inside=True, request=request))
        previous = message
    return found


def _begin(messages: Sequence[Message]) -> int:
    """Index of the first message that may leave and isn't part of an earlier summary alone."""
    sent = [index for index, message in enumerate(messages) if not message.discarded]
    place = 0
    if place < len(sent) and messages[sent[place]].role == "system":
        place += 1
    if place < len(sent) and is_injected(messages[sent[place]]):
        place += 1
        if place < len(sent):
            answer = messages[sent[place]]
            place += answer.role == "assistant" and not answer.calls
    return sent[place] if place < len(sent) else len(messages)


def _choose(found: Sequence[Place], fits: Callable[[Place], bool], keep: int) -> Place:
    """The place that keeps the turns that should stay, or as much of them as fits.

    Args:
        found: where enough stays, in order; at the first one nothing leaves.
        fits: whether the new history has room for what stays.
        keep: index from which everything should stay.
    """
    turns = [place for place in found if not place.inside]
    wanted = [place for place in turns if place.end <= keep][-1]
    if fits(wanted):
        return wanted
    # Before a message of the user nothing has to be said again, and the prefix cache pays.
    for some in (turns, found):
        later = next((one for one in some if one.end > wanted.end and fits(one)), None)
        if later is not None:
            return later
    return found[-1]


def _cut(messages: Sequence[Message], place: Place, tails: Sequence[float]) -> Cut:
    first = 1 if messages[0].role == "system" else 0
    leaving = [one for one in messages[first : place.end] if not one.discarded]
    return Cut(
        end=place.end,
        in_turn=place.inside,
        request=None if place.request is None else said_id(place.request),
        replaced=tuple(one.id for one in leaving),
        before=round(tails[first] - tails[place.end]),
        tail=round(tails[place.end]),
    )


def _tails(messages: Sequence[Message], meter: Meter) -> list[float]:
    """Tokens from each message to the end; one more, 0, behind the last."""
    weights = (0.0 if one.discarded else meter.weight(one) for one in reversed(messages))
    return [weight * meter.scale for weight in accumulate(weights, initial=0.0)][::-1]


def _again(place: Place, meter: Meter) -> float:
    """Tokens of the request that is said again after a cut inside its turn."""
    request = place.request
    if request is None:
        return 0.0
    own = replace(request, parts=request.parts[len(request.front) :])
    return meter.weight(own if request.front else request) * meter.scale
