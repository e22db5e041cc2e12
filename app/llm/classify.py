"""Decides what an error answer means (PROVIDERS 1.3, 1.4).

The order matters and is PROVIDERS': quota, rate limit, reasoning, `max_tokens`, overflow, pairing;
then what the status alone says. The vectors in `tests/data/providers` are real ones.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.llm import signs
from app.llm.body import ErrorBody, read_body
from app.llm.errors import (
    AddressNotFound,
    BadKey,
    BadRequest,
    CallError,
    ContentFiltered,
    ContextOverflow,
    Forbidden,
    HistoryRefused,
    MaxTokensRefused,
    ModelNotFound,
    NotAnEndpoint,
    Overloaded,
    QuotaUsedUp,
    RateLimited,
    ReasoningRefused,
    Redirected,
    ServerFailed,
    TimedOut,
    ToolsRefused,
    said,
)
from app.llm.place import Place
from app.text import Key


def classify(
    status: int | None, body: object, *, place: Place, wait: float | None = None, location: str = ""
) -> CallError:
    """The error an answer stands for.

    Args:
        status: of the HTTP answer; None for an error inside a stream that began well (its own
            code, if it has one, is taken instead).
        body: decoded JSON, or the text as it came.
        place: whom the request went to.
        wait: seconds the headers ask to wait.
        location: where a 3xx sends us.
    """
    answer = _Answer(status, read_body(body), place, wait)
    if status is not None and 300 <= status <= 399:
        target = said(location, place.key) or "?"
        return Redirected(host=place.host, target=target)
    return _by_words(answer) or _by_status(answer)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is known of an answer, with the questions the rules ask of it."""

    given: int | None
    body: ErrorBody
    place: Place
    wait: float | None

    @property
    def status(self) -> int | None:
        return self.given if self.given is not None else self.body.status

    @property
    def text(self) -> str:
        return self.body.text

    @property
    def is_page(self) -> bool:
        return self.text[:200].lstrip().lower().startswith(("<!doctype", "<html", "<head", "<?xml"))

    @property
    def detail(self) -> str:
        return "" if self.is_page else said(self.text, self.place.key)

    def has(self, codes: frozenset[str]) -> bool:
        return not self.body.codes.isdisjoint(codes)

    def says(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.text) is not None


def _by_words(answer: _Answer) -> CallError | None:
    """What codes and text say, in the order of PROVIDERS 1.3."""
    for rule in _RULES:
        if error := rule(answer):
            return error
    return None


def _quota(answer: _Answer) -> CallError | None:
    if answer.status != 402 and not answer.has(signs.QUOTA_CODES) and not answer.says(signs.QUOTA):
        return None
    host, detail = answer.place.host, answer.detail
    if reset := signs.RESET.search(answer.text):
        return QuotaUsedUp(
            template="model_error.quota_reset", host=host, detail=detail, reset=reset[0]
        )
    return QuotaUsedUp(host=host, detail=detail)


def _rate(answer: _Answer) -> CallError | None:
    limited = answer.status == 429 or answer.has(signs.RATE_CODES) or answer.says(signs.RATE)
    busy = answer.has(signs.OVERLOADED_CODES) or answer.says(signs.OVERLOADED)
    if busy and (limited or answer.status in {None, 503, 529}):
        # Kimi's coding endpoint says 429 and "overloaded" (PROVIDERS 1.4).
        return Overloaded(host=answer.place.host, detail=answer.detail, wait=answer.wait)
    if limited and (answer.status is None or answer.status < 500):
        return RateLimited(host=answer.place.host, detail=answer.detail, wait=answer.wait)
    return None


def _reasoning(answer: _Answer) -> CallError | None:
    if "reasoning_content" not in answer.text:
        return None
    return ReasoningRefused(host=answer.place.host, detail=answer.detail)


def _max_tokens(answer: _Answer) -> CallError | None:
    if not answer.says(signs.MAX_TOKENS):
        return None
    if room := signs.WINDOW_LESS_INPUT.search(answer.text):
        window, given = int(room[1]), int(room[2])
        if given >= window:
            return None  # no answer fits, however short: an overflow
        return MaxTokensRefused(
            limit=window - given, window=window, prompt=given, detail=answer.detail
        )
    if answer.says(signs.TOO_LARGE):
        return MaxTokensRefused(
            limit=_first(signs.MAX_TOKENS_LIMIT, answer.text), detail=answer.detail
        )
    if answer.says(signs.UNSUPPORTED):
        return MaxTokensRefused(unsupported=True, detail=answer.detail)
    return None


def _overflow(answer: _Answer) -> CallError | None:
    limit = answer.body.numbers.get("n_ctx")
    used = answer.body.numbers.get("n_prompt_tokens")
    of_bytes = answer.says(signs.BODY_SIZE)
    found = of_bytes or answer.has(signs.OVERFLOW_CODES) or answer.says(signs.OVERFLOW)
    for pattern in signs.OVERFLOW_FIGURES:
        if figures := pattern.search(answer.text):
            told = figures.groupdict()
            limit = int(told["limit"])
            used = int(told["used"]) if told.get("used") else used
            found = True
            break
    if not found and answer.status != 413:
        return None
    return ContextOverflow(
        limit=limit,
        used=used,
        prompt=_prompt(answer.text),
        answer=_first(signs.OVERFLOW_ANSWER, answer.text),
        of_bytes=of_bytes,
        doubtful=not found,
        detail=answer.detail,
    )


def _prompt(text: str) -> int | None:
    """Tokens of messages and tools alone, where an overflow's text tells them."""
    for pattern in signs.OVERFLOW_PROMPT:
        if figures := pattern.search(text):
            return sum(int(figure) for figure in figures.groupdict().values() if figure)
    return None


def _pairing(answer: _Answer) -> CallError | None:
    if not answer.says(signs.PAIRING):
        return None
    return HistoryRefused(host=answer.place.host, detail=answer.detail)


def _tools(answer: _Answer) -> CallError | None:
    if not answer.says(signs.NO_TOOLS):
        return None
    return ToolsRefused(model=answer.place.model, host=answer.place.host, detail=answer.detail)


def _no_model(answer: _Answer) -> CallError | None:
    if answer.is_page or not (answer.has(signs.NO_MODEL_CODES) or answer.says(signs.NO_MODEL)):
        return None
    return ModelNotFound(model=answer.place.model, host=answer.place.host, detail=answer.detail)


def _filtered(answer: _Answer) -> CallError | None:
    if not answer.has(signs.FILTERED_CODES) and not answer.says(signs.FILTERED):
        return None
    return ContentFiltered(detail=answer.detail)


_RULES: tuple[Callable[[_Answer], CallError | None], ...] = (
    _quota,
    _rate,
    _reasoning,
    _max_tokens,
    _overflow,
    _pairing,
    _tools,
    _no_model,
    _filtered,
)


def _by_status(answer: _Answer) -> CallError:
    """What the status alone says."""
    place, detail, wait = answer.place, answer.detail, answer.wait
    status = answer.status
    match status:
        case 401:
            template: Key = "model_error.bad_key" if place.key else "model_error.no_key"
            return BadKey(template=template, host=place.host, detail=detail)
        case 403 if answer.says(signs.KEY):
            return BadKey(host=place.host, detail=detail)
        case 403:
            return Forbidden(host=place.host, detail=detail)
        case 404 | 405:
            return AddressNotFound(address=place.address, detail=detail)
        case 408:
            return TimedOut(
                template="model_error.timeout_server", host=place.host, detail=detail, wait=wait
            )
        case 503 | 529:
            return Overloaded(host=place.host, detail=detail, wait=wait)
        case 409 | 425:
            return ServerFailed(host=place.host, status=status, detail=detail, wait=wait)
        case int() if status >= 500:
            return ServerFailed(host=place.host, status=status, detail=detail, wait=wait)
        case None if not any(signs.REQUEST_FAULT.search(code) for code in answer.body.codes):
            # Inside a stream, without a code that blames the request: the provider's own fault.
            return ServerFailed(host=place.host, status="", detail=detail, wait=wait)
        case int() if status < 300:
            return NotAnEndpoint(address=place.address, detail=detail)
        case _:
            return BadRequest(
                host=place.host,
                status=status or 400,
                detail=detail,
                names_stream_options="stream_options" in answer.text,
                names_images=signs.IMAGES.search(answer.text) is not None,
            )


def _first(pattern: re.Pattern[str], text: str) -> int | None:
    """The first figure that a pattern of alternatives caught."""
    if not (match := pattern.search(text)):
        return None
    return next((int(group) for group in match.groups() if group is not None), None)
