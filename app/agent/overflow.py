"""What is done about an endpoint that refuses a request as too long (PROVIDERS 1.3, DESIGN 4).

The limit is learned. Where the room for the answer was counted in and the request itself fits, less
is asked for the answer; else the history is compacted once by force. Each cure is tried once a
step, so a step sends at most three requests.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from app.compaction.breaker import Withheld
from app.compaction.too_large import NoLongerFits
from app.config import Settings
from app.events import Notice
from app.llm.errors import (
    BadRequest,
    ContextOverflow,
    EmptyReply,
    MaxTokensRefused,
    NoRoomToAnswer,
)
from app.ports import ModelError, Publish, Reply
from app.text import Words

Force = Callable[[], Awaitable[bool]]
"""Compacts the history by force, whatever the marks say; whether the next request is smaller."""

Grade = Literal["stated", "guessed", "suspected"]
"""The endpoint gave the figure; it refused without one; or it may have refused: such a limit counts
only once a smaller request was answered."""

_GUESS = (85, 100)
"""Of the estimate, where the endpoint gives no figure (PROVIDERS 1.3, kimi-code's rule)."""

_SUSPECT = 2
"""A refusal without a word from 1 of so many of the window on (PROVIDERS 1.3)."""

_LEAST_ANSWER = (1_000, 8)
"""Tokens that must be left for an answer, at most and share of the window; with less, compacting is
the better cure."""

_MARGIN = 100
"""1 of so many of the window stays free where the room for an answer is reckoned by the meter."""

_ROUND, _LEAST_ROUND = 1_024, 2_048
"""Prompt and answer together at a whole multiple, from so many on: a local server's window. Of
fewer none has a window, whatever cut the answer."""

_CUT_AT_ONCE = 15
"""Tokens of an answer; only the window's end cuts one so early (PROVIDERS 1.3; some servers end an
answer after 16 where none is asked for)."""


class Limits(Protocol):
    """What is known of the model's limits, and where it is learned (`session.limits`)."""

    @property
    def endpoint(self) -> tuple[str, str]:
        """Address and model."""
        ...

    @property
    def window(self) -> int:
        """Tokens of the window as it is believed to be."""
        ...

    @property
    def tokens(self) -> int:
        """The size of the next request."""
        ...

    async def learn(self, limit: int, grade: Grade) -> None:
        """A smaller window, perhaps; says so."""
        ...

    async def believe(self) -> None:
        """A limit that is only suspected counts from now on; nothing where there is none."""
        ...

    def doubt(self) -> None:
        """A limit that is only suspected is forgotten; nothing where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error read as one of length.

    Attributes:
        limit: the window to learn; None: it tells none.
        grade: how sure that is.
        room: tokens that the window has left for an answer, where the error tells them.
        answer: tokens that were asked for the answer, where it tells them.
    """

    limit: int | None
    grade: Grade
    room: int | None = None
    answer: int | None = None


class Overflow:
    """Cures refusals of one conversation, step by step.

    Attributes:
        max_tokens: what this step asks for the answer at most; None: as the settings say.
        tries: requests of this step, the one that comes next included.
    """

    def __init__(
        self,
        *,
        limits: Limits,
        force: Force,
        withheld: Callable[[], Withheld | None],
        settings: Callable[[], Settings],
        publish: Publish,
        words: Words,
    ) -> None:
        """Does nothing yet.

        Args:
            limits: what is known, and learned.
            force: compacts by force; not called with `compaction.auto = "off"`.
            withheld: the summary that would help and isn't made by itself; None: there is none.
            settings: as they are now.
            publish: gets a notice for each cure.
            words: the language of notices.
        """
        self.max_tokens: int | None = None
        self.tries = 1
        self._limits = limits
        self._force = force
        self._withheld = withheld
        self._settings = settings
        self._publish = publish
        self._words = words
        self._counted: tuple[tuple[str, str], int] | None = None
        self._lowered = self._forced = False

    def begin(self) -> None:
        """A step begins."""
        self.max_tokens = self._room_known()
        self.tries = 1
        self._lowered = self._forced = False

    async def cure(self, error: ModelError) -> None:
        """Returns when the step can be sent again.

        Raises:
            ModelError: the same error: it isn't one of length.
            NoLongerFits: all was tried, or it may not be.
            HaimaError: compacting failed.
        """
        refusal = self._read(error)
        if refusal is None:
            raise error
        if refusal.limit is not None and not (self._forced and refusal.grade != "stated"):
            await self._limits.learn(refusal.limit, refusal.grade)
        if self._may_lower(refusal) and refusal.room is not None:
            self._lower(refusal.room, refusal.answer)
        elif self._forced:
            raise NoLongerFits("still", error, self._withheld()) from error
        else:
            self._forced = True
            await self._compact(error)
        self.tries += 1

    async def answered(self, reply: Reply) -> None:
        """The step was answered: what was suspected is proved, and its end may tell a window."""
        await self._limits.believe()
        usage = reply.usage
        if usage is None or not reply.truncated or usage.completion == self._asked:
            return
        used = usage.prompt + usage.completion
        at_once = usage.completion <= _CUT_AT_ONCE and self._asked is None
        if (used % _ROUND == 0 or at_once) and _LEAST_ROUND <= used < self._limits.window:
            await self._limits.learn(used, "guessed")

    def failed(self) -> None:
        """The step ended without an answer: what was only suspected is forgotten."""
        self._limits.doubt()

    def _room_known(self) -> int | None:
        """Less for the answer at once, where this endpoint counts it in and it wouldn't fit."""
        if self._counted is None or self._counted[0] != self._limits.endpoint:
            return None
        window = self._limits.window
        room = window - self._limits.tokens - window // _MARGIN
        return room if _enough(room, window) and room < self._counted[1] else None

    def _read(self, error: ModelError) -> _Refusal | None:
        """What an error says of length; None: it is none of length."""
        window, tokens = self._limits.window, self._limits.tokens
        guess = _GUESS[0] * tokens // _GUESS[1]
        large = _SUSPECT * tokens >= window
        match error:
            case ContextOverflow(of_bytes=True):
                return _Refusal(None, "guessed")
            case ContextOverflow(limit=int(limit), answer=answer):
                prompt = error.prompt or self._without_answer(error.used, tokens)
                return _Refusal(limit, "stated", prompt and limit - prompt, answer)
            case ContextOverflow(doubtful=True):  # a proxy may refuse the bytes of pictures
                return _Refusal(guess if large else None, "suspected")
            case ContextOverflow():
                return _Refusal(guess, "guessed")
            case MaxTokensRefused(window=int(limit), limit=room):
                return _Refusal(limit, "stated", room)
            case BadRequest(status=400, detail="") | EmptyReply() if large:
                return _Refusal(guess, "suspected")
            case NoRoomToAnswer() if large and self._settings().model.max_tokens is None:
                return _Refusal(guess, "suspected")
            case _:
                return None

    def _without_answer(self, used: int | None, tokens: int) -> int | None:
        """The request alone, where the text has one figure, and what we asked is in it (Kimi).

        Args:
            used: the figure.
            tokens: what the request has by our estimate; it tells which of the two the figure is.
        """
        asked = self._asked
        if used is None or asked is None or 2 * tokens > 2 * used - asked:
            return None
        return used - asked

    @property
    def _asked(self) -> int | None:
        """Tokens that this step asks for the answer, as far as we say so."""
        return self.max_tokens or self._settings().model.max_tokens

    def _may_lower(self, refusal: _Refusal) -> bool:
        """Whether the request fits, and only the answer's room is too much."""
        if refusal.room is None or self._lowered:
            return False
        return _enough(refusal.room, refusal.limit or 0)

    def _lower(self, room: int, answer: int | None) -> None:
        """Asks for less this time, says so, and remembers that the answer is counted in."""
        self._lowered = True
        self.max_tokens = room
        if (asked := answer or self._settings().model.max_tokens) is not None:
            self._counted = (self._limits.endpoint, asked)
        text = self._words("overflow.lowered", room=f"{room:,}")
        self._publish(Notice(code="overflow", text=text, severity="warn"))

    async def _compact(self, error: ModelError) -> None:
        """Compacts by force.

        Raises:
            NoLongerFits: it may not, or it changes nothing.
        """
        if self._settings().compaction.auto == "off":
            raise NoLongerFits("off", error) from error
        if not await self._force():
            raise NoLongerFits("nothing_left", error, self._withheld()) from error
        text = self._words("overflow.forced")
        self._publish(Notice(code="overflow", text=text, severity="warn"))


def _enough(room: int, window: int) -> bool:
    """Whether so many tokens are enough for an answer."""
    most, divisor = _LEAST_ANSWER
    return room >= max(1, min(most, window // divisor))
