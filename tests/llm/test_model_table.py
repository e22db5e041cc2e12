"""The model table: every row sound, names as endpoints spell them, what a call costs."""

import datetime
import json
from importlib import resources

import pytest

from app.llm.model_table import ModelFacts, find_model
from app.llm.providers import PROVIDERS

RAW = resources.files("app.llm").joinpath("model_table.json").read_bytes()
NAMES = [row["name"] for row in json.loads(RAW)["models"]]


def facts(name: str) -> ModelFacts:
    found = find_model(name)
    assert found is not None, name
    return found


def test_the_table_is_small() -> None:
    assert len(RAW) < 16_000
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_sound_and_found_by_its_name(name: str) -> None:
    row = facts(name)
    assert row.name == name
    assert 8_000 <= row.window <= 2_000_000
    assert row.max_input is None or row.max_input < row.window
    assert row.max_output is None or 0 < row.max_output <= row.window
    assert row.source
    assert datetime.date(2026, 1, 1) < row.date
    if row.prices is not None:
        assert 0 <= row.prices.cached <= row.prices.prompt <= row.prices.completion
        assert (row.prices.above is None) == (row.prices.beyond is None)
        if row.prices.beyond is not None:
            assert row.prices.prompt < row.prices.beyond.prompt


@pytest.mark.parametrize(
    ("name", "window", "max_input", "max_output"),
    [
        # PROVIDERS 1.1
        ("gpt-5.6-terra", 1_050_000, 922_000, 128_000),
        ("gpt-5.5", 1_050_000, 922_000, 128_000),
        ("gpt-5.2", 400_000, 272_000, 128_000),
        ("deepseek-v4-pro", 1_000_000, None, 384_000),
        ("glm-5.2", 1_000_000, None, 131_072),
        ("glm-4.6", 204_800, None, 131_072),
        ("kimi-k3", 1_048_576, None, 131_072),
        ("kimi-k2.6", 262_144, None, 32_768),
        ("step-3.7-flash", 256_000, None, 256_000),
        ("hy4", 1_000_000, 960_000, 64_000),
        ("qwen3.6-plus", 1_000_000, 983_616, 65_536),
        ("qwen3-coder-plus", 1_000_000, 997_952, 65_536),
    ],
)
def test_known_models(name: str, window: int, max_input: int | None, max_output: int) -> None:
    row = facts(name)
    assert (row.window, row.max_input, row.max_output) == (window, max_input, max_output)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)
def test_the_models_offered_first_are_known(provider: object) -> None:
    assert find_model(getattr(provider, "model", "")) is not None


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("openai/gpt-5.5", "gpt-5.5"),
        ("OpenAI/GPT-5.5", "gpt-5.5"),
        ("openrouter/openai/gpt-5.5", "gpt-5.5"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("deepseek/deepseek-v4-flash:free", "deepseek-v4-flash"),
        ("deepseek-v4-flash-0731", "deepseek-v4-flash"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("z-ai/glm-5.2", "glm-5.2"),
        ("zai-org/GLM-4.6-FP8", "glm-4.6"),
        ("gpt-oss:20b", "gpt-oss-20b"),
        ("moonshotai/kimi-k2.6:thinking", "kimi-k2.6"),
        ("google/gemini-3-flash-preview", "gemini-3-flash-preview"),
        ("qwen3-max-2026-01-23", "qwen3-max"),
        (" kimi-k3 ", "kimi-k3"),
    ],
)
def test_names_as_endpoints_spell_them(spelt: str, name: str) -> None:
    assert facts(spelt).name == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", ":", "-", "scripted", "gpt", "gpt-5.5-turbo", "my-gpt-5.5", "gpt-5.55", "gpt-4"),
        *("glm", "latest", "2025-08-07", "free", "openai/", "deepseek-v4", "qwen3:8b", ":free"),
        *("gpt-4.1-ultra", "kimi-k2.6x", "demo"),
    ],
)
def test_the_beginning_of_a_name_is_not_the_name(name: str) -> None:
    assert find_model(name) is None


def test_a_longer_name_is_its_own_model() -> None:
    # FACTS 3.2: by prefixes in table order gpt-4.1 was taken for gpt-4, with a window of 8,192.
    assert facts("gpt-4.1").window == 1_047_576
    assert facts("gpt-5.4-mini").window != facts("gpt-5.4").window


def test_what_a_call_costs() -> None:
    prices = facts("deepseek-v4-flash").prices
    assert prices is not None
    assert prices.cost(prompt=1_000_000) == pytest.approx(0.15)
    cost = prices.cost(prompt=1_000_000, cached=900_000, completion=100_000)
    assert cost == pytest.approx(0.1 * 0.15 + 0.9 * 0.003 + 0.1 * 0.6)
    assert prices.cost(prompt=0) == 0


def test_a_long_prompt_costs_more_from_the_first_token_on() -> None:
    prices = facts("gpt-5.5").prices
    assert prices is not None
    assert prices.cost(prompt=272_000) == pytest.approx(0.272 * 5)
    assert prices.cost(prompt=272_001, completion=1_000_000) == pytest.approx(2.72001 + 45)


def test_no_price_for_the_cache_is_the_full_price() -> None:
    prices = facts("qwen3.6-flash").prices
    assert prices is not None
    assert prices.cached == prices.prompt


def test_what_a_variant_costs_is_unknown_and_free_is_free() -> None:
    for name in ("moonshotai/kimi-k2.6:thinking", "kimi-k2.6:nitro", "zai-org/GLM-4.6-FP8"):
        assert facts(name).prices is None, name
    for name in ("kimi-k2.6:free", "kimi-k2.6-free"):
        free = facts(name).prices
        assert free is not None
        assert free.cost(prompt=10**6, completion=10**6) == 0
    assert facts("gpt-oss-120b").prices is None
    assert facts("gpt-5-2025-08-07").prices == facts("gpt-5").prices
