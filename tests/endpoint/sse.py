"""Answers as real servers send them: a stream of chunks, or one whole object."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.endpoint.dialects import Dialect, UsageShape
from tests.endpoint.script import Body, Call, Say, Tokens

CREATED = 1_700_000_000
"""A fixed time, so that a stream is the same in every run."""

DONE = b"data: [DONE]\n\n"


def event(data: object) -> bytes:
    """One server-sent event with a JSON object."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def chunk(
    delta: Body | None = None, finish: str | None = None, *, model: str = "scripted", **extra: Any
) -> Body:
    """One chunk of a stream, as an object; `extra` adds or replaces fields."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}],
        **extra,
    }


def delta(**fields: Any) -> bytes:
    """One event with a delta: `delta(content="Hel")`, for `Raw` steps."""
    return event(chunk(fields))


def finish(reason: str = "stop") -> bytes:
    """The event with the finish_reason, for `Raw` steps."""
    return event(chunk({}, reason))


def usage_object(tokens: Tokens, shape: UsageShape) -> Body:
    """Usage in one of the spellings of PROVIDERS 1.5."""
    usage: Body = {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion,
        "total_tokens": tokens.prompt + tokens.completion,
    }
    if shape == "deepseek":
        usage["prompt_cache_hit_tokens"] = tokens.cached
        usage["prompt_cache_miss_tokens"] = tokens.prompt - tokens.cached
    elif shape == "kimi":
        usage["cached_tokens"] = tokens.cached
    else:
        usage["prompt_tokens_details"] = {"cached_tokens": tokens.cached}
    if tokens.reasoning:
        usage["completion_tokens_details"] = {"reasoning_tokens": tokens.reasoning}
    return usage


def split(text: str, size: int | None) -> Iterator[str]:
    """Pieces of at most `size` characters; None: of 8, in a long text of as many as make 40."""
    size = size or max(8, -(-len(text) // 40))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def arguments_text(call: Call) -> str:
    """A call's arguments as they are sent."""
    if isinstance(call.arguments, str):
        return call.arguments
    return json.dumps(call.arguments, ensure_ascii=False)


def finish_of(say: Say) -> str:
    """The finish_reason of an answer."""
    return say.finish or ("tool_calls" if say.calls else "stop")


def deltas(say: Say, ids: Sequence[str]) -> Iterator[Body]:
    """The deltas between the role chunk and the finish chunk."""
    for piece in split(say.reasoning, say.chunk):
        yield {say.reasoning_field: piece}
    for piece in split(say.text, say.chunk):
        yield {"content": piece}
    for index, (call, identity) in enumerate(zip(say.calls, ids, strict=True)):
        first = {"name": call.name, "arguments": ""}
        yield {
            "tool_calls": [{"index": index, "id": identity, "type": "function", "function": first}]
        }
        for piece in split(arguments_text(call), say.chunk):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def stream(
    say: Say, ids: Sequence[str], model: str, dialect: Dialect, *, include_usage: bool
) -> Iterator[tuple[Body, bool]]:
    """The chunks of a streamed answer, each with whether it is one of the content's pieces.

    Where usage was asked for, every chunk but the last carries `usage: null`; the last has the
    figures and `choices: []`. Moonshot puts them into the last choice, GLM sends them unasked.
    """
    null = {"usage": None} if include_usage and dialect.usage == "openai" else {}
    yield chunk({"role": "assistant", "content": ""}, model=model, **null), False
    for piece in deltas(say, ids):
        yield chunk(piece, model=model, **null), True
    last = chunk({}, finish_of(say), model=model, **null)
    figures = usage_object(say.usage, dialect.usage) if say.usage else None
    if figures and dialect.usage == "kimi" and include_usage:
        last["choices"][0]["usage"] = figures
    elif figures and dialect.usage == "glm":
        last["usage"] = figures
    yield last, False
    if figures and include_usage and dialect.usage in ("openai", "deepseek"):
        yield chunk(model=model, choices=[], usage=figures), False


def whole(say: Say, ids: Sequence[str], model: str, dialect: Dialect) -> Body:
    """The answer to a request without `stream`."""
    message: Body = {"role": "assistant", "content": say.text or (None if say.calls else "")}
    if say.reasoning:
        message[say.reasoning_field] = say.reasoning
    if say.calls:
        message["tool_calls"] = [
            {
                "id": identity,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call)},
            }
            for call, identity in zip(say.calls, ids, strict=True)
        ]
    answer: Body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_of(say)}],
    }
    if say.usage:
        answer["usage"] = usage_object(say.usage, dialect.usage)
    return answer
