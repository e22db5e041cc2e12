"""Token counts in every spelling of PROVIDERS 1.5, and counts that nobody should believe."""

import pytest

from app.llm.usage import read_usage
from app.ports import Usage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 60},
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            Usage(100, 60, 20, 15),
        ),
        (
            {"prompt_tokens": 100, "prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40},
            Usage(100, 60),
        ),
        ({"prompt_tokens": 100, "cached_tokens": 60}, Usage(100, 60)),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "cost": 0.002},
            Usage(100, 0, 20, 0, 0.002),
        ),
        ({"prompt_tokens": 100, "prompt_tokens_details": None}, Usage(100)),
        ({"prompt_tokens": 100.0, "completion_tokens": None}, Usage(100)),
        ({"prompt_tokens": 10, "cached_tokens": 99}, Usage(10, 10)),
        ({"prompt_tokens": 10, "completion_tokens": -1, "cost": "much"}, Usage(10)),
    ],
)
def test_spellings(usage: dict[str, object], expected: Usage) -> None:
    assert read_usage({"usage": usage}) == expected


def test_moonshot_puts_it_into_the_choice() -> None:
    chunk = {"choices": [{"usage": {"prompt_tokens": 7, "completion_tokens": 1}}]}
    assert read_usage(chunk) == Usage(7, 0, 1)


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"usage": None},
        {"usage": {}},
        {"usage": "12"},
        {"usage": {"prompt_tokens": 0, "completion_tokens": 5}},
        {"usage": {"prompt_tokens": 1_000_000_000}},
        {"usage": {"prompt_tokens": True}},
        {"usage": {"prompt_tokens": float("nan")}},
        {"usage": {"prompt_tokens": "100"}},
        {"choices": None},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{"usage": None}]},
    ],
)
def test_no_usage_to_believe(chunk: dict[str, object]) -> None:
    assert read_usage(chunk) is None
