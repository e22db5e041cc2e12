"""One long conversation against every provider's strictness: stops, errors, queue, reasoning."""

import asyncio
from pathlib import Path

import pytest

from app.llm.client import OpenAIModel
from app.llm.dialects import dialect_for
from app.text import Words
from tests.endpoint import Call, Endpoint, Say, Status, Step
from tests.session.support import TestClock, make_session, sendable, until

LS = Call("list_dir", {"path": "."})
READ = Call("read_file", {"path": "a.txt"})

# Whose strictness, and the address and model by which the client knows it.
PROVIDERS = {
    "openai": ("https://api.openai.com/v1", "gpt-5.5"),
    "deepseek": ("https://api.deepseek.com", "deepseek-v4-flash"),
    "r1": ("https://api.deepseek.com", "deepseek-r1"),
    "kimi": ("https://api.moonshot.cn/v1", "kimi-k2.6"),
    "glm": ("https://open.bigmodel.cn/api/paas/v4", "glm-5.2"),
    "dashscope": ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3.6-plus"),
    "hunyuan": ("https://api.hunyuan.cloud.tencent.com/v1", "hunyuan"),
    "qwen_template": ("https://example.com/v1", "qwen"),
    "llamacpp": ("http://127.0.0.1:8080/v1", "local"),
}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_nothing_is_refused(tmp_path: Path, provider: str) -> None:
    held = asyncio.Event()
    script: list[Step] = [
        # A turn with tools; its last answer is stopped in the middle of the text.
        Say(reasoning="I look", calls=(LS, READ)),
        Say(reasoning="and write", text="What I found is the following", hold=held, hold_after=6),
        # "Go on": an error before anything came; then the user writes something else.
        Status(400, {"error": {"message": "no"}}),
        Say(calls=(READ, Call("nonsense", "{}"), Call("read_file", {"wrong": 1}))),
        Say("Hello", reasoning="" if provider == "llamacpp" else "hm"),
        # A turn that fails after its results: the user speaks right after them.
        Say(calls=(LS,)),
        Status(400, {"error": {"message": "no"}}),
        # Without tools, and with two messages that waited.
        Say("One", reasoning="short"),
        Say("Two"),
    ]
    async with Endpoint(script, provider) as endpoint:
        model = OpenAIModel(
            "scripted",
            endpoint.base_url,
            clock=TestClock(),
            words=Words("en"),
            dialect=dialect_for(*PROVIDERS[provider]),
        )
        made = make_session(tmp_path, model, allowance="all")
        (made.root / "a.txt").write_text("salt\n")
        session = made.session
        await session.open()
        session.send("Look around")
        await until(lambda: "What" in made.said)
        session.stop()
        await session.wait_idle()
        assert session.history[-1].text.startswith("What")
        assert not (await session.run("Go on")).ok
        assert (await session.run("Something else")).ok
        assert not (await session.run("Look once more")).ok
        session.send("one more")
        session.send("and two")
        session.send("and three")
        await session.wait_idle()
        assert made.session.outcome.ok
        await model.close()
        assert endpoint.violations == []
        assert endpoint.left == 0
    sendable(session.history)
