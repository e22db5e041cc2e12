"""Sentences: in both languages, without the key, without control characters, short."""

import inspect
from typing import Any

import pytest

from app.llm import errors
from app.llm.classify import classify
from app.llm.errors import CallError, ContextOverflow, MaxTokensRefused, RateLimited, said
from app.llm.place import Place
from app.text import Words
from tests.llm.support import EN, KEY

ZH = Words("zh")
BLANKS: dict[str, Any] = {
    "host": "api.example.com",
    "address": "https://api.example.com/v1",
    "target": "https://api.example.com/v2",
    "model": "some-model",
    "seconds": "10",
    "status": 500,
}

CLASSES = [
    cls
    for _, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, CallError) and cls is not CallError
]


def made(cls: type[CallError]) -> CallError:
    if cls in (ContextOverflow, MaxTokensRefused):
        return cls()
    if cls is errors.BadRequest:
        return errors.BadRequest(host="api.example.com", status=400)
    return cls(**BLANKS)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_has_a_sentence_in_both_languages(cls: type[CallError]) -> None:
    error = made(cls)
    english, chinese = error.sentence(EN), error.sentence(ZH)
    assert "{" not in english + chinese
    assert english != chinese
    assert ";" in english, "what failed; what to do"


@pytest.mark.parametrize(
    "cls",
    [
        *(cls for cls in CLASSES if cls.retryable),
        # The agent cures these and sends the request again (`agent.overflow`).
        *(errors.BadRequest, errors.NoRoomToAnswer, ContextOverflow, MaxTokensRefused),
    ],
    ids=lambda cls: cls.__name__,
)
def test_what_is_sent_again_says_why_in_both_languages(cls: type[CallError]) -> None:
    error = made(cls)
    assert error.code not in (error.reason(EN), error.reason(ZH))
    assert error.reason(EN) != error.reason(ZH)


def test_codes_are_unique() -> None:
    codes = [cls.code for cls in CLASSES]
    assert sorted(set(codes)) == sorted(codes)


@pytest.mark.parametrize("cls", [c for c in CLASSES if c.retryable], ids=lambda c: c.__name__)
@pytest.mark.parametrize("words", [EN, ZH], ids=["en", "zh"])
def test_what_is_retried_has_a_short_reason(cls: type[CallError], words: Words) -> None:
    reason = made(cls).reason(words)
    assert reason != cls.code
    assert len(reason) < 60


def test_what_is_retried() -> None:
    assert {cls.code for cls in CLASSES if cls.retryable} == {
        "broken_stream",
        "empty_reply",
        "leaked_call",
        "overloaded",
        "rate_limited",
        "server_error",
        "timeout",
        "truncated_call",
        "unreachable",
    }


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500, 503])
def test_the_key_is_never_shown(status: int) -> None:
    body = {"error": {"message": f"Bad key {KEY} in Authorization: Bearer {KEY}", "code": KEY}}
    error = classify(status, body, place=Place("https://api.example.com/v1", "m", KEY))
    assert KEY not in error.sentence(EN) + repr(error) + str(error) + error.detail
    assert "‹key›" in error.detail


def test_the_key_is_masked_before_the_text_is_cut() -> None:
    cut = said("x" * 290 + KEY, KEY)
    assert "sk-" not in cut


def test_an_address_is_shown_without_its_password() -> None:
    place = Place("https://me:hunter2hunter2@api.example.com/v1?token=1", "m")
    for status in (401, 404, 500):
        assert "hunter2" not in classify(status, "", place=place).sentence(EN)
    assert place.address == "https://api.example.com/v1"


def test_foreign_text_is_short_and_has_no_control_characters() -> None:
    shown = said("\x1b[31mred\x07\n\n\tline " + "x" * 1000)
    assert len(shown) <= 300 + len(r"\x1b") + len(r"\x07")
    assert shown.startswith(r"\x1b[31mred\x07 line xxx")
    assert shown.endswith("x…")


def test_a_web_page_is_not_quoted() -> None:
    page = "<!DOCTYPE html><html><body>" + "x" * 100
    assert classify(502, page, place=Place("https://api.example.com/v1")).detail == ""


def test_the_servers_own_words_stand_at_the_end() -> None:
    error = classify(400, {"error": {"message": "No."}}, place=Place("https://api.example.com"))
    assert error.sentence(EN).endswith("The server said: No.")
    assert error.sentence(ZH).endswith("服务器返回：No.")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (61, "2 minutes"),
        (60.5, "2 minutes"),
        (3600, "60 minutes"),
        (7200, "120 minutes"),
        (7201, "3 hours"),
        (86_400, "24 hours"),
    ],
)
def test_a_long_wait_is_told_in_minutes_or_hours(seconds: float, told: str) -> None:
    error = RateLimited.for_long(seconds, host="api.example.com")
    assert f"wait {told};" in error.sentence(EN)
    assert error.wait == seconds


def test_limits_are_told_in_tokens() -> None:
    assert "131,072 tokens" in ContextOverflow(limit=131072, used=140000).sentence(EN)
    assert "at most 8,192" in MaxTokensRefused(limit=8192).sentence(EN)
