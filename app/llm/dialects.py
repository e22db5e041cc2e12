"""What differs between providers: which reasoning goes back, and names of fields.

A table from PROVIDERS 1.6 and 1.7, looked up once by host and model name. Whether a message's
reasoning is sent back is decided when the reply is made and kept with it, so that bytes already
sent stay the same.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal
from urllib.parse import urlsplit

from app.conversation.messages import Reasoning
from app.conversation.window import RULES
from app.llm.reasoning import DETAILS_FIELD

MaxTokensField = Literal["max_tokens", "max_completion_tokens"]


class SendBack(Enum):
    """Which messages keep their reasoning for the model."""

    NEVER = auto()
    """OpenAI returns none, old R1 refuses it, Qwen ignores it; unknown servers may refuse it."""
    CALLS = auto()
    """Messages with tool calls, where some was seen: GLM wants it beside the tool results."""
    CALLS_ALWAYS = auto()
    """The same, but "" where none was seen: Kimi answers 400 when the field is missing."""
    TOOL_TURNS = auto()
    """Every message of a turn that used tools, "" where none was seen: DeepSeek from V3.2 on."""
    SEEN = auto()
    """Every message that has some: endpoints that preserve thinking (GLM's coding plan)."""
    DETAILS = auto()
    """The provider's own structure, untouched, wherever it came (OpenRouter)."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one provider, or one family of models there, differs.

    Attributes:
        name: for messages and tests.
        send_back: which reasoning goes back.
        max_tokens: the field that limits the answer; swapped once if the provider refuses it.
        with_tools: fields sent along with tools.
        field: under which an empty reasoning goes back when none was seen.
        body: bytes of a request that it takes (PROVIDERS 1.4).
        alternates: the user may speak only after the assistant, not after a result (1.7).
    """

    name: str
    send_back: SendBack = SendBack.NEVER
    max_tokens: MaxTokensField = "max_tokens"
    with_tools: Mapping[str, object] | None = None
    field: str = "reasoning_content"
    body: int = RULES.body
    alternates: bool = False

    def reasoning(
        self, *, text: str, field: str, details: str, has_calls: bool, in_tool_turn: bool
    ) -> Reasoning | None:
        """The reasoning of one reply, with the decision whether it is sent back.

        Args:
            text: what was streamed.
            field: the key it came under, "" if none came; it goes back under the same.
            details: the provider's own structure as JSON, or "".
            has_calls: the reply calls tools.
            in_tool_turn: a tool result stands between the last user message and this reply.
        """
        seen = bool(text or details)
        match self.send_back:
            case SendBack.NEVER:
                send = False
            case SendBack.CALLS:
                send = has_calls and seen
            case SendBack.CALLS_ALWAYS:
                send = has_calls
            case SendBack.TOOL_TURNS:
                send = has_calls or in_tool_turn
            case SendBack.SEEN:
                send = seen
            case SendBack.DETAILS:
                send = bool(details)
        if not seen and not send:
            return None
        if self.send_back is SendBack.DETAILS and details:
            return Reasoning(text=text, field=DETAILS_FIELD, send=send, details=details)
        return Reasoning(text=text, field=field or self.field, send=send)


UNKNOWN = Dialect("unknown")
"""Any other server, local ones too: nothing it might refuse is sent."""


@dataclass(frozen=True, slots=True)
class _Row:
    """When a dialect holds: the host ends with, the path has, the model's name matches."""

    dialect: Dialect
    host: str
    path: str = ""
    model: str = ""

    def matches(self, host: str, path: str, model: str) -> bool:
        at_home = host == self.host or host.endswith(f".{self.host}")
        return at_home and self.path in path and re.search(self.model, model, re.I) is not None


_R1 = r"(^|[-_/])r1\b"

_DEEPSEEK = Dialect("deepseek", SendBack.TOOL_TURNS)
_KIMI = Dialect("kimi", SendBack.CALLS_ALWAYS, "max_completion_tokens")
# "total message size N exceeds limit 2097152" (1.4).
_KIMI_CODING = replace(_KIMI, body=2_097_152)
_GLM = Dialect("glm", SendBack.CALLS)
_GLM_CODING = Dialect("glm-coding", SendBack.SEEN)
# 5.6 refuses tools while it may reason, and omission counts as reasoning (1.6).
_OPENAI_56 = Dialect(
    "openai-5.6",
    max_tokens="max_completion_tokens",
    with_tools={"reasoning_effort": "none"},
)
_OPENAI = Dialect("openai", max_tokens="max_completion_tokens")

_HUNYUAN = Dialect("hunyuan", alternates=True)

_TABLE = (
    # The first row that matches holds. `deepseek-reasoner` is an alias of V4 today (1.1).
    _Row(Dialect("deepseek-r1"), "deepseek.com", model=_R1),
    _Row(_DEEPSEEK, "deepseek.com"),
    _Row(_KIMI, "moonshot.cn"),
    _Row(_KIMI, "moonshot.ai"),
    _Row(_KIMI_CODING, "kimi.com"),
    _Row(_GLM_CODING, "bigmodel.cn", path="/coding/"),
    _Row(_GLM_CODING, "z.ai", path="/coding/"),
    _Row(_GLM, "bigmodel.cn"),
    _Row(_GLM, "z.ai"),
    _Row(_OPENAI_56, "api.openai.com", model=r"^gpt-5\.6"),
    _Row(_OPENAI, "api.openai.com"),
    _Row(_HUNYUAN, "hunyuan.cloud.tencent.com"),
    _Row(_HUNYUAN, "lkeap.cloud.tencent.com"),
    _Row(_HUNYUAN, "tencentmaas.com"),
    _Row(Dialect("openrouter", SendBack.DETAILS), "openrouter.ai"),
    # SiliconFlow gives Kimi's and DeepSeek's 400 for a missing field, as code 20015 (1.6).
    _Row(Dialect("siliconflow-r1"), "siliconflow.cn", model=_R1),
    _Row(Dialect("siliconflow-kimi", SendBack.CALLS_ALWAYS), "siliconflow.cn", model="kimi"),
    _Row(Dialect("siliconflow-deepseek", SendBack.TOOL_TURNS), "siliconflow.cn", model="deepseek"),
)


def dialect_for(base_url: str, model: str) -> Dialect:
    """The dialect that holds for a model at an address."""
    parts = urlsplit(base_url)
    host, path = parts.hostname or "", f"{parts.path}/"
    for row in _TABLE:
        if row.matches(host, path, model):
            return row.dialect
    return UNKNOWN
