"""What stands at the front of a history after a cut, within its tokens (DESIGN 4, Numbers).

The recovery block, the summary with its references, the user's earlier words. Each takes what it
may have of one room, which is never overdrawn.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from app.boundary import block
from app.compaction.pointer import history_call
from app.compaction.references import said_reference, within
from app.conversation.messages import Said, SummaryPart, WordsPart
from app.conversation.meter import Meter
from app.conversation.shares import Shares
from app.conversation.truncate import cut
from app.conversation.wire import part_blocks
from app.text import Words

_CHARACTERS_OF_A_TOKEN = 8
"""What is longer than this for each token of room isn't even counted."""


_REMEMBERED = 1_000
"""The user's messages that are known to have been said; older ones are in the archive alone."""

_BETWEEN = 2
"""Tokens of a line end, and for rounding."""


class Room:
    """Tokens that are shared out.

    Attributes:
        left: how many are left.
    """

    def __init__(self, tokens: int, meter: Meter) -> None:
        """Has so many to begin with."""
        self.left = tokens
        self._meter = meter

    def cost(self, *texts: str) -> int:
        """Tokens of texts, each with what parts it from the next; never less than together."""
        return sum(self._meter.text_tokens(text) + _BETWEEN for text in texts)

    def take(self, tokens: int) -> bool:
        """Takes so many, if there are."""
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def fitted(self, text: str, most: int, fits: Callable[[str], bool]) -> str:
        """The longest beginning of a text that fits, cut at a line end where one is near; or "".

        Args:
            text: of any length.
            most: tokens that what is made of it may have.
            fits: whether a beginning has no more.
        """
        shown = _beginning(text, max(0, _CHARACTERS_OF_A_TOKEN * most))
        while shown and not fits(shown):
            shown = _beginning(text, min(len(shown) - 1, len(shown) * 7 // 8))
        return shown


class Record:
    """The text of the recovery block, as it grows.

    Attributes:
        quoted: ids of the user's messages that stand in it.
    """

    def __init__(self, room: Room, words: Words) -> None:
        """Takes what stands around it out of the room, once there is something."""
        self.quoted: set[str] = set()
        self._room = room
        self._words = words
        self._sections: list[str] = []

    @property
    def text(self) -> str:
        """All of it; "" where nothing is known."""
        return "\n\n".join([*self._sections, self._end]) if self._sections else ""

    def add_goal(self, goal: Said, most: int) -> None:
        """Adds what the user asked for first, or its beginning and how to ask for the rest."""
        head = self._words("front.goal")

        def told(text: str) -> str:
            if len(text) == len(goal.text):
                return f"{head}\n{text}"
            size = {"shown": f"{len(text):,}", "total": f"{len(goal.text):,}"}
            rest = self._words("front.goal_cut", **size, call=history_call(goal.id))
            return f"{head}\n{text}\n{rest}"

        shown = self._room.fitted(goal.text, most, lambda text: self._cost(told(text)) <= most)
        if shown.strip() and self._add(told(shown), most):
            self.quoted.add(goal.id)

    def add_list(
        self,
        head: str,
        lines: Sequence[str],
        most: int,
        more: Callable[[int], str] | None = None,
    ) -> None:
        """Adds a list under a head, its first lines, as many as fit.

        Args:
            head: what they are.
            lines: the most important first.
            most: tokens for all of it.
            more: says how many were left out.
        """
        if not lines:
            return
        lines = [f"- {line}" for line in lines]
        most = min(most, self._room.left) - self._around
        spare = self._room.cost(head) + (self._room.cost(more(len(lines))) if more else 0)
        kept: list[str] = []
        for line in lines:
            spare += self._room.cost(line)
            if spare > most:
                break
            kept.append(line)
        if kept:
            rest = [more(len(lines) - len(kept))] if more and len(kept) < len(lines) else []
            self._add("\n".join([head, *kept, *rest]), most + self._around)

    @property
    def _end(self) -> str:
        return self._words("front.go_on")

    @property
    def _around(self) -> int:
        """Tokens of the block's tags and end, which the first section brings along."""
        return 0 if self._sections else self._room.cost(block("recovery", self._end))

    def _cost(self, section: str) -> int:
        return self._room.cost(section) + self._around

    def _add(self, section: str, most: int) -> bool:
        cost = self._cost(section)
        if cost > most or not self._room.take(cost):
            return False
        self._sections.append(section)
        return True


def summary_text(text: str, shares: Shares, room: Room) -> str:
    """A summary's text, cut at its end where it is longer than it may be."""
    empty = room.cost(*part_blocks(SummaryPart("")))
    most = min(shares.summary_text.tokens, room.left - empty)
    text = _beginning(text, shares.summary_text.characters)
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
    ranked = [
        *first,
        *(one for one in newest if one.id in request),
        *(one for one in newest if one.id not in request),
    ]
    lines_most = max(0, min(shares.references, room.left))
    kept_free = min(lines_most, room.cost(*references))
    shown = _chosen(ranked, min(shares.user_words, room.left - kept_free), room)
    if len(shown) < len(ranked):
        shown = _chosen(ranked, min(shares.user_words, room.left - lines_most), room)
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


def _chosen(ranked: Iterable[Said], most: int, room: Room) -> dict[str, int]:
    """Which messages are quoted, with their tokens: those that fit, the first ones first."""
    chosen: dict[str, int] = {}
    for one in ranked:
        if not one.text.strip() or len(one.text) > _CHARACTERS_OF_A_TOKEN * most:
            continue
        cost = room.cost(*part_blocks(WordsPart((one,))))
        if cost <= most:
            most -= cost
            chosen[one.id] = cost
    return chosen


def _beginning(text: str, limit: int) -> str:
    """At most so many characters."""
    piece = cut(text, limit, limit)
    return text if piece is None else piece.head
