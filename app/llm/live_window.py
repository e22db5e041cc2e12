"""Asks an endpoint how large a model's window is, where it tells (PROVIDERS 1.1).

Hosted endpoints (OpenRouter, Moonshot, gateways) and vLLM tell in their list of models; the other
local servers on pages of their own. All that may answer is asked at once, so it is one wait.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.conversation.window import DEFAULT_PUBLIC
from app.llm import late
from app.llm.place import Place, is_private
from app.llm.served import (
    Kind,
    Pages,
    ServedModel,
    entries,
    positive,
    read_llama_cpp,
    read_lm_studio,
    read_ollama,
    read_vllm,
)
from app.ports import ChatModel

_PATIENCE = 2.0
"""Seconds (issue 3); without an answer the table or the default holds."""

_FIELDS = ("context_length", "max_model_len", "context_window", "max_context_length")
"""What lists call the window: OpenRouter, Moonshot, Together; vLLM; Groq; Mistral."""

_OWN_PAGES = ("/api/tags", "/api/ps", "/api/v0/models", "/props")
"""Of Ollama, LM Studio and llama.cpp; asked for only on this machine and in private networks."""


@dataclass(frozen=True, slots=True)
class LiveWindow:
    """What an endpoint told.

    Attributes:
        window: tokens that hold for requests now; None: the model isn't loaded yet, and what it
            will be loaded with isn't told (Ollama, LM Studio). Ask again after the first answer.
        largest: tokens with which the model could be loaded, None where that isn't told.
        server: which local program it is, None for any other endpoint.
    """

    window: int | None
    largest: int | None = None
    server: Kind | None = None


@runtime_checkable
class StatesWindow(Protocol):
    """A model without an endpoint that states its window: the demo."""

    window: int


def stated_window(model: ChatModel) -> int:
    """The window of a model that has no endpoint to ask: what it states, else the usual one."""
    return model.window if isinstance(model, StatesWindow) else DEFAULT_PUBLIC


async def live_window(
    base_url: str, model: str, key: SecretStr | None = None, *, patience: float = _PATIENCE
) -> LiveWindow | None:
    """What the endpoint tells of a model's window; None where it tells nothing, or not in time.

    Args:
        base_url: of chat requests.
        model: as the endpoint calls it.
        key: goes nowhere but to this host.
        patience: seconds for all of it.
    """
    base = base_url.rstrip("/")
    place = Place(base, model, key.get_secret_value() if key else "")
    urls = {"/v1/models": f"{base}/models"}
    if is_private(urlsplit(base).hostname or ""):
        root = base.removesuffix("/v1")
        urls |= {path: f"{root}{path}" for path in _OWN_PAGES}
    bodies = await asyncio.gather(*(late.page(url, place, patience) for url in urls.values()))
    pages = dict(zip(urls, bodies, strict=True))
    return _from_server(pages, model) or _from_list(pages["/v1/models"], model)


def _from_server(pages: Pages, model: str) -> LiveWindow | None:
    """What a local program tells. llama.cpp comes first: it has Ollama's list of models as well."""
    readers = (read_llama_cpp, read_lm_studio, read_ollama, read_vllm)
    served = next((server for read in readers if (server := read(pages)) is not None), None)
    if served is None:
        return None
    found = served.find(model) or ServedModel(model)
    if found.window is None and served.kind in {"llama_cpp", "vllm"}:
        return None
    return LiveWindow(found.window, found.largest, served.kind)


def _from_list(body: object, model: str) -> LiveWindow | None:
    """What a list of models tells; a route may be smaller than its model (OpenRouter)."""
    for entry in entries(body, "data") or []:
        if entry.get("id") != model:
            continue
        route = entry.get("top_provider")
        told = [entry.get(field) for field in _FIELDS]
        if isinstance(route, Mapping):
            told.append(route.get("context_length"))
        window = min((size for size in map(positive, told) if size), default=None)
        return LiveWindow(window) if window else None
    return None
