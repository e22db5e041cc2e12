"""Nothing brings a request under the window: the turn ends, and the largest messages are named."""

from collections.abc import Mapping, Sequence

from app.boundary import safe_name, visible
from app.compaction.pointer import asked
from app.conversation.history import History
from app.conversation.measured import Item, Measure
from app.conversation.messages import Message, ToolCall
from app.conversation.truncate import clip
from app.errors import HaimaError
from app.text import Words
from app.text.numbers import tokens as shown

_MOST = 3
"""Messages that are named."""

_ABOUT = 40
"""Characters of what a message is about."""


class RequestTooLarge(HaimaError):  # noqa: N818
    """The request is larger than the window, and nothing is left that may be cleared or cut.

    Attributes:
        items: the largest messages, the largest first.
    """

    code = "too_large"

    def __init__(
        self, measure: Measure, window: int, items: Sequence[Item], history: History
    ) -> None:
        super().__init__(
            "compaction.too_large", tokens=f"{measure.tokens:,}", window=f"{window:,}", largest=""
        )
        self.items = tuple(items[:_MOST])
        self._tools = measure.parts.tools
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
        return words(
            "compaction.too_large",
            **{**self.values, "largest": between.join(text for _, text in largest)},
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
