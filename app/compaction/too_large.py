"""Nothing brings a request under the window: the turn ends, and the user chooses what to do.

Ours say so before it is sent and name the largest messages; a provider's refusal says so after.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from app.boundary import safe_name, visible
from app.compaction.breaker import AN_HOUR, Reason, Withheld, shown_from
from app.compaction.pointer import asked
from app.conversation.history import History
from app.conversation.measured import Item, Measure
from app.conversation.messages import Message, ToolCall
from app.conversation.truncate import clip
from app.errors import HaimaError
from app.text import Key, Words
from app.text.numbers import tokens as shown

_MOST = 3
"""Messages that are named."""

_ABOUT = 40
"""Characters of what a message is about."""


Choice = Literal["compact", "cut", "model", "shorten", "fork"]
"""What the user can do: compact after all, cut without a summary, take another model, shorten what
is named, fork before it."""


class NoRoom(HaimaError):  # noqa: N818
    """The base of what ends a turn for want of room.

    Attributes:
        choices: what can be done about it, the best first (DESIGN 4, tier 3).
    """

    choices: tuple[Choice, ...] = ("cut", "model", "shorten", "fork")


Why = Literal["off", "clear", "nothing_left", "still", "hour", "failed", "failures"]
"""Nothing is compacted by itself (`compaction.auto = "off"`), or is only cleared; there is nothing
to compact; it was compacted, and is refused still; the hour has had the summaries that begin by
themselves; the summary failed; too many did."""


class NoLongerFits(NoRoom):
    """The endpoint refuses the request as too long, and no cure is left.

    Attributes:
        why: why none is left.
        refused: what the endpoint said.
    """

    code = "context_overflow"

    def __init__(self, why: Why, refused: HaimaError, withheld: Withheld | None = None) -> None:
        """Says why.

        Args:
            why: why no cure is left, as far as it isn't that a summary is withheld.
            refused: what the endpoint said.
            withheld: the summary that would help; None: none would.
        """
        at = None
        if withheld is not None and withheld.why != "growth":  # which says that none would help
            why, at = withheld.why, withheld.at
        hour = {} if at is None else {"most": str(AN_HOUR), "at": shown_from(at)}
        super().__init__(_REASONS[why], **hour)
        self.why = why
        self.refused = refused
        if why not in ("nothing_left", "still"):
            self.choices = ("compact", *self.choices)

    def sentence(self, words: Words) -> str:
        """Why and what to do, then the provider's own words."""
        said = super().sentence(words)
        detail = getattr(self.refused, "detail", "")
        return words("model_error.said", sentence=said, detail=detail) if detail else said


_REASONS: Mapping[Why, Key] = {
    "off": "overflow.off",
    "clear": "overflow.clear",
    "nothing_left": "overflow.nothing_left",
    "still": "overflow.still",
    "hour": "overflow.hour",
    "failed": "overflow.failed",
    "failures": "overflow.failures",
}


_TOO_LARGE: Mapping[Reason, Key] = {
    "growth": "compaction.too_large",  # a summary would free too little
    "hour": "compaction.too_large_hour",
    "failed": "compaction.too_large_failed",
    "failures": "compaction.too_large_failures",
    "off": "compaction.too_large_off",
    "clear": "compaction.too_large_clear",
}


class RequestTooLarge(NoRoom):
    """The request is larger than the window, and nothing is left that may be cleared or cut.

    Attributes:
        items: the largest messages, the largest first.
        why: why the summary that would help isn't made by itself; `growth`: none would help.
    """

    code = "too_large"

    def __init__(
        self,
        measure: Measure,
        window: int,
        items: Sequence[Item],
        history: History,
        withheld: Withheld | None = None,
    ) -> None:
        """Names what is largest.

        Args:
            measure: of the request.
            window: tokens.
            items: its messages, the largest first.
            history: they are of.
            withheld: the summary that would help; None: none would.
        """
        self.why: Reason = "growth" if withheld is None else withheld.why
        values = {"tokens": f"{measure.tokens:,}", "window": f"{window:,}"}
        if withheld is not None and withheld.at is not None:
            values |= {"most": str(AN_HOUR), "at": shown_from(withheld.at)}
        if self.why not in ("growth", "failed", "failures"):  # after those the cut is what helps
            self.choices = ("compact", *self.choices)
        super().__init__(_TOO_LARGE[self.why], **values, largest="")
        self.items = tuple(items[:_MOST])
        self._tools = measure.parts.tools
        self._at_most = f"{measure.at_most:,}" if measure.tokens <= window else ""
        self._calls: Mapping[str, ToolCall] = {
            call.id: call for message in history for call in message.calls
        }

    def sentence(self, words: Words) -> str:
        """The sentence, with the largest messages in the same language."""
        sized = [
            (item.tokens, self._named(item.message, item.tokens, words)) for item in self.items
        ]
        if self._tools:
            named = words("compaction.item_tools", tokens=shown(self._tools))
            sized.append((self._tools, named))
        largest = sorted(sized, key=lambda one: -one[0])[:_MOST]
        between = words("compaction.between")
        tokens = self.values["tokens"]
        if self._at_most:  # what was compared is the estimate with its margin
            tokens = words("compaction.with_margin", tokens=tokens, most=self._at_most)
        return words(
            _TOO_LARGE[self.why],
            **{
                **self.values,
                "tokens": tokens,
                "largest": between.join(text for _, text in largest),
            },
        )

    def _named(self, message: Message, tokens: int, words: Words) -> str:
        size = shown(tokens)
        about = clip(visible(" ".join(message.text[: 4 * _ABOUT].split())), _ABOUT)
        match message.role:
            case "system":
                return words("compaction.item_system", tokens=size)
            case "user":
                return words("compaction.item_user", about=about, tokens=size)
            case "tool":
                call = self._calls.get(message.call_id or "")
                what = f"{safe_name(message.tool or '')} {clip(asked(call), _ABOUT)}".rstrip()
                return words("compaction.item_result", about=what, tokens=size)
            case _:
                call = message.calls[0] if message.calls else None
                what = about or f"{call.name if call else ''} {clip(asked(call), _ABOUT)}".rstrip()
                return words("compaction.item_answer", about=what, tokens=size)
