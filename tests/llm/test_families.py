"""Which tokenizer a model has, by its name."""

import json
from pathlib import Path

import pytest

from app.conversation.classes import Coefficients
from app.llm import families
from app.llm.families import coefficients_for, coefficients_of, family_for


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5.5", "o200k"),
        ("openai/gpt-5.6-sol-2026-04-23", "o200k"),
        ("gpt-4o-mini", "o200k"),
        ("gpt-4.1", "o200k"),
        ("gpt-oss:20b", "o200k"),
        ("o3-mini", "o200k"),
        ("gpt-4", "generic"),
        ("gpt-3.5-turbo", "generic"),
        ("DeepSeek-V4-Flash", "deepseek_v4"),
        ("deepseek/deepseek-v4-pro:free", "deepseek_v4"),
        ("deepseek-r1-distill-llama-70b", "llama3"),
        ("DeepSeek-R1-Distill-Qwen-32B", "qwen3.6"),
        ("glm-5.2", "glm47"),
        ("z-ai/glm-4.7", "glm47"),
        ("chatglm3-6b", "glm47"),
        ("qwen3.6-plus", "qwen3.6"),
        ("qwq-32b", "qwen3.6"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "qwen3.6"),
        ("llama3.2:3b", "llama3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("llama_3.1", "llama3"),
        ("llama-4-scout", "generic"),
        ("kimi-k2.6", "generic"),
        ("step-3.7-flash", "generic"),
        ("hunyuan-2.0-think", "generic"),
        ("claude-opus-4-1", "generic"),
        ("turbo3", "generic"),
        ("", "generic"),
    ],
)
def test_family(model: str, family: str) -> None:
    assert family_for(model) == family


def test_the_table_says_where_it_is_from() -> None:
    path = Path(families.__file__).with_name("token_coefficients.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    assert table["source"]
    assert table["date"]
    for row in table["families"].values():
        assert tuple(row) == Coefficients._fields
        assert all(value >= 0 for value in row.values())


def test_coefficients() -> None:
    assert coefficients_for("nobody knows") == coefficients_of("generic")
    assert coefficients_of("generic").word == 0.864
    assert coefficients_for("qwen3.6-plus").digL == 1.178
