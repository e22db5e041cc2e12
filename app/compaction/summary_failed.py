"""Why there is no summary; whatever the reason, the history is as it was."""

from typing import Literal, get_args

from app.errors import HaimaError
from app.llm.errors import ContextOverflow, EmptyReply, NoRoomToAnswer, TimedOut, TruncatedCall
from app.ports import ModelError, Usage
from app.text import Key, Words

SummaryCode = Literal[
    "empty",
    "calls",
    "headings",
    "too_long",
    "truncated",
    "stopped",
    "overflow",
    "timeout",
    "provider",
    "too_many",
    "no_room",
    "fault",
]
"""Nothing in it; it called a tool; the headings are wrong; too long; cut at the length limit;
withheld by the provider; the request didn't fit; nothing came for too long; the call failed; it
would take too many calls; the model's window is too small; a fault of Haima's own."""

CODES: tuple[SummaryCode, ...] = get_args(SummaryCode)


class SummaryFailed(HaimaError):  # noqa: N818
    """No summary was made.

    Attributes:
        code: why, one of `CODES`.
        usages: of the calls that were made nevertheless, as far as the provider counted them.
        cause: what the model's client said, None where it isn't to blame.
    """

    code: SummaryCode

    def __init__(
        self,
        code: SummaryCode,
        key: Key,
        /,
        *,
        usages: tuple[Usage, ...] = (),
        cause: ModelError | None = None,
        **values: object,
    ) -> None:
        super().__init__(key, **values)
        self.code = code
        self.usages = usages
        self.cause = cause

    def sentence(self, words: Words) -> str:
        """What failed and what to do; after it the client's own sentence."""
        if self.cause is None:
            return super().sentence(words)
        return words(self.key, **self.values, reason=self.cause.sentence(words))


def of_model(error: ModelError, *, model: str, usages: tuple[Usage, ...]) -> SummaryFailed:
    """The failure that an error of the model's client is.

    Args:
        error: after the client's own retries.
        model: its name.
        usages: of the calls before it.
    """
    match error:
        case EmptyReply():
            return SummaryFailed("empty", "summary.failed_empty", usages=usages)
        case NoRoomToAnswer():
            return SummaryFailed("truncated", "summary.failed_truncated", usages=usages)
        case TruncatedCall():
            return SummaryFailed("calls", "summary.failed_calls", usages=usages)
        case ContextOverflow():
            key: Key = "summary.failed_overflow"
            return SummaryFailed("overflow", key, usages=usages, cause=error, model=model)
        case TimedOut():
            return SummaryFailed("timeout", "summary.failed_timeout", usages=usages, cause=error)
        case _:
            stopped = error.code == "content_filtered"
            code: SummaryCode = "stopped" if stopped else "provider"
            return SummaryFailed(code, "summary.failed_provider", usages=usages, cause=error)
