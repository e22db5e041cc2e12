"""Finds the model servers that run on this machine: Ollama, LM Studio, llama.cpp, vLLM.

Each is asked on its usual port, all at once, 300 ms each (PROVIDERS 3.4). Nothing else is sent.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.llm import late
from app.llm.errors import CallError
from app.llm.place import Place
from app.llm.waits import Timeouts

Kind = Literal["ollama", "lm_studio", "llama_cpp", "vllm"]

_HOST = "127.0.0.1"
_PATIENCE = 0.3
"""Seconds (PROVIDERS 3.4)."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered.

    Attributes:
        kind: which program.
        name: what the program calls itself.
        address: host and port.
        base_url: for chat requests.
        models: their names; empty when none is there yet.
        window: tokens of the window with which a model is loaded, the smallest of several; None
            where the server doesn't tell, or nothing is loaded.
    """

    kind: Kind
    name: str
    address: str
    base_url: str
    models: tuple[str, ...]
    window: int | None


@dataclass(frozen=True, slots=True)
class _Found:
    models: tuple[str, ...]
    window: int | None


_Pages = Mapping[str, object]
"""The bodies of the pages that answered, by path."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where a program usually listens, and how it is known.

    Attributes:
        kind: which program.
        name: what it calls itself.
        port: its usual port.
        pages: what is asked for, at once.
        read: what the answers mean; None: it is another program.
    """

    kind: Kind
    name: str
    port: int
    pages: tuple[str, ...]
    read: Callable[[_Pages], _Found | None]


def _ollama(pages: _Pages) -> _Found | None:
    """`/api/tags` lists models, `/api/ps` the loaded ones with the window that is in force."""
    listed = _entries(pages.get("/api/tags"), "models")
    if listed is None:
        return None
    loaded = _entries(pages.get("/api/ps"), "models") or []
    return _Found(_texts(listed, "name"), _smallest(loaded, "context_length"))


def _lm_studio(pages: _Pages) -> _Found | None:
    """`/api/v0/models` has the state of each model; embedding models can't chat."""
    listed = _entries(pages.get("/api/v0/models"), "data")
    if listed is None:
        return None
    chat = [entry for entry in listed if entry.get("type") != "embeddings"]
    return _Found(_texts(chat, "id"), _smallest(chat, "loaded_context_length"))


def _llama_cpp(pages: _Pages) -> _Found | None:
    """`/props` tells the window of one slot, which is less than configured with several slots."""
    props = pages.get("/props")
    if not isinstance(props, Mapping) or "default_generation_settings" not in props:
        return None
    listed = _entries(pages.get("/v1/models"), "data") or []
    generation = props["default_generation_settings"]
    slot = [generation] if isinstance(generation, Mapping) else []
    return _Found(_texts(listed, "id"), _smallest(slot, "n_ctx"))


def _vllm(pages: _Pages) -> _Found | None:
    """`/v1/models` has `max_model_len`; many other programs answer on port 8000."""
    listed = _entries(pages.get("/v1/models"), "data")
    ours = [entry for entry in listed or [] if _is_vllm(entry)]
    return _Found(_texts(ours, "id"), _smallest(ours, "max_model_len")) if ours else None


def _is_vllm(entry: Mapping[str, object]) -> bool:
    return entry.get("owned_by") == "vllm" or "max_model_len" in entry


USUAL: tuple[Candidate, ...] = (
    Candidate("ollama", "Ollama", 11434, ("/api/tags", "/api/ps"), _ollama),
    Candidate("lm_studio", "LM Studio", 1234, ("/api/v0/models",), _lm_studio),
    Candidate("llama_cpp", "llama.cpp", 8080, ("/props", "/v1/models"), _llama_cpp),
    Candidate("vllm", "vLLM", 8000, ("/v1/models",), _vllm),
)
"""In the order in which they are shown (mock 11); ports as in PROVIDERS 3.4."""


async def find_local_servers(
    candidates: tuple[Candidate, ...] = USUAL, *, patience: float = _PATIENCE
) -> tuple[LocalServer, ...]:
    """The servers that answer within `patience` seconds, in the order of `candidates`."""
    found = await asyncio.gather(*(_look(candidate, patience) for candidate in candidates))
    return tuple(server for server in found if server is not None)


async def _look(candidate: Candidate, patience: float) -> LocalServer | None:
    address = f"{_HOST}:{candidate.port}"
    bodies = await asyncio.gather(*(_page(address, path, patience) for path in candidate.pages))
    found = candidate.read(dict(zip(candidate.pages, bodies, strict=True)))
    if found is None:
        return None
    return LocalServer(
        kind=candidate.kind,
        name=candidate.name,
        address=address,
        base_url=f"http://{address}/v1",
        models=found.models,
        window=found.window,
    )


async def _page(address: str, path: str, patience: float) -> object:
    """The body of a page, None where there is none in time."""
    place = Place(f"http://{address}")
    timeouts = Timeouts(connect=patience, idle=patience)
    try:
        async with asyncio.timeout(patience):
            answer = await late.get(f"http://{address}{path}", place, timeouts)
    except (CallError, TimeoutError):
        return None
    return answer.body if answer.status == 200 else None


def _entries(body: object, name: str) -> list[Mapping[str, object]] | None:
    """The objects in a list under a name, None where there is no such list."""
    listed = body.get(name) if isinstance(body, Mapping) else None
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, Mapping)]


def _texts(entries: list[Mapping[str, object]], name: str) -> tuple[str, ...]:
    found = (entry.get(name) for entry in entries)
    return tuple(dict.fromkeys(text for text in found if isinstance(text, str) and text))


def _smallest(entries: list[Mapping[str, object]], name: str) -> int | None:
    found = (entry.get(name) for entry in entries)
    sizes = [size for size in found if isinstance(size, int) and size > 0]
    return min(sizes, default=None)
