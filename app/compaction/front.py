"""What stands at the front of a history after a cut, within its tokens (DESIGN 4, Numbers).

The recovery block, the summary with its references, the user's earlier words. Each takes what it
may have of one room, which is never overdrawn.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.compaction.references import said_reference, within
from app.compaction.room import CHARACTERS_OF_A_TOKEN, Room, beginning
from app.conversation.messages import Said, SummaryPart, WordsPart
from app.conversation.shares import Shares
from app.conversation.wire import part_blocks
from app.text import Words

_SHORT = 200
"""Characters of a message that is kept before long ones: an order rather than material. Without
that, one remark would go for every long message that came after it (FIELD 3, 12)."""

_REMEMBERED = 1_000
"""The user's messages that are known to have been said; older ones are in the archive alone."""


def summary_text(text: str, shares: Shares, room: Room) -> str:
    """A summary's text, cut at its end where it is longer than it may be."""
    empty = room.cost(*part_blocks(SummaryPart("")))
    most = min(shares.summary_text.tokens, room.left - empty)
    text = beginning(text, shares.summary_text.characters)
    shown = room.fitted(text, most, lambda one: room.cost(one) <= most)
    # A message has to say something, however small the room.
    shown = shown if shown.strip() else "…"
    room.take(min(room.left, empty + room.cost(shown)))
    return shown


@dataclass(frozen=True, slots=True)
class Spoken:
    """The user's words, and the lines on what left.

    Attributes:
        part: each message that left; None: there is none.
        references: the lines.
    """

    part: WordsPart | None
    references: tuple[str, ...]


def spoken(
    left: Sequence[Said],
    references: Sequence[str],
    *,
    elsewhere: Collection[str],
    request: Collection[str],
    shares: Shares,
    room: Room,
    words: Words,
) -> Spoken:
    """Shares the rest of the room out to the user's words and the lines on what left.

    Args:
        left: what the user said that left, oldest first.
        references: the lines, the most useful first.
        elsewhere: ids of messages whose words stand elsewhere at the front.
        request: ids of those that were sent together with the request that is said again.
        shares: the room of each.
        room: what is left.
        words: the language of what the model reads.
    """
    candidates = [one for one in left if one.id not in elsewhere]
    first = [one for one in left[:1] if one.id not in elsewhere]
    newest = candidates[len(first) :][::-1]
    before = [*first, *(one for one in newest if one.id in request)]
    ranked = [*before, *(one for one in newest if one.id not in request)]
    lines_most = max(0, min(shares.references, room.left))
    kept_free = min(lines_most, room.cost(*references))
    shown = _chosen(ranked, len(before), min(shares.user_words, room.left - kept_free), room)
    if len(shown) < len(ranked):
        shown = _chosen(ranked, len(before), min(shares.user_words, room.left - lines_most), room)
    room.take(sum(shown.values()))
    out = [one for one in reversed(candidates) if one.id not in shown]
    said_now = {said_reference(words, one) for one in candidates if one.id in shown}
    known = (said_reference(words, one) for one in out if one.text)
    about = within(known, room.cost, lines_most // 2)
    lines = within(
        [*about, *(line for line in references if line not in said_now)], room.cost, lines_most
    )
    room.take(room.cost(*lines))
    # The first is asked for as the goal; of the others that had no room the newest may have some.
    last = [*left[:1], *left[max(1, len(left) - _REMEMBERED) :]]
    kept = {one.id for one in last} | set(shown)
    said = tuple(
        Said(one.id, one.text if one.id in shown else "") for one in left if one.id in kept
    )
    gone = tuple(one.id for one in reversed(out) if one.id in kept)
    part = WordsPart(said, gone) if said else None
    return Spoken(part, lines)


def _chosen(ranked: Sequence[Said], before: int, most: int, room: Room) -> dict[str, int]:
    """Which messages are quoted, with their tokens: those that fit, the first ones first.

    Of what the first `before` of them leave, short ones may have half before any long one: the
    newest of them, each wording once.
    """
    chosen = _fitting(ranked[:before], most, room)
    left = most - sum(chosen.values())
    short: dict[str, Said] = {}
    for one in ranked[before:]:
        if len(one.text) <= _SHORT:
            short.setdefault(" ".join(one.text.split()), one)
    chosen |= _fitting(short.values(), left // 2, room)
    rest = [one for one in ranked[before:] if one.id not in chosen]
    return chosen | _fitting(rest, most - sum(chosen.values()), room)


def _fitting(ranked: Iterable[Said], most: int, room: Room) -> dict[str, int]:
    """Those that fit, the first ones first, with their tokens."""
    chosen: dict[str, int] = {}
    for one in ranked:
        if not one.text.strip() or len(one.text) > CHARACTERS_OF_A_TOKEN * most:
            continue
        cost = room.cost(*part_blocks(WordsPart((one,))))
        if cost <= most:
            most -= cost
            chosen[one.id] = cost
    return chosen
