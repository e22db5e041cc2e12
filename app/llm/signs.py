"""By what an error is known: codes and phrases of providers, a table for `classify`.

From PROVIDERS 1.3, 1.4, 1.7 and the vectors in `tests/data/providers/error_vectors.json`.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


# GLM (docs.bigmodel.cn/cn/api/api-code): 1113 arrears, 1304 daily count, 1308 and 1310 plan limit,
# 1309 plan expired, 1313 fair use: no wait of seconds helps.
QUOTA_CODES = frozenset(
    {"insufficient_quota", "exceeded_current_quota_error", "insufficient_balance"}
    | {"1113", "1304", "1308", "1309", "1310", "1313"}
)
QUOTA = _any(
    r"insufficient balance",
    r"exceeded your current quota",
    r"usage limit",
    r"billing cycle",
    r"(insufficient|not enough|out of|requires more) credits?",
    r"余额不足|欠费|使用上限|已用完|套餐已到期",
)
RESET = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?")

RATE_CODES = frozenset(
    {"rate_limit_exceeded", "rate_limit_reached_error", "rate_limit_error"}
    | {"too_many_requests", "1302", "1303"}
)
RATE = _any(r"\brate.?limit", r"per.?(minute|second|hour|day)\b", r"too many requests", r"速率限制")

OVERLOADED_CODES = frozenset({"overloaded_error", "engine_overloaded_error", "1305", "1312"})
OVERLOADED = _any(r"overloaded", r"server is busy", r"at capacity", r"服务器繁忙|访问量过大")

MAX_TOKENS = _any(r"max_(completion_|output_)?tokens")
UNSUPPORTED = _any(
    r"unsupported parameter",
    r"not supported",
    r"does ?n.t support",
    r"unrecognized",
    r"unknown (field|parameter|argument)",
    r"extra (inputs|fields)",
    r"unexpected (field|keyword)",
)
TOO_LARGE = _any(
    r"too (large|high|big)",
    r"at most",
    r"valid range",
    r"range of",
    r"exceed",
    r"less than or equal",
    r"maximum (allowed )?value",
)
MAX_TOKENS_LIMIT = _any(
    r"at most (\d+)",
    r"\[\s*1\s*,\s*(\d+)\s*\]",
    r"less than or equal to (\d+)",
    r"maximum (?:allowed )?value (?:of |is )?(\d+)",
)
WINDOW_LESS_INPUT = _any(
    r"maximum context length is (\d+) tokens and your request has (\d+) input tokens"
)

OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "1261"})
OVERFLOW_FIGURES = (
    # Each names the window (`limit`) and, where told, the request (`used`); PROVIDERS 1.3.
    _any(r"context length is (?P<limit>\d+) tokens.*?\((?P<used>\d+) in the messages"),
    _any(r"context length is (?P<limit>\d+) tokens.*?(requested about|resulted in) (?P<used>\d+)"),
    _any(r"context length is (?P<limit>\d+) tokens.*?requested (?P<used>\d+)"),
    _any(r"context length is (?P<limit>\d+) tokens.*?has (?P<used>\d+) input tokens"),
    _any(r"token limit:? (?P<limit>\d+) \(requested:? (?P<used>\d+)\)"),
    _any(r"range of input length should be \[\d+, ?(?P<limit>\d+)\]"),
    _any(r"(?P<used>\d+) input tokens exceeds the model.s maximum context length (?P<limit>\d+)"),
    _any(r"\((?P<used>\d+) tokens\) exceeds the available context size \((?P<limit>\d+) tokens"),
    _any(r"n_keep: ?(?P<used>\d+) ?>= ?n_ctx: ?(?P<limit>\d+)"),
    _any(r"first (?P<used>\d+) tokens when context.*?length of only (?P<limit>\d+)"),
    _any(r"(?P<used>\d+) tokens > (?P<limit>\d+) maximum"),
    _any(r"\((?P<used>\d+) tokens\) is too long and exceeds limit of (?P<limit>\d+)"),
    _any(r"maximum context length is (?P<limit>\d+)"),
)
OVERFLOW = _any(
    r"exceeds? the context window",
    r"context size has been exceeded",
    r"context length exceeded",
    r"prompt exceeds max length|prompt 超长",
    r"prompt is too long",
    r"no user query found in messages",  # Ollama cut the user's turn away (ollama #18107)
)

BODY_SIZE = _any(
    r"total message size \d+ exceeds limit",  # Kimi: 2 MiB of JSON, pictures for the most part
    r"(request entity|request body|payload) (is )?too large",
)
"""The request has too many bytes, which tells nothing of the window (PROVIDERS 1.4)."""
OVERFLOW_PROMPT = (
    # What the messages and tools alone came to, where what is asked for the answer is counted in.
    _any(r"\((?P<prompt>\d+) in the messages"),
    _any(r"\((?P<prompt>\d+) of text input(?:, ?(?P<tools>\d+) of tool input)?"),
    _any(r"(?P<prompt>\d+) input tokens"),
    _any(r"request \((?P<prompt>\d+) tokens\) exceeds the available context size"),
    _any(r"n_keep: ?(?P<prompt>\d+)"),
    _any(r"messages resulted in (?P<prompt>\d+) tokens"),
    _any(r"prompt is too long: (?P<prompt>\d+) tokens"),
    _any(r"input prompt \((?P<prompt>\d+) tokens\)"),
    _any(r"keep the first (?P<prompt>\d+) tokens"),
)
OVERFLOW_ANSWER = _any(r"(\d+) in the (?:completion|output)\b")
"""What was asked for the answer, where it is counted in."""

PAIRING = _any(
    r"must be followed by tool messages",
    r"did not have response messages",
    r"role .?.tool.?. must be a response",
    r"but there was no previous assistant message with a tool call",
    r"tool_call_id.{0,80}is not found",
    r"duplicate value for .tool_call_id",
    r"tool_use. ids must be unique",
    r"successive (user|assistant)|roles must alternate|角色需交替",
    r"unexpected role .{0,20} after role",
    r"system message must be at the beginning",
    r"role .assistant. must not be empty",
    r"messages 参数非法",
)

NO_TOOLS = _any(
    r"does not support tools",
    r"requires --jinja",
    r"enable-auto-tool-choice",
    r"tool.call-parser",
    r"no endpoints found that support tool use",
    r"does not support (function|tool) call",
)
NO_MODEL_CODES = frozenset({"model_not_found", "invalid_model", "1211"})
NO_MODEL = _any(
    r"model\b.{0,80}\b(does not exist|not found|not exist)",
    r"no such model|unknown model|not a valid model|invalid model",
    r"模型不存在",
)
FILTERED_CODES = frozenset(
    {"content_filter", "content_policy_violation", "data_inspection_failed", "1301"}
)
FILTERED = _any(r"content exists risk", r"content (management )?policy", r"inappropriate content")
KEY = _any(r"api.?key", r"unauthori[sz]ed", r"authenticat", r"invalid token", r"密钥|令牌")
REQUEST_FAULT = _any(r"invalid_request|invalid_parameter|bad_request|unsupported")

IMAGES = re.compile(
    r"image_url|(image|vision|multi-?modal)\w*( input| content)?s?\W+(is|are)?\W*not supported"
    r"|(not|n't) support (image|vision|multi-?modal)|unsupported image|mmproj",
    re.I,
)
"""A model that takes no pictures (PROVIDERS 1.7; llama.cpp names the file it lacks, `mmproj`)."""
