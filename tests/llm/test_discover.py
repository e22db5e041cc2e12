"""Local servers, found on ports of the test's own choice."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from app.llm.discover import USUAL, Candidate, LocalServer, find_local_servers
from tests.endpoint import Endpoint, Status

OLLAMA, LM_STUDIO, LLAMA_CPP, VLLM = USUAL

OLLAMA_PAGES = {
    "/api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "gemma3:4b"}]},
    "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 4096}]},
}
LM_STUDIO_PAGES = {
    "/api/v0/models": {
        "data": [
            {"id": "qwen3-8b", "type": "llm", "state": "loaded", "loaded_context_length": 32768},
            {"id": "nomic", "type": "embeddings", "max_context_length": 2048},
        ]
    }
}
LLAMA_CPP_PAGES = {
    "/props": {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 2},
    "/v1/models": {"data": [{"id": "model.gguf", "meta": {"n_ctx_train": 131072}}]},
}
VLLM_PAGES = {"/v1/models": {"data": [{"id": "Qwen/Qwen3", "max_model_len": 40960}]}}

PAGES: dict[str, Mapping[str, Any]] = {
    "ollama": OLLAMA_PAGES,
    "lm_studio": LM_STUDIO_PAGES,
    "llama_cpp": LLAMA_CPP_PAGES,
    "vllm": VLLM_PAGES,
}


def serving(pages: Mapping[str, Any]) -> Endpoint:
    """A server with these pages and nothing else."""
    routes = {f"GET {path}": Status(200, body) for path, body in pages.items()}
    return Endpoint(models=Status(404), routes=routes)


def at(candidate: Candidate, endpoint: Endpoint) -> Candidate:
    return replace(candidate, port=int(endpoint.root.rpartition(":")[2]))


async def found(candidate: Candidate, pages: Mapping[str, Any]) -> LocalServer | None:
    async with serving(pages) as endpoint:
        servers = await find_local_servers((at(candidate, endpoint),), patience=5)
    return servers[0] if servers else None


async def test_all_four_in_their_order() -> None:
    async with AsyncExitStack() as stack:
        candidates = []
        for candidate in USUAL:
            endpoint = await stack.enter_async_context(serving(PAGES[candidate.kind]))
            candidates.append(at(candidate, endpoint))
        servers = await find_local_servers(tuple(candidates), patience=5)
    assert [(one.name, one.models, one.window) for one in servers] == [
        ("Ollama", ("qwen3:8b", "gemma3:4b"), 4096),
        ("LM Studio", ("qwen3-8b",), 32768),
        ("llama.cpp", ("model.gguf",), 8192),
        ("vLLM", ("Qwen/Qwen3",), 40960),
    ]
    for one, candidate in zip(servers, candidates, strict=True):
        assert one.address == f"127.0.0.1:{candidate.port}"
        assert one.base_url == f"http://127.0.0.1:{candidate.port}/v1"


def test_the_usual_ports() -> None:
    assert [(one.kind, one.port) for one in USUAL] == [
        ("ollama", 11434),
        ("lm_studio", 1234),
        ("llama_cpp", 8080),
        ("vllm", 8000),
    ]


async def test_nothing_is_loaded_yet() -> None:
    server = await found(OLLAMA, {**OLLAMA_PAGES, "/api/ps": {"models": []}})
    assert server is not None
    assert server.window is None


async def test_the_smallest_of_several_windows_counts() -> None:
    loaded = {"models": [{"context_length": 32768}, {"context_length": 4096}, {"name": "old"}]}
    server = await found(OLLAMA, {**OLLAMA_PAGES, "/api/ps": loaded})
    assert server is not None
    assert server.window == 4096


async def test_an_old_ollama_without_the_second_page() -> None:
    server = await found(OLLAMA, {"/api/tags": {"models": []}})
    assert server is not None
    assert (server.models, server.window) == ((), None)


@pytest.mark.parametrize("candidate", USUAL, ids=lambda candidate: candidate.kind)
@pytest.mark.parametrize(
    "body", ["<html>", [], {}, {"data": None, "models": 5}, {"default_generation_settings": None}]
)
async def test_something_else_on_the_port(candidate: Candidate, body: Any) -> None:
    server = await found(candidate, dict.fromkeys(candidate.pages, body))
    if server is not None:  # llama.cpp is known by having these settings at all
        assert candidate is LLAMA_CPP
        assert (server.models, server.window) == ((), None)


async def test_another_openai_compatible_server_on_vllms_port_is_not_vllm() -> None:
    assert await found(VLLM, {"/v1/models": {"data": [{"id": "a", "owned_by": "me"}]}}) is None


@pytest.mark.parametrize("candidate", USUAL, ids=lambda candidate: candidate.kind)
async def test_nothing_on_the_port(candidate: Candidate) -> None:
    async with Endpoint() as endpoint:
        gone = at(candidate, endpoint)
    assert await find_local_servers((gone,), patience=5) == ()


async def test_a_server_that_never_answers_is_not_waited_for() -> None:
    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: writers.append(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, asyncio.timeout(10):
        assert await find_local_servers((replace(OLLAMA, port=port),), patience=0.05) == ()
        for writer in writers:
            writer.close()
            await writer.wait_closed()
