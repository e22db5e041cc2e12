"""Which reasoning goes back, by provider and model (PROVIDERS 1.6), and other differences (1.7)."""

import pytest

from app.conversation.messages import Reasoning
from app.llm.dialects import Dialect, dialect_for


@pytest.mark.parametrize(
    ("base_url", "model", "name"),
    [
        ("https://api.deepseek.com", "deepseek-v4-pro", "deepseek"),
        ("https://api.deepseek.com/v1", "deepseek-reasoner", "deepseek"),
        ("https://api.deepseek.com", "deepseek-r1", "deepseek-r1"),
        ("https://api.moonshot.cn/v1", "kimi-k2.6", "kimi"),
        ("https://api.moonshot.ai/v1", "kimi-k3", "kimi"),
        ("https://api.kimi.com/coding/v1", "kimi-for-coding", "kimi"),
        ("https://open.bigmodel.cn/api/paas/v4", "glm-5.2", "glm"),
        ("https://open.bigmodel.cn/api/coding/paas/v4", "glm-5.2", "glm-coding"),
        ("https://api.z.ai/api/coding/paas/v4/", "glm-5.2", "glm-coding"),
        ("https://api.openai.com/v1", "gpt-5.5", "openai"),
        ("https://api.openai.com/v1", "gpt-5.6-terra", "openai-5.6"),
        ("https://openrouter.ai/api/v1", "deepseek/deepseek-v4-flash", "openrouter"),
        ("https://api.siliconflow.cn/v1", "moonshotai/Kimi-K2.5", "siliconflow-kimi"),
        ("https://api.siliconflow.cn/v1", "deepseek-ai/DeepSeek-V4", "siliconflow-deepseek"),
        ("https://api.siliconflow.cn/v1", "deepseek-ai/DeepSeek-R1", "siliconflow-r1"),
        ("https://api.siliconflow.cn/v1", "Qwen/Qwen3.6", "unknown"),
        ("http://127.0.0.1:11434/v1", "deepseek-r1:7b", "unknown"),
        ("http://127.0.0.1:8000/v1", "kimi-k3", "unknown"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3.6-plus", "unknown"),
        ("https://api.hunyuan.cloud.tencent.com/v1", "hunyuan-t1", "hunyuan"),
        ("https://tokenhub.tencentmaas.com/v1", "hy4", "hunyuan"),
        ("https://api.lkeap.cloud.tencent.com/coding/v3", "hy3", "hunyuan"),
        ("https://notdeepseek.com/v1", "deepseek-v4", "unknown"),
        ("https://deepseek.com.example.org/v1", "deepseek-v4", "unknown"),
        ("", "", "unknown"),
    ],
)
def test_the_dialect_follows_host_and_model(base_url: str, model: str, name: str) -> None:
    assert dialect_for(base_url, model).name == name


def made(
    dialect: Dialect,
    *,
    text: str = "",
    field: str = "",
    details: str = "",
    has_calls: bool = False,
    in_tool_turn: bool = False,
) -> Reasoning | None:
    return dialect.reasoning(
        text=text, field=field, details=details, has_calls=has_calls, in_tool_turn=in_tool_turn
    )


DEEPSEEK = dialect_for("https://api.deepseek.com", "deepseek-v4-pro")
KIMI = dialect_for("https://api.moonshot.cn/v1", "kimi-k2.6")
GLM = dialect_for("https://open.bigmodel.cn/api/paas/v4", "glm-5.2")
GLM_CODING = dialect_for("https://open.bigmodel.cn/api/coding/paas/v4", "glm-5.2")
OPENROUTER = dialect_for("https://openrouter.ai/api/v1", "x")
NEVER = [
    dialect_for("https://api.openai.com/v1", "gpt-5.5"),
    dialect_for("https://api.deepseek.com", "deepseek-r1"),
    dialect_for("http://127.0.0.1:11434/v1", "qwen3"),
]


@pytest.mark.parametrize("dialect", [DEEPSEEK, KIMI], ids=lambda d: d.name)
def test_deepseek_and_kimi_get_it_with_every_call_even_empty(dialect: Dialect) -> None:
    assert made(dialect, has_calls=True) == Reasoning("", "reasoning_content", send=True)
    seen = made(dialect, text="hm", field="reasoning_content", has_calls=True)
    assert seen == Reasoning("hm", "reasoning_content", send=True)


def test_deepseek_gets_it_with_the_last_message_of_a_tool_turn_too() -> None:
    assert made(DEEPSEEK, in_tool_turn=True) == Reasoning("", "reasoning_content", send=True)
    assert made(KIMI, in_tool_turn=True) is None


@pytest.mark.parametrize("dialect", [DEEPSEEK, KIMI, GLM], ids=lambda d: d.name)
def test_a_plain_answer_keeps_it_for_the_reader_only(dialect: Dialect) -> None:
    kept = made(dialect, text="hm", field="reasoning_content")
    assert kept == Reasoning("hm", "reasoning_content", send=False)
    assert made(dialect) is None


def test_glm_gets_it_with_calls_where_there_is_some() -> None:
    assert made(GLM, has_calls=True) is None
    seen = made(GLM, text="hm", field="reasoning_content", has_calls=True)
    assert seen == Reasoning("hm", "reasoning_content", send=True)


def test_glms_coding_plan_preserves_all_of_it() -> None:
    seen = made(GLM_CODING, text="hm", field="reasoning_content")
    assert seen == Reasoning("hm", "reasoning_content", send=True)


@pytest.mark.parametrize("dialect", NEVER, ids=lambda d: d.name)
def test_where_it_is_refused_or_unknown_it_is_never_sent(dialect: Dialect) -> None:
    for has_calls in (True, False):
        seen = made(dialect, text="hm", field="reasoning", details="[]", has_calls=has_calls)
        assert seen == Reasoning("hm", "reasoning", send=False)
        assert made(dialect, has_calls=has_calls, in_tool_turn=True) is None


def test_it_goes_back_under_the_key_it_came_under() -> None:
    seen = made(DEEPSEEK, text="hm", field="reasoning", has_calls=True)
    assert seen == Reasoning("hm", "reasoning", send=True)


def test_openrouter_gets_its_own_structure_back() -> None:
    seen = made(OPENROUTER, text="hm", field="reasoning", details='[{"text": "hm"}]')
    assert seen == Reasoning("hm", "reasoning_details", send=True, details='[{"text": "hm"}]')
    plain = made(OPENROUTER, text="hm", field="reasoning", has_calls=True)
    assert plain == Reasoning("hm", "reasoning", send=False)


def test_the_field_that_limits_an_answer() -> None:
    hosts = {
        "https://api.openai.com/v1": "max_completion_tokens",
        "https://api.moonshot.cn/v1": "max_completion_tokens",
        "https://open.bigmodel.cn/api/paas/v4": "max_tokens",
        "http://127.0.0.1:8080/v1": "max_tokens",
    }
    assert {url: dialect_for(url, "m").max_tokens for url in hosts} == hosts
