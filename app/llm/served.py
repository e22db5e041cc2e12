"""What local servers say about themselves: which program, its models, the windows in force.

Pure: reads the bodies of their own pages. Asked by `discover` (is anyone there?) and `live_window`
(what holds for this model?).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["ollama", "lm_studio", "llama_cpp", "vllm"]

Pages = Mapping[str, object]
"""The bodies of the pages that answered, by path."""

SMALL_WINDOW = 32_000
"""Tokens; a local server that loads a model with less is warned about (PROVIDERS 1.3)."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model on a server.

    Attributes:
        name: "" where the server doesn't name it.
        window: tokens with which it is loaded, None where it isn't, or nothing is told.
        largest: tokens with which it could be, None where nothing is told.
    """

    name: str
    window: int | None = None
    largest: int | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """All that a server has; a model may stand there twice, listed and loaded."""

    kind: Kind
    models: tuple[ServedModel, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names, in their order, each once."""
        return tuple(dict.fromkeys(model.name for model in self.models if model.name))

    @property
    def window(self) -> int | None:
        """The smallest window in force."""
        return min((model.window for model in self.models if model.window), default=None)

    def find(self, name: str) -> ServedModel | None:
        """What is told of one model; Ollama's `:latest` may be left out."""
        wanted = {name, f"{name}:latest"} if self.kind == "ollama" else {name}
        found = [model for model in self.models if model.name in wanted or not model.name]
        return next((model for model in found if model.window), found[0] if found else None)


def read_ollama(pages: Pages) -> Served | None:
    """`/api/tags` lists models, `/api/ps` the loaded ones with the window that is in force."""
    listed = entries(pages.get("/api/tags"), "models")
    if listed is None:
        return None
    loaded = entries(pages.get("/api/ps"), "models") or []
    models = (ServedModel(_name(entry, "name"), _size(entry, "context_length")) for entry in loaded)
    unloaded = (ServedModel(name) for entry in listed if (name := _name(entry, "name")))
    return Served("ollama", (*unloaded, *(model for model in models if model.window)))


def read_lm_studio(pages: Pages) -> Served | None:
    """`/api/v0/models` has the state of each model; embedding models can't chat."""
    listed = entries(pages.get("/api/v0/models"), "data")
    if listed is None:
        return None
    models = (
        ServedModel(
            _name(entry, "id"),
            _size(entry, "loaded_context_length"),
            _size(entry, "max_context_length"),
        )
        for entry in listed
        if entry.get("type") != "embeddings"
    )
    return Served("lm_studio", tuple(models))


def read_llama_cpp(pages: Pages) -> Served | None:
    """`/props` tells the window of one slot, which is less than configured with several slots.

    It is the server's, whatever a request calls the model.
    """
    props = pages.get("/props")
    if not isinstance(props, Mapping) or "default_generation_settings" not in props:
        return None
    generation = props["default_generation_settings"]
    window = _size(generation, "n_ctx") if isinstance(generation, Mapping) else None
    listed = entries(pages.get("/v1/models"), "data") or []
    names = (ServedModel(_name(entry, "id")) for entry in listed)
    return Served("llama_cpp", (*names, *([ServedModel("", window)] if window else ())))


def read_vllm(pages: Pages) -> Served | None:
    """`/v1/models` has `max_model_len`; many other programs answer on port 8000."""
    listed = entries(pages.get("/v1/models"), "data")
    ours = [entry for entry in listed or [] if _is_vllm(entry)]
    if not ours:
        return None
    models = (ServedModel(_name(entry, "id"), _size(entry, "max_model_len")) for entry in ours)
    return Served("vllm", tuple(models))


Reader = Callable[[Pages], Served | None]
"""What the answers mean; None: it is another program."""


def _is_vllm(entry: Mapping[str, object]) -> bool:
    return entry.get("owned_by") == "vllm" or "max_model_len" in entry


def entries(body: object, name: str) -> list[Mapping[str, object]] | None:
    """The objects in a list under a name, None where there is no such list."""
    listed = body.get(name) if isinstance(body, Mapping) else None
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, Mapping)]


def _name(entry: Mapping[str, object], field: str) -> str:
    name = entry.get(field)
    return name if isinstance(name, str) else ""


def _size(entry: Mapping[str, object], field: str) -> int | None:
    return positive(entry.get(field))


def positive(value: object) -> int | None:
    """A number of tokens, None for whatever isn't one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value > 0 else None
