"""What a summary may leave of a history, shared out of what role, tools and system leave free.

Pure numbers, in tokens unless said otherwise (DESIGN 4, Numbers): two fifths of the room for what
stands at the front, up to three tenths for the tail, and three tenths stay free, so that the next
summary isn't due at once.
"""

from dataclasses import dataclass
from typing import NamedTuple

from app.conversation.window import RULES, Rules, Thresholds, share

SMALLEST_ROOM = 2_000
"""Tokens of room under which the window is too small for these tools and documents."""

_PIECE = 60_000
"""Characters of old messages that one call summarises at most (FACTS 1.7)."""

_PIECE_LEAST = 1_000
"""Characters of a piece at least, however small the window."""

_LINES = 200
"""Tokens of lines on what left: about six of them, in a large window more. The rest goes to what
says more (measured on the recorded sessions: as much is found again, and at 16K 2% less is sent
than with 500)."""

_INSTRUCTION = 1_000
"""Tokens of a summary's call that aren't the old messages."""


class TextLimit(NamedTuple):
    """How long a text may be: both hold."""

    characters: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Shares:
    """The room of a new history, and how it is shared out.

    Attributes:
        room: what the summary mark leaves beside role, tools and system.
        block: for all that stands at the front: recovery, summary, references, words.
        tail_min: the messages that stay have at least so many.
        tail_most: and at most so many, where the front is full.
        user_words: for the user's earlier messages, word for word.
        summary_text: for the text of the summary.
        references: for the lines on what left.
        rules: for the user's standing rules in the recovery block.
        goal: for the goal there.
        files: for the changed files there.
        progress: for done and todo there.
        entities: for the names there.
        target: the new request stands at or below this.
        too_small: the window is too small for these tools and documents.
    """

    room: int
    block: int
    tail_min: int
    tail_most: int
    user_words: int
    summary_text: TextLimit
    references: int
    rules: int
    goal: int
    files: int
    progress: int
    entities: int
    target: int

    @property
    def too_small(self) -> bool:
        """Whether the user is told what to drop."""
        return self.room < SMALLEST_ROOM


def shares(marks: Thresholds, fixed: int, rules: Rules = RULES) -> Shares:
    """Shares out what a summary may leave.

    Args:
        marks: of the window.
        fixed: tokens of role, tools and system message.
        rules: the numbers.
    """
    room = max(0, marks.summary - fixed)
    block = 2 * room // 5
    return Shares(
        room=room,
        block=block,
        tail_min=min(20_000, room // 4),
        tail_most=room - block - 3 * room // 10,
        user_words=min(20_000, room // 5),
        summary_text=TextLimit(8_000, block // 2),
        references=max(min(block // 8, _LINES), block // 32),
        rules=min(20_000, room // 5),
        goal=min(share(marks.window, rules.goal), 3 * block // 4),
        files=min(marks.window // 10, block // 2),
        progress=block // 8,
        entities=min(marks.entities, block // 4),
        target=marks.summary - 3 * room // 10,
    )


def piece_characters(window: int, reserve: int, tokens_per_character: float = 1.0) -> int:
    """Characters of old messages that one call may summarise.

    Args:
        window: tokens of the summarising model's window.
        reserve: tokens kept free for its answer.
        tokens_per_character: of the text; 1.0 is that of Chinese, which costs most.
    """
    fits = int((window - reserve - _INSTRUCTION) / max(tokens_per_character, 0.01))
    return max(_PIECE_LEAST, min(_PIECE, fits))
