"""Finds the model servers that run on this machine: Ollama, LM Studio, llama.cpp, vLLM.

Each is asked on its usual port, all at once, 300 ms each (PROVIDERS 3.4). Nothing else is sent.
"""

import asyncio
from dataclasses import dataclass

from app.llm import late
from app.llm.place import Place
from app.llm.served import Kind, Reader, read_llama_cpp, read_lm_studio, read_ollama, read_vllm

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
    read: Reader


USUAL: tuple[Candidate, ...] = (
    Candidate("ollama", "Ollama", 11434, ("/api/tags", "/api/ps"), read_ollama),
    Candidate("lm_studio", "LM Studio", 1234, ("/api/v0/models",), read_lm_studio),
    Candidate("llama_cpp", "llama.cpp", 8080, ("/props", "/v1/models"), read_llama_cpp),
    Candidate("vllm", "vLLM", 8000, ("/v1/models",), read_vllm),
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
        models=found.names,
        window=found.window,
    )


async def _page(address: str, path: str, patience: float) -> object:
    """The body of a page, None where there is none in time."""
    return await late.page(f"http://{address}{path}", Place(f"http://{address}"), patience)
