"""Connecting to an endpoint: its address as people type it, its models, and the client for it."""

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from app.config import ModelSettings
from app.llm import late
from app.llm.classify import classify
from app.llm.client import OpenAIModel
from app.llm.errors import AddressNotFound, BadAddress, CallError, NotAnEndpoint, said
from app.llm.place import Place, is_private
from app.llm.probe import ProbeResult, probe
from app.llm.providers import provider_at
from app.llm.waits import Timeouts
from app.ports import Clock
from app.text import Words

__all__ = ["ProbeResult", "list_models", "make_model", "normalise_base_url", "probe"]

_LISTING = Timeouts(connect=10.0, idle=20.0)
"""A list of models is asked for while someone waits in front of the screen."""

_ENDINGS = re.compile(r"(/chat/completions|/completions|/chat|/models|/responses|/embeddings)$")


def make_model(settings: ModelSettings, *, clock: Clock, words: Words) -> OpenAIModel:
    """The client that the settings describe; connects to nothing yet.

    Raises:
        BadAddress: `base_url` is none.
    """
    return OpenAIModel(
        settings.name,
        normalise_base_url(settings.base_url),
        clock=clock,
        words=words,
        api_key=settings.api_key,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        images=settings.images,
        tries=settings.tries,
        timeouts=Timeouts(connect=settings.connect_timeout, idle=settings.idle_timeout),
    )


def normalise_base_url(text: str) -> str:
    """The base URL that someone means who pasted an address.

    Adds the scheme (http for this machine and private networks, else https), takes off
    `/chat/completions` and the like, a doubled `/v1`, query and fragment. A bare host becomes the
    known provider's base URL, else gets `/v1`, which nearly every server has.

    Raises:
        BadAddress: it can't be an address.
    """
    typed = text.strip().strip("\"'<>")
    if "://" not in typed:
        typed = f"{'http' if _is_near(typed) else 'https'}://{typed}"
    try:
        parts = urlsplit(typed)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress(address=_shown(text)) from None
    if parts.scheme not in {"http", "https"} or not _is_host(host) or port == 0:
        raise BadAddress(address=_shown(text))
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path = _ENDINGS.sub("", path).rstrip("/")
    path = re.sub(r"(/v\d+)\1+$", r"\1", path)
    if not path:
        known = provider_at(host)
        path = urlsplit(known.base_url).path if known else "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


async def list_models(base_url: str, key: SecretStr | None = None) -> tuple[str, ...]:
    """The models of an endpoint, in its order, each once.

    Raises:
        CallError: with what to do: `/v1` missing or doubled, a wrong key, a web page.
    """
    address = base_url.rstrip("/")
    place = Place(address, key=key.get_secret_value() if key else "")
    answer = await late.get(f"{address}/models", place, _LISTING)
    if not 200 <= answer.status <= 299:
        location = answer.headers.get("location", "")
        error = classify(answer.status, answer.body, place=place, location=location)
        raise await _suggestion(place, error) if isinstance(error, AddressNotFound) else error
    if (models := _names(answer.body)) is None:
        raise await _suggestion(place, NotAnEndpoint(address=place.address))
    return models


async def _suggestion(place: Place, error: CallError) -> CallError:
    """The error, with the address that does answer where adding or taking off `/v1` helps."""
    for other in _neighbours(place.base_url):
        try:
            answer = await late.get(f"{other}/models", Place(other, key=place.key), _LISTING)
        except CallError:
            continue
        if answer.status == 200 and _names(answer.body) is not None:
            found = Place(other).address
            return AddressNotFound(
                template="model_error.address_near", address=place.address, near=found
            )
    return error


def _neighbours(base_url: str) -> tuple[str, ...]:
    if base_url.endswith("/v1"):
        return (base_url.removesuffix("/v1"),)
    return (f"{base_url}/v1",)


def _names(body: object) -> tuple[str, ...] | None:
    """The names in a list of models, None where the body is no such list."""
    if isinstance(body, Mapping):
        body = body.get("data", body.get("models"))
    if not isinstance(body, list):
        return None
    found = (entry.get("id") or entry.get("name") for entry in body if isinstance(entry, Mapping))
    return tuple(dict.fromkeys(name for name in found if isinstance(name, str) and name))


def _shown(typed: str) -> str:
    """What was typed, without a user's name and password."""
    return said(re.sub(r"//[^/]*@", "//", typed)) or '""'


def _is_near(address: str) -> bool:
    """Whether an address without a scheme is on this machine or in a private network."""
    return is_private(urlsplit(f"//{address}").hostname or "")


def _is_host(host: str) -> bool:
    """Whether a host can be one: an IP address, or a name without blanks and empty labels."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        labels = host.removesuffix(".").split(".")
        return all(re.fullmatch(r"[^\s/@:?#\[\]%]{1,63}", label) for label in labels)
    return True
