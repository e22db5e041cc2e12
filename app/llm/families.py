"""Which family of tokenizers a model belongs to, and its coefficients for the estimate of tokens.

The table is our own: fitted to real tokenizers offline (PROVIDERS 2.3), its source stands in it.
Models whose tokenizer is published nowhere offline (Kimi, StepFun, Hunyuan, MiniMax, Claude…) are
`generic`.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from app.conversation.classes import Coefficients

Family = Literal["o200k", "deepseek_v4", "glm47", "qwen3.6", "llama3", "generic"]

_TABLE = Path(__file__).with_name("token_coefficients.json")

# The first that matches. A distilled model keeps the tokenizer of the model it was made from.
_NAMES: tuple[tuple[str, Family], ...] = (
    (r"distill.*llama", "llama3"),
    (r"distill.*qwen", "qwen3.6"),
    (r"deepseek", "deepseek_v4"),
    (r"\b(?:chat)?glm(?![a-z])", "glm47"),
    (r"qwen|\bq[wv]q\b", "qwen3.6"),
    (r"llama-?3", "llama3"),
    (r"gpt-?(?:4o|4\.1|4\.5|[5-9]|oss)|chatgpt|codex|\bo[134](?![a-z0-9])", "o200k"),
)


def family_for(model: str) -> Family:
    """The family of a model by its name, however prefixed or dated; `generic` if unknown."""
    name = model.lower().replace("_", "-")
    return next((family for pattern, family in _NAMES if re.search(pattern, name)), "generic")


def coefficients_for(model: str) -> Coefficients:
    """The coefficients for a model by its name."""
    return _table()[family_for(model)]


def coefficients_of(family: Family) -> Coefficients:
    """The coefficients of a family."""
    return _table()[family]


@cache
def _table() -> dict[Family, Coefficients]:
    """The table, read once."""
    rows = json.loads(_TABLE.read_text(encoding="utf-8"))["families"]
    return {family: Coefficients(**rows[family]) for family in get_args(Family)}
