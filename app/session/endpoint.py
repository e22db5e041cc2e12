"""Whether the settings name an endpoint, and the model there."""

from urllib.parse import urlsplit

from app.config import ModelSettings, Settings
from app.errors import HaimaError
from app.llm.client import OpenAIModel
from app.llm.connect import make_model
from app.llm.demo import DemoModel, copy_demo_project
from app.llm.providers import provider_at
from app.ports import ChatModel, Clock
from app.project import Project
from app.session.launch import Launch
from app.text import Words

_OPENAI = "https://api.openai.com/v1"


class NotConnected(HaimaError):  # noqa: N818
    """No endpoint, no model or no key is set."""

    code = "not_connected"


def missing(settings: Settings) -> NotConnected | None:
    """What a request would lack; None when one can be sent.

    A key is asked for only at providers that are known to want one: a local server has none, and
    what a gateway wants isn't known.
    """
    base_url = _address(settings)
    if not base_url:
        return NotConnected("endpoint.no_address")
    if not settings.model.name:
        return NotConnected("endpoint.no_model", address=base_url)
    provider = provider_at(urlsplit(base_url).hostname or "")
    if provider is not None and settings.model.api_key is None:
        return NotConnected("endpoint.no_key", provider=provider.name)
    return None


def connect(settings: Settings, *, clock: Clock, words: Words) -> OpenAIModel:
    """The model the settings name; connects to nothing yet.

    Raises:
        NotConnected: something is missing; the sentence says what.
        BadAddress: the address is none.
    """
    if (lack := missing(settings)) is not None:
        raise lack
    model = settings.model.model_copy(update={"base_url": _address(settings)})
    return make_model(model, clock=clock, words=words)


def auxiliary_settings(settings: Settings) -> ModelSettings | None:
    """The model that writes summaries, as `[model]` would have it; None: none is set apart.

    With no address of its own it is asked at that of `[model]`, with that key. Another endpoint
    never gets that key.

    Raises:
        NotConnected: it has no address, or its provider wants a key and none is set.
    """
    auxiliary = settings.model.auxiliary
    if not auxiliary.name:
        return None
    own = _address(settings)
    base_url = auxiliary.base_url or own
    if not base_url:
        raise NotConnected("endpoint.no_address")
    key = settings.model.api_key if base_url == own else None
    key = auxiliary.api_key or key
    provider = provider_at(urlsplit(base_url).hostname or "")
    if provider is not None and key is None:
        raise NotConnected("endpoint.no_auxiliary_key", provider=provider.name)
    return settings.model.model_copy(
        update={
            "name": auxiliary.name,
            "base_url": base_url,
            "api_key": key,
            "temperature": None,
            "max_tokens": None,
            "images": "off",
        }
    )


def endpoint_for(launch: Launch, *, clock: Clock, pace: float) -> tuple[ChatModel, Project]:
    """The model a launch asks for and the project it works in.

    Args:
        launch: with `demo` the model is the demo's, and the project a fresh copy of its sample.
        clock: for retries, and for the demo's speech.
        pace: how fast the demo speaks; 0: at once.

    Raises:
        NotConnected: no endpoint is set.
        StorageError: the sample can't be copied.
    """
    if not launch.demo:
        return connect(launch.settings, clock=clock, words=launch.words), launch.project
    model = DemoModel(launch.words.language, clock=clock, pace=pace)
    return model, Project(copy_demo_project(launch.paths.demo))


async def close_model(model: ChatModel) -> None:
    """Closes a model's connections, where it has any."""
    if isinstance(model, OpenAIModel):
        await model.close()


def _address(settings: Settings) -> str:
    """The base URL; OpenAI's own where only `OPENAI_API_KEY` is set, as its variable means."""
    if settings.model.base_url:
        return settings.model.base_url
    return _OPENAI if settings.origins.get("model.api_key") == "OPENAI_API_KEY" else ""
