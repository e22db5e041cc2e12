"""What endpoints tell of a window: each spelling, whose word counts, and silence."""

import asyncio
from typing import Any

import pytest
from pydantic import SecretStr

from app.llm.live_window import LiveWindow, live_window
from tests.endpoint import Endpoint, Status
from tests.llm.support import KEY
from tests.llm.test_discover import LLAMA_CPP_PAGES, LM_STUDIO_PAGES, OLLAMA_PAGES, serving


async def told(pages: dict[str, Any], model: str) -> LiveWindow | None:
    async with serving(pages) as endpoint:
        return await live_window(endpoint.base_url, model, patience=5)


async def listed(entry: dict[str, Any], model: str = "m") -> LiveWindow | None:
    others = [{"id": "other", "context_length": 9}, "nonsense", None]
    return await told({"/v1/models": {"data": [*others, {"id": "m", **entry}]}}, model)


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"context_length": 262_144}, 262_144),  # Moonshot
        ({"context_length": 1_000_000, "top_provider": {"context_length": 163_840}}, 163_840),
        ({"context_length": 131_072, "top_provider": {"context_length": None}}, 131_072),
        ({"context_window": 131_072}, 131_072),
        ({"max_context_length": 32_768}, 32_768),
    ],
)
async def test_lists_that_tell(entry: dict[str, Any], window: int) -> None:
    assert await listed(entry) == LiveWindow(window)


@pytest.mark.parametrize("size", [0, -1, "131072", 1.5, None, True, [], {}], ids=repr)
async def test_what_is_no_size_is_not_told(size: object) -> None:
    assert await listed({"context_length": size}) is None


async def test_a_list_without_the_model_or_without_sizes() -> None:
    assert await listed({"context_length": 4_096}, "another") is None
    assert await listed({}) is None
    async with Endpoint(models=["scripted"]) as endpoint:
        assert await live_window(endpoint.base_url, "scripted") is None


async def test_vllm() -> None:
    assert await listed({"max_model_len": 40_960}) == LiveWindow(40_960, None, "vllm")
    assert await listed({"max_model_len": 40_960}, "not-served") is None


async def test_ollama_tells_the_window_of_the_loaded_model() -> None:
    assert await told(OLLAMA_PAGES, "qwen3:8b") == LiveWindow(4_096, None, "ollama")


async def test_ollama_does_not_tell_before_the_model_is_loaded() -> None:
    assert await told(OLLAMA_PAGES, "gemma3:4b") == LiveWindow(None, None, "ollama")
    assert await told(OLLAMA_PAGES, "not-pulled") == LiveWindow(None, None, "ollama")
    assert await told({"/api/tags": {"models": []}}, "m") == LiveWindow(None, None, "ollama")


async def test_ollamas_latest_may_be_left_out() -> None:
    loaded = {"models": [{"name": "qwen3:latest", "context_length": 65_536}]}
    pages = {"/api/tags": {"models": [{"name": "qwen3:latest"}]}, "/api/ps": loaded}
    assert await told(pages, "qwen3") == LiveWindow(65_536, None, "ollama")


async def test_lm_studio_tells_what_is_loaded_and_what_could_be() -> None:
    model = {"id": "a", "loaded_context_length": 8_192, "max_context_length": 131_072}
    idle = {"id": "b", "state": "not-loaded", "max_context_length": 131_072}
    pages = {"/api/v0/models": {"data": [model, idle]}}
    assert await told(pages, "a") == LiveWindow(8_192, 131_072, "lm_studio")
    assert await told(pages, "b") == LiveWindow(None, 131_072, "lm_studio")
    assert await told(LM_STUDIO_PAGES, "qwen3-8b") == LiveWindow(32_768, None, "lm_studio")


async def test_llama_cpp_tells_the_slots_window_not_the_models() -> None:
    expected = LiveWindow(8_192, None, "llama_cpp")
    assert await told(LLAMA_CPP_PAGES, "model.gguf") == expected
    assert await told(LLAMA_CPP_PAGES, "whatever-the-user-calls-it") == expected


async def test_llama_cpp_that_lists_its_models_as_ollama_does() -> None:
    both = {**LLAMA_CPP_PAGES, "/api/tags": {"models": [{"name": "model.gguf"}]}}
    assert await told(both, "model.gguf") == LiveWindow(8_192, None, "llama_cpp")


async def test_llama_cpp_with_an_unknown_window() -> None:
    assert await told({"/props": {"default_generation_settings": None}}, "m") is None


@pytest.mark.parametrize("body", ["<html>", [], {}, None, {"data": 5, "models": "x"}, 7])
async def test_pages_of_something_else(body: Any) -> None:
    paths = ("/v1/models", "/api/tags", "/api/ps", "/api/v0/models", "/props")
    assert await told(dict.fromkeys(paths, body), "m") is None


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_failures_are_silence(status: int) -> None:
    async with Endpoint(models=Status(status)) as endpoint:
        assert await live_window(endpoint.base_url, "m", patience=5) is None


async def test_nothing_listens() -> None:
    async with Endpoint() as endpoint:
        base_url = endpoint.base_url
    assert await live_window(base_url, "m") is None


async def test_the_key_is_sent() -> None:
    models: list[str | dict[str, object]] = [{"id": "m", "context_length": 65_536}]
    async with Endpoint(models=models, api_key=KEY) as endpoint:
        assert await live_window(endpoint.base_url, "m") is None
        found = await live_window(f"{endpoint.base_url}/", "m", SecretStr(KEY))
    assert found == LiveWindow(65_536)


async def test_an_endpoint_that_never_answers_is_not_waited_for() -> None:
    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: writers.append(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, asyncio.timeout(10):
        assert await live_window(f"http://127.0.0.1:{port}/v1", "m", patience=0.05) is None
        for writer in writers:
            writer.close()
            await writer.wait_closed()


async def test_a_public_host_is_asked_for_its_list_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def page(url: str, *_: object) -> object:
        asked.append(url)
        return {"data": [{"id": "m", "context_length": 65_536}]}

    monkeypatch.setattr("app.llm.late.page", page)
    assert await live_window("https://openrouter.ai/api/v1", "m") == LiveWindow(65_536)
    assert asked == ["https://openrouter.ai/api/v1/models"]
