"""The table of the first-run screen."""

import pytest

from app.llm.connect import normalise_base_url
from app.llm.dialects import dialect_for
from app.llm.providers import PROVIDERS, Provider, provider_at


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)
def test_each_row_is_ready_to_use(provider: Provider) -> None:
    assert normalise_base_url(provider.base_url) == provider.base_url
    assert provider.base_url.startswith("https://")
    assert provider.model
    assert all(name.isupper() and name.endswith("_API_KEY") for name in provider.key_variables)


def test_rows_are_told_apart() -> None:
    for field in ("id", "name", "base_url"):
        assert len({getattr(provider, field) for provider in PROVIDERS}) == len(PROVIDERS)


def test_the_order_of_the_screen() -> None:
    assert [provider.name for provider in PROVIDERS] == [
        "DeepSeek",
        "Zhipu GLM",
        "Moonshot",
        "Qwen",
        "OpenAI",
        "OpenRouter",
        "StepFun",
    ]


def test_the_first_variable_that_is_set() -> None:
    glm = next(provider for provider in PROVIDERS if provider.id == "glm")
    assert glm.key_variable({}) is None
    assert glm.key_variable({"ZHIPU_API_KEY": " "}) is None
    assert glm.key_variable({"ZHIPUAI_API_KEY": "k"}) == "ZHIPUAI_API_KEY"
    assert glm.key_variable({"ZHIPUAI_API_KEY": "k", "ZHIPU_API_KEY": "k"}) == "ZHIPU_API_KEY"


def test_a_provider_is_known_by_its_host() -> None:
    assert provider_at("api.moonshot.cn") is PROVIDERS[2]
    assert provider_at("moonshot.cn") is None


def test_openais_default_model_can_reason_with_tools() -> None:
    openai = next(provider for provider in PROVIDERS if provider.id == "openai")
    assert dialect_for(openai.base_url, openai.model).with_tools is None
    assert dialect_for(openai.base_url, "gpt-5.6-sol").with_tools == {"reasoning_effort": "none"}
