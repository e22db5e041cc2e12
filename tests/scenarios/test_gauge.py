"""The gauge against a provider that counts otherwise: over HTTP, request by request (FIELD 71)."""

import json
import statistics
from itertools import cycle
from pathlib import Path
from typing import Any

from app.conversation.classes import estimate_text
from app.llm.client import OpenAIModel
from app.llm.families import coefficients_of
from app.session.clock import SystemClock
from app.text import Words
from tests.benchmarks.token_sessions import texts
from tests.endpoint import Call, Endpoint, Say, Tokens
from tests.session.support import Recorded, make_session

LENGTHS = {"en_prose": 2_400, "py_code": 2_400, "zh_prose": 900}
"""Characters of a large file of each kind, some 600 tokens."""

STEPS = 12
"""Requests of the task; each but the last asks for a file."""

QWEN = coefficients_of("qwen3.6")


def counted(text: str) -> float:
    """The provider's count: of another family than Haima takes it for, and more by a factor."""
    return 1.07 * estimate_text(text, QWEN)


def prompt_tokens(body: dict[str, Any]) -> int:
    """A request's tokens, as a chat template renders it."""
    total = counted(json.dumps(body["tools"], ensure_ascii=False))
    for message in body["messages"]:
        total += 4 + counted(message.get("content") or "")
        total += sum(call_tokens(call["function"]) for call in message.get("tool_calls", ()))
    return round(total)


def call_tokens(function: dict[str, str]) -> float:
    return 6 + counted(f"{function['name']} {function['arguments']}")


def text_of(kind: str) -> str:
    return "\n".join(text.text for text in texts() if text.kind == kind)


def write_files(root: Path, size: float) -> list[str]:
    """Files of the three kinds in turn, so many times as long as a large one."""
    names = []
    for number, (kind, most) in zip(range(STEPS - 1), cycle(LENGTHS.items()), strict=False):
        whole, length = text_of(kind), round(most * size)
        start = number // len(LENGTHS) * length % (len(whole) - length)
        names.append(f"{number:02}_{kind}.txt")
        (root / names[-1]).write_text(whole[start : start + length], encoding="utf-8")
    return names


class Provider:
    """Counts each request, and keeps what Haima had told right before it."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.recorded: Recorded | None = None
        self.errors: list[float] = []
        self.sources: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Say:
        assert self.recorded is not None
        event, real = self.recorded.contexts[-1], prompt_tokens(body)
        step = len(self.errors)
        self.errors.append(abs(event.tokens / real - 1))
        self.sources.append(event.source)
        if step == len(self.names):
            return Say("That was all of them.", usage=Tokens(real, 7))
        text, name = "Next I read this file.", "read_file"
        arguments = json.dumps({"path": self.names[step]})
        spoken = counted(text) + call_tokens({"name": name, "arguments": arguments})
        return Say(text, (Call(name, arguments),), usage=Tokens(real, round(spoken)))


async def read_all(tmp_path: Path, *, size: float, documents: int) -> Provider:
    """Lets the agent read all files; what the gauge said before each request."""
    root = tmp_path / "project"
    root.mkdir()
    if documents:
        (root / "AGENTS.md").write_text(text_of("en_markdown")[:documents], encoding="utf-8")
    provider = Provider(write_files(root, size))
    async with Endpoint(provider, prefix_check=True) as endpoint:
        model = OpenAIModel("scripted", endpoint.base_url, clock=SystemClock(), words=Words("en"))
        recorded = provider.recorded = make_session(tmp_path, model)
        await recorded.session.open()
        outcome = await recorded.session.run("Read all files, one after the other.")
        await recorded.session.close()
        assert outcome.ok
        assert endpoint.violations == []
    assert len(provider.errors) == STEPS
    assert provider.sources == ["estimated", *["anchored"] * (STEPS - 1)]
    read = [event.parts.results for event in recorded.contexts]
    assert max(read) > 100 * len(provider.names) * size, "the files were really read"
    return provider


async def test_from_the_second_answer_on_it_is_within_one_per_cent(tmp_path: Path) -> None:
    """A project with its own instructions, and files of about a page."""
    provider = await read_all(tmp_path, size=0.4, documents=6_000)
    assert provider.errors[0] > 0.03, "the provider counts otherwise"
    assert provider.errors[1] < 0.05
    assert max(provider.errors[2:]) < 0.01, provider.errors


async def test_large_files_at_the_very_beginning(tmp_path: Path) -> None:
    """A result that is a third of the request, in a script the ratio knows nothing of yet.

    Nobody has counted that text before; the next usage puts it right.
    """
    provider = await read_all(tmp_path, size=1, documents=0)
    assert max(provider.errors[1:]) < 0.05, provider.errors
    assert statistics.median(provider.errors[1:]) < 0.01, provider.errors
