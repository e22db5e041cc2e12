"""What one provider refuses beyond the common rules, and in which words and shape it says so."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.endpoint.script import Body

UsageShape = Literal["openai", "deepseek", "kimi", "glm"]
Envelope = Literal["openai", "string-code", "mistral"]

COMMON_FIELDS = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
        "response_format",
    }
)
"""Top-level fields that every provider takes; more must be named by the dialect."""

MAX_BYTES = 2 * 1024 * 1024
"""Kimi's limit of a body (PROVIDERS 1.4)."""

WITH_PICTURES = 20_000_000
"""The limit of a provider that takes many pictures (Gemini's)."""

NEGOTIABLE = frozenset(
    {
        "stream-options-refused",
        "max-tokens",
        "max-completion-tokens",
        "temperature",
        "overflow",
        "overflow-completion",
    }
)
"""Rules a client can't know before it was refused once: no violations, but kept as refusals."""

_TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a request breaks, with what fills the blanks of its text."""

    rule: str
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def negotiable(self) -> bool:
        """Whether a client may meet it once and learn from it."""
        return self.rule in NEGOTIABLE


def fault(rule: str, **values: object) -> Fault:
    """A fault with its values."""
    return Fault(rule, values)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A provider's strictness.

    Attributes:
        name: as `Endpoint(dialect=…)` takes it.
        rules: its own rules beyond the common ones.
        fields: top-level fields it takes beyond the common ones.
        usage: how it spells usage (PROVIDERS 1.5).
        envelope: the shape of its error bodies.
        codes: its error codes by rule.
        statuses: HTTP statuses by rule where it isn't 400.
        forbidden: tool names it refuses.
        body: bytes of a request that it takes.
    """

    name: str
    rules: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    usage: UsageShape = "openai"
    envelope: Envelope = "openai"
    codes: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    forbidden: frozenset[str] = frozenset()
    body: int = MAX_BYTES

    def text(self, broken: Fault) -> str:
        """The provider's own words for a fault."""
        own = _TEXTS.get(self.name, {})
        template = own.get(broken.rule) or _TEXTS["openai"][broken.rule]
        return template.format_map(broken.values)

    def status(self, broken: Fault) -> int:
        """The HTTP status it answers with."""
        return self.statuses.get(broken.rule, 400)

    def error(self, broken: Fault) -> Body:
        """The body it answers with."""
        text = self.text(broken)
        code = self.codes.get(broken.rule)
        if self.envelope == "mistral":
            return {"object": "error", "message": text, "type": "invalid_request_error"}
        if self.envelope == "string-code":
            return {"error": {"code": code or "1210", "message": text}}
        return {
            "error": {
                "message": text,
                "type": "invalid_request_error",
                "param": None,
                "code": code or "invalid_request_error",
            }
        }


_OVERFLOW = {
    "overflow": "context_length_exceeded",
    "overflow-completion": "context_length_exceeded",
}

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("openai", codes=_OVERFLOW, body=WITH_PICTURES),
        Dialect(
            "gpt",
            rules=frozenset({"max-tokens", "temperature", "tools-with-effort"}),
            fields=frozenset({"reasoning_effort", "parallel_tool_calls"}),
            codes={**_OVERFLOW, "max-tokens": "unsupported_parameter"},
            body=WITH_PICTURES,
        ),
        Dialect(
            "deepseek",
            rules=frozenset({"image", "reasoning-missing-turn"}),
            fields=frozenset({"thinking", "reasoning_effort"}),
            usage="deepseek",
            statuses={"image": 422, "developer": 422},
        ),
        Dialect(
            "r1",
            rules=frozenset({"image", "reasoning-present", "successive"}),
            usage="deepseek",
        ),
        Dialect(
            "kimi",
            rules=frozenset(
                {"reasoning-missing-call", "temperature", "tool-choice-thinking", "tool-type"}
            ),
            fields=frozenset({"thinking"}),
            usage="kimi",
        ),
        Dialect(
            "glm",
            rules=frozenset(
                {
                    "user-needed",
                    "message-name",
                    "tool-strict",
                    "tool-choice-auto",
                    "max-completion-tokens",
                }
            ),
            fields=frozenset({"thinking", "tool_stream"}),
            usage="glm",
            envelope="string-code",
            codes={
                "unpaired": "1214",
                "between": "1214",
                "orphan": "1214",
                "user-needed": "1214",
                "developer": "1214",
                "overflow": "1261",
            },
        ),
        Dialect(
            "dashscope",
            fields=frozenset({"enable_thinking", "preserve_thinking", "parallel_tool_calls"}),
            codes={"overflow": "invalid_parameter_error"},
            forbidden=frozenset({"search"}),
        ),
        Dialect(
            "hunyuan",
            rules=frozenset({"alternation"}),
            envelope="string-code",
            codes={"alternation": "1001"},
        ),
        Dialect("qwen_template", rules=frozenset({"user-needed"})),
        Dialect(
            "mistral",
            rules=frozenset({"id-nine", "user-after-tool", "last-role", "stream-options-refused"}),
            envelope="mistral",
            statuses={"stream-options-refused": 422},
        ),
        Dialect("llamacpp", statuses={"assistant-null": 500, "developer": 500}, codes=_OVERFLOW),
    )
}
"""Every dialect by name. `openai` holds just the rules that hold everywhere."""
