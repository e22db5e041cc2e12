"""What error answers mean: the vectors of real providers, and what a status alone says."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.llm.body import read_body
from app.llm.classify import classify
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
)
from app.llm.place import Place
from tests.llm.support import EN, KEY

PLACE = Place("https://api.example.com/v1", "some-model", KEY)

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data/providers/error_vectors.json").read_text(encoding="utf-8")
)["vectors"]

KINDS: dict[str, type[CallError]] = {
    "max_tokens": MaxTokensRefused,
    "overflow": ContextOverflow,
    "overloaded": Overloaded,
    "pairing": HistoryRefused,
    "quota": QuotaUsedUp,
    "rate_limit": RateLimited,
    "reasoning": ReasoningRefused,
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['kind']}-{v['status']}")
def test_vectors(vector: dict[str, Any]) -> None:
    error = classify(vector["status"], vector["body"], place=PLACE)
    assert type(error) is KINDS[vector["kind"]]
    if isinstance(error, ContextOverflow):
        assert (error.limit, error.used) == (vector["limit"], vector["used"])


def test_the_vectors_are_all_there() -> None:
    assert len(VECTORS) == 34
    assert {vector["kind"] for vector in VECTORS} == set(KINDS)


def openai(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, openai("Incorrect API key provided", code="invalid_api_key"), BadKey),
        (401, "<html><title>401</title></html>", BadKey),
        (403, openai("Your API key has no access"), BadKey),
        (403, openai("Kimi For Coding is currently only available for Coding Agents"), Forbidden),
        (403, "", Forbidden),
        (404, openai("The model `x` does not exist", code="model_not_found"), ModelNotFound),
        (400, openai("deepseek-v9 is not a valid model ID"), ModelNotFound),
        (400, openai("模型不存在", code="1211"), ModelNotFound),
        (404, {"error": "model 'x' not found"}, ModelNotFound),
        (404, "<!DOCTYPE html><h1>The model of our page was not found</h1>", AddressNotFound),
        (404, {"detail": "Not Found"}, AddressNotFound),
        (405, {"detail": "Method Not Allowed"}, AddressNotFound),
        (400, openai("registry.ollama.ai/library/x does not support tools"), ToolsRefused),
        (500, openai("tools param requires --jinja flag"), ToolsRefused),
        (400, {"message": '"auto" needs --enable-auto-tool-choice', "code": 400}, ToolsRefused),
        (400, openai("Content Exists Risk"), ContentFiltered),
        (400, openai("系统检测到不安全内容", code="1301"), ContentFiltered),
        (408, "", TimedOut),
        (409, "", ServerFailed),
        (500, "", ServerFailed),
        (502, "<html>Bad Gateway</html>", ServerFailed),
        (504, "", ServerFailed),
        (503, "", Overloaded),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, Overloaded),
        (429, openai("模型访问量过大", code="1305"), Overloaded),
        (429, "", RateLimited),
        (400, openai("Unrecognized request argument: foo"), BadRequest),
        (422, {"detail": [{"loc": ["body"], "msg": "extra fields not permitted"}]}, BadRequest),
        (418, "", BadRequest),
        (302, "", Redirected),
        (200, {"hello": "world"}, NotAnEndpoint),
    ],
)
def test_statuses_and_words(status: int, body: object, expected: type[CallError]) -> None:
    assert type(classify(status, body, place=PLACE)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (openai("Upstream failed", code=502), ServerFailed),
        (openai("Upstream failed", code="503"), Overloaded),
        (openai("Rate limit exceeded", code=429), RateLimited),
        (openai("no credits left", code=402), QuotaUsedUp),
        (openai("Something"), ServerFailed),
        (openai("Something", type="invalid_request_error"), BadRequest),
        ({"error": "Something"}, ServerFailed),
        ({"object": "error", "message": "bad", "code": 400}, BadRequest),
        ("Context size has been exceeded.", ContextOverflow),
    ],
)
def test_errors_inside_a_stream(body: object, expected: type[CallError]) -> None:
    assert type(classify(None, body, place=PLACE)) is expected


def test_the_room_left_is_the_limit_where_the_request_itself_fits() -> None:
    text = (
        "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context "
        "length is 32768 tokens and your request has {} input tokens"
    )
    fits = classify(400, openai(text.format(1000)), place=PLACE)
    assert isinstance(fits, MaxTokensRefused)
    assert (fits.limit, fits.window, fits.prompt) == (31768, 32768, 1000)
    too_long = classify(400, openai(text.format(40000)), place=PLACE)
    assert isinstance(too_long, ContextOverflow)
    assert (too_long.limit, too_long.used) == (32768, 40000)


@pytest.mark.parametrize(
    ("text", "limit", "unsupported"),
    [
        ("max_tokens is too large: 32768. This model supports at most 16384", 16384, False),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192, False),
        ("Range of max_tokens should be [1, 65536]", 65536, False),
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", None, True),
        ("Unrecognized request argument supplied: max_completion_tokens", None, True),
    ],
)
def test_max_tokens(text: str, limit: int | None, unsupported: bool) -> None:
    error = classify(400, openai(text), place=PLACE)
    assert isinstance(error, MaxTokensRefused)
    assert (error.limit, error.unsupported) == (limit, unsupported)


@pytest.mark.parametrize(
    "text",
    [
        "Tokens per minute limit exceeded: maximum context length is 8192 tokens",
        "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000",
    ],
)
@pytest.mark.parametrize("status", [400, 413, 429])
def test_a_rate_is_never_an_overflow(status: int, text: str) -> None:
    assert type(classify(status, openai(text), place=PLACE)) is RateLimited


def test_the_time_of_reset_is_told() -> None:
    text = "已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。"
    error = classify(429, openai(text, code="1308"), place=PLACE)
    assert "until 2026-08-25 07:41:44" in error.sentence(EN)


def test_a_missing_key_is_told_apart_from_a_wrong_one() -> None:
    wrong = classify(401, "", place=PLACE)
    missing = classify(401, "", place=Place("https://api.example.com/v1"))
    assert wrong.sentence(EN) != missing.sentence(EN)
    assert "none is set" in missing.sentence(EN)


def test_stream_options_are_noticed() -> None:
    error = classify(400, openai("stream_options: extra inputs are not permitted"), place=PLACE)
    assert isinstance(error, BadRequest)
    assert error.names_stream_options


def test_a_redirect_names_its_target() -> None:
    error = classify(301, "", place=PLACE, location="https://api.example.com/v2")
    assert "https://api.example.com/v2" in error.sentence(EN)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "a", "metadata": {"raw": '{"error": {"message": "b"}}'}}}, "a\nb"),
        ({"error": "a"}, "a"),
        ({"detail": [{"msg": "a"}, {"msg": "b"}]}, "a\nb"),
        ([{"error": {"message": "a"}}], "a"),
        ('{"error": {"message": "a"}}', "a"),
        ("a", "a"),
        ({"message": "a", "data": None}, "a"),
        (None, ""),
        ({"error": {"message": {"message": {"message": "a"}}}}, "a"),
        ('{"half": ', '{"half":'),
    ],
)
def test_words_are_found_wherever_they_stand(body: object, text: str) -> None:
    assert read_body(body).text == text


def test_a_body_nested_without_end_is_no_trouble() -> None:
    deep: object = "x"
    for _ in range(5_000):
        deep = {"error": deep}
    assert read_body(deep).text == ""
    assert read_body("[" * 50_000).text.startswith("[")


@pytest.mark.parametrize(
    ("text", "limit", "prompt", "answer"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9091 tokens"
            " (7031 in the messages, 2060 in the completion).",
            8192,
            7031,
            2060,
        ),
        (
            "This endpoint's maximum context length is 163840 tokens. However, you requested about "
            "170000 tokens (150000 of text input, 10000 of tool input, 10000 in the output).",
            163_840,
            160_000,
            10_000,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in"
            " 9000 tokens.",
            8192,
            9000,
            None,
        ),
        ("Input prompt (9000 tokens) is too long and exceeds limit of 8192", 8192, 9000, None),
        ("exceeded model token limit: 8192 (requested: 9000)", 8192, None, None),
        (
            "Request 8000 input tokens exceeds the model's maximum context length 8192",
            8192,
            8000,
            None,
        ),
    ],
)
def test_what_the_request_alone_came_to(
    text: str, limit: int, prompt: int | None, answer: int | None
) -> None:
    error = classify(400, openai(text), place=PLACE)
    assert isinstance(error, ContextOverflow)
    assert (error.limit, error.prompt, error.answer) == (limit, prompt, answer)
    assert not error.of_bytes
    assert not error.doubtful


@pytest.mark.parametrize(
    ("status", "body", "of_bytes", "doubtful"),
    [
        (400, openai("total message size 2300000 exceeds limit 2097152"), True, False),
        (413, "Request Entity Too Large", True, False),
        (413, "<html><h1>413</h1></html>", False, True),
        (413, "", False, True),
        (413, openai("maximum context length is 8192 tokens"), False, False),
    ],
)
def test_bytes_tell_nothing_of_the_window(
    status: int, body: object, of_bytes: bool, doubtful: bool
) -> None:
    error = classify(status, body, place=PLACE)
    assert isinstance(error, ContextOverflow)
    assert (error.of_bytes, error.doubtful) == (of_bytes, doubtful)
