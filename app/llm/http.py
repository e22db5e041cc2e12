"""What needs httpx2 and not openai: small GET requests, and what a failed connection means.

Imported late (see `late`).
"""

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import httpx2

from app.llm.errors import BadAddress, BrokenStream, CallError, TimedOut, Unreachable, said
from app.llm.place import Place
from app.llm.waits import Timeouts
from app.text import Key

_LONGEST = 20_000_000
"""Bytes of an answer that are read: 10,000 models with all their prices are 7 MB."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a GET.

    Attributes:
        status: of HTTP.
        headers: names in lower case.
        body: decoded JSON, else the text.
    """

    status: int
    headers: Mapping[str, str]
    body: object


async def get(url: str, place: Place, timeouts: Timeouts) -> Answer:
    """Asks for a page; redirects aren't followed, so that the key goes nowhere else.

    Raises:
        CallError: no connection, no answer in time, or one that breaks off.
    """
    limits = httpx2.Timeout(timeouts.idle, connect=timeouts.connect)
    headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
    proxied = not place.on_this_machine
    certificates = True if url.startswith("https:") else no_certificates()
    try:
        async with (
            httpx2.AsyncClient(timeout=limits, trust_env=proxied, verify=certificates) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            raw = bytearray()
            async for piece in response.aiter_bytes():
                raw += piece
                if len(raw) > _LONGEST:
                    raise BrokenStream()
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, _decoded(bytes(raw)))
    except CallError:
        raise
    except Exception as error:
        if (ours := connection_error(error, place, timeouts)) is None:
            raise
        raise ours from None


@cache
def no_certificates() -> ssl.SSLContext:
    """What a client takes that asks over plain http only; one for all.

    Loading certificates takes 25 ms, and `verify=False` makes one of these a client: 0.5 ms.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _decoded(raw: bytes) -> object:
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")
    return value


def connection_error(error: Exception, place: Place, timeouts: Timeouts) -> CallError | None:
    """The error for a connection that failed, or None for what isn't one.

    httpx2 lets a few errors of the layers below through, anyio's `EndOfStream` among them (openai
    shims the same).
    """
    chain = tuple(_chain(error))
    if any(isinstance(link, httpx2.ConnectTimeout | httpx2.PoolTimeout) for link in chain):
        return TimedOut(
            template="model_error.timeout_connect", host=place.host, seconds=f"{timeouts.connect:g}"
        )
    if any(isinstance(link, httpx2.TimeoutException) for link in chain):
        return TimedOut(host=place.host, seconds=f"{timeouts.idle:g}")
    if any(isinstance(link, httpx2.InvalidURL | httpx2.UnsupportedProtocol) for link in chain):
        return BadAddress(address=place.address)
    if any(isinstance(link, httpx2.ConnectError | httpx2.ProxyError) for link in chain):
        return Unreachable(template=_why(chain), host=place.host, detail=_last_words(chain, place))
    broken = (httpx2.HTTPError, httpx2.StreamError, OSError, EOFError)
    if isinstance(error, broken) or type(error).__name__ == "EndOfStream":
        return BrokenStream()
    return None


def _why(chain: tuple[BaseException, ...]) -> Key:
    """The sentence for a connection that didn't come about."""
    for link in chain:
        if isinstance(link, httpx2.ProxyError):
            return "model_error.unreachable_proxy"
        if isinstance(link, socket.gaierror):
            return "model_error.unreachable_name"
        if isinstance(link, ssl.SSLCertVerificationError):
            return "model_error.unreachable_tls"
        if isinstance(link, ssl.SSLError):
            return "model_error.unreachable_plain"
        if isinstance(link, ConnectionRefusedError):
            return "model_error.unreachable_refused"
    return "model_error.unreachable"


def _last_words(chain: tuple[BaseException, ...], place: Place) -> str:
    """What the innermost error says, where our own sentence leaves something out."""
    if any(isinstance(link, socket.gaierror | ConnectionRefusedError) for link in chain):
        return ""
    return said(str(chain[-1]), place.key)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
