"""What can go wrong between Haima and a model: one class a cause, one sentence each.

Whether a cause is worth another try stands in the class (`retryable`, PROVIDERS 1.4); `classify`
decides which class an answer belongs to. Foreign text in an error is short, has no control
characters and never the key (`said`).
"""

# ruff: noqa: N818 - a name says what went wrong; "Error" on thirty of them would say nothing

import math
from typing import ClassVar, Self

from app.boundary import visible
from app.config.secrets import mask, secrets_among
from app.ports import ModelError
from app.text import Key, Words

LONGEST_DETAIL = 300
"""Characters of a provider's own text that are shown; an HTML page or a stack trace is longer."""

_MINUTES_AS_MINUTES = 120
"""A wait of more minutes is told in hours."""


def said(text: str, key: str = "") -> str:
    """A provider's text as it may be shown: without the key, on one line, visible, and short."""
    flat = " ".join(mask(text, secrets_among((key,))).split())
    short = flat if len(flat) <= LONGEST_DETAIL else f"{flat[: LONGEST_DETAIL - 1]}…"
    return visible(short)


class CallError(ModelError):
    """The base of everything here.

    Attributes:
        template: the sentence's key, unless another is given.
        retryable: whether the same request may succeed in a moment.
        detail: the provider's own words, ready to be shown; "" where it gave none.
        wait: seconds the provider asked to wait, where it did.
    """

    code = "model"
    template: ClassVar[Key]
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        template: Key | None = None,
        detail: str = "",
        wait: float | None = None,
        **values: object,
    ) -> None:
        super().__init__(template or self.template, **values)
        self.detail = detail
        self.wait = wait

    def sentence(self, words: Words) -> str:
        """What failed and what to do, then the provider's own words."""
        sentence = super().sentence(words)
        if not self.detail:
            return sentence
        return words("model_error.said", sentence=sentence, detail=self.detail)

    def reason(self, words: Words) -> str:
        """A few words for a `Retrying`: why the call is tried again."""
        return words.named(f"retry.{self.code}", self.code)


class BadAddress(CallError):
    """The base URL is no address."""

    code = "bad_address"
    template = "model_error.bad_address"


class Unreachable(CallError):
    """No connection: no such name, refused, reset before an answer, no trusted certificate."""

    code = "unreachable"
    template = "model_error.unreachable"
    retryable = True


class TimedOut(CallError):
    """Nothing came for too long."""

    code = "timeout"
    template = "model_error.timeout_idle"
    retryable = True


class Redirected(CallError):
    """The address sends us elsewhere; following would turn the request into a GET."""

    code = "redirected"
    template = "model_error.redirected"


class NotAnEndpoint(CallError):
    """Something answered that is no model server: a web page, another API."""

    code = "not_an_endpoint"
    template = "model_error.not_an_endpoint"


class AddressNotFound(CallError):
    """404 without a word about a model: the path is wrong."""

    code = "address_not_found"
    template = "model_error.address_not_found"


class ModelNotFound(CallError):
    """The endpoint doesn't have this model."""

    code = "model_not_found"
    template = "model_error.model_not_found"


class BadKey(CallError):
    """401: the key is missing or wrong."""

    code = "bad_key"
    template = "model_error.bad_key"


class Forbidden(CallError):
    """403: the key is known but may not do this."""

    code = "forbidden"
    template = "model_error.forbidden"


class RateLimited(CallError):
    """Too many requests or tokens in a short time; waiting helps."""

    code = "rate_limited"
    template = "model_error.rate_limited"
    retryable = True

    @classmethod
    def for_long(cls, wait: float, *, detail: str = "", **values: object) -> Self:
        """The provider asks to wait longer than the client does by itself."""
        minutes = math.ceil(wait / 60)
        in_hours = minutes > _MINUTES_AS_MINUTES
        template: Key = "model_error.wait_hours" if in_hours else "model_error.wait_minutes"
        n = math.ceil(minutes / 60) if in_hours else minutes
        return cls(template=template, detail=detail, wait=wait, n=n, **values)


class QuotaUsedUp(CallError):
    """A plan's limit, the balance or the budget is used up; trying again doesn't help."""

    code = "quota"
    template = "model_error.quota"


class Overloaded(CallError):
    """The provider has more work than it can do."""

    code = "overloaded"
    template = "model_error.overloaded"
    retryable = True


class ServerFailed(CallError):
    """The provider failed: a 5xx, or an error in the middle of the stream."""

    code = "server_error"
    template = "model_error.server_error"
    retryable = True


class ContextOverflow(CallError):
    """The request doesn't fit the model's window (PROVIDERS 1.3).

    Attributes:
        limit: tokens of the window, where the text says so.
        used: tokens of the request as the text counts them; with some providers what was asked for
            the answer is counted in.
        prompt: tokens of messages and tools alone, where the text says so.
        answer: tokens that were asked for the answer, where the text counts them in.
        of_bytes: the request has too many bytes, which tells nothing of the window.
        doubtful: only the status says so (a 413 without a word).
    """

    code = "context_overflow"
    template = "model_error.overflow"

    def __init__(
        self,
        *,
        limit: int | None = None,
        used: int | None = None,
        prompt: int | None = None,
        answer: int | None = None,
        of_bytes: bool = False,
        doubtful: bool = False,
        detail: str = "",
    ) -> None:
        template: Key = "model_error.overflow" if limit is None else "model_error.overflow_limit"
        super().__init__(template=template, detail=detail, limit=f"{limit or 0:,}")
        self.limit = limit
        self.used = used
        self.prompt = prompt
        self.answer = answer
        self.of_bytes = of_bytes
        self.doubtful = doubtful


class MaxTokensRefused(CallError):
    """The limit for the answer is too large, or stands in a field this model doesn't take.

    Attributes:
        limit: the largest answer that is taken, where the text says so: the most the model can
            give, or what this request leaves of the window.
        unsupported: the field itself is refused; the other one may be right (PROVIDERS 1.7).
        window: tokens of the window, where the limit is what this request leaves of it.
        prompt: tokens of this request, where the text says so.
    """

    code = "max_tokens"
    template = "model_error.max_tokens"

    def __init__(
        self,
        *,
        limit: int | None = None,
        unsupported: bool = False,
        window: int | None = None,
        prompt: int | None = None,
        detail: str = "",
    ) -> None:
        template: Key = "model_error.max_tokens"
        if unsupported:
            template = "model_error.max_tokens_unsupported"
        elif limit is not None:
            template = "model_error.max_tokens_limit"
        super().__init__(template=template, detail=detail, limit=f"{limit or 0:,}")
        self.limit = limit
        self.unsupported = unsupported
        self.window = window
        self.prompt = prompt


class ReasoningRefused(CallError):
    """Reasoning that had to be sent back is missing, or was sent where it may not be."""

    code = "reasoning"
    template = "model_error.reasoning"


class HistoryRefused(CallError):
    """The provider doesn't take the order of the messages (calls and results, roles)."""

    code = "history_refused"
    template = "model_error.history_refused"


class ToolsRefused(CallError):
    """The model, or the way its server was started, can't call tools."""

    code = "tools_refused"
    template = "model_error.tools_refused"


class BadRequest(CallError):
    """Any other refusal of the request as it is.

    Attributes:
        names_stream_options: the text names `stream_options`, which some endpoints don't take.
        names_images: the text names pictures, which some models don't take.
        status: of the answer.
    """

    code = "bad_request"
    template = "model_error.bad_request"

    def __init__(
        self,
        *,
        host: str,
        status: int,
        detail: str = "",
        names_stream_options: bool = False,
        names_images: bool = False,
    ) -> None:
        super().__init__(detail=detail, host=host, status=status)
        self.names_stream_options = names_stream_options
        self.names_images = names_images
        self.status = status


class ContentFiltered(CallError):
    """The provider withheld the answer, or refused the question, for what is in it."""

    code = "content_filtered"
    template = "model_error.content_filtered"


class EmptyReply(CallError):
    """The stream ended well and had neither text nor calls."""

    code = "empty_reply"
    template = "model_error.empty_reply"
    retryable = True


class NoRoomToAnswer(CallError):
    """The token limit was reached before the answer began."""

    code = "no_room"
    template = "model_error.no_room"


class BrokenStream(CallError):
    """The stream ended in the middle, or can't be read."""

    code = "broken_stream"
    template = "model_error.broken_stream"
    retryable = True


class RunsAway(CallError):
    """The model writes the same lines over and over; it was stopped (PROVIDERS 4, fault 17)."""

    code = "runs_away"
    template = "model_error.runs_away"


class TruncatedCall(CallError):
    """A tool call isn't whole. It never runs; the step is tried once more (DESIGN 5, Details)."""

    code = "truncated_call"
    template: ClassVar[Key] = "model_error.truncated_call"
    retryable = True


class LeakedCall(TruncatedCall):
    """A tool call stands in the text, in the model's own notation; the same goes for it."""

    code = "leaked_call"
    template = "model_error.leaked_call"
