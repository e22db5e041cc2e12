"""What a failed connection means; `test_faults_status` has those that loopback can show."""

import socket
import ssl

import httpx2
import pytest

from app.llm.errors import BadAddress, BrokenStream, CallError, TimedOut, Unreachable
from app.llm.http import connection_error, get
from app.llm.place import Place
from app.llm.waits import Timeouts
from tests.endpoint import Endpoint, Status
from tests.llm.support import KEY, QUICK

PLACE = Place("https://api.example.com/v1", "m", KEY)


def meaning(error: Exception, cause: Exception | None = None) -> CallError | None:
    error.__cause__ = cause
    return connection_error(error, PLACE, Timeouts())


@pytest.mark.parametrize(
    ("error", "cause", "expected", "told"),
    [
        (httpx2.ConnectError("x"), socket.gaierror(-2, "no"), Unreachable, "is not known"),
        (httpx2.ConnectError("x"), ConnectionRefusedError(), Unreachable, "Nothing answers at"),
        (
            httpx2.ConnectError("x"),
            ssl.SSLCertVerificationError("self-signed"),
            Unreachable,
            "is not trusted",
        ),
        (httpx2.ConnectError("x"), ssl.SSLError("wrong version"), Unreachable, "No secure"),
        (httpx2.ConnectError("x"), OSError(101, "unreachable"), Unreachable, "No connection to"),
        (httpx2.ProxyError("407"), None, Unreachable, "The proxy between"),
        (httpx2.ConnectTimeout("x"), None, TimedOut, "connection within 10 s"),
        (httpx2.PoolTimeout("x"), None, TimedOut, "connection within 10 s"),
        (httpx2.ReadTimeout("x"), None, TimedOut, "nothing for 120 s"),
        (httpx2.WriteTimeout("x"), None, TimedOut, "nothing for 120 s"),
        (httpx2.UnsupportedProtocol("x"), None, BadAddress, "is no address"),
        (httpx2.InvalidURL("x"), None, BadAddress, "is no address"),
        (httpx2.ReadError("x"), None, BrokenStream, "broke off"),
        (httpx2.RemoteProtocolError("x"), None, BrokenStream, "broke off"),
        (httpx2.DecodingError("x"), None, BrokenStream, "broke off"),
        (ssl.SSLError("x"), None, BrokenStream, "broke off"),
        (type("EndOfStream", (Exception,), {})(), None, BrokenStream, "broke off"),
    ],
)
def test_meanings(
    error: Exception, cause: Exception | None, expected: type[CallError], told: str
) -> None:
    ours = meaning(error, cause)
    assert type(ours) is expected
    assert told in str(ours)


def test_a_fault_of_the_program_is_none_of_the_connections() -> None:
    assert meaning(TypeError("x")) is None


def test_the_reason_is_found_however_deep() -> None:
    inner = httpx2.ConnectError("x")
    inner.__context__ = ConnectionRefusedError()
    assert "Nothing answers" in str(meaning(RuntimeError("outer"), inner))


def test_the_key_is_not_told() -> None:
    assert KEY not in str(meaning(httpx2.ConnectError("x"), OSError(f"bad header {KEY}")))


async def test_a_page_is_json_or_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # is not for this machine
    routes = {"GET /json": Status(200, {"a": 1}), "GET /text": Status(418, "teapot")}
    async with Endpoint(routes=routes) as endpoint:
        place = Place(endpoint.root)
        whole = await get(f"{endpoint.root}/json", place, QUICK)
        text = await get(f"{endpoint.root}/text", place, QUICK)
    assert (whole.status, whole.body) == (200, {"a": 1})
    assert (text.status, text.body) == (418, "teapot")
    assert text.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("address", "clear"),
    [
        ("http://localhost:11434/v1", True),
        ("HTTP://127.0.0.1:1234/v1", True),
        ("https://localhost:8443/v1", False),
        ("http://192.168.1.5:8000/v1", False),  # a proxy may stand between, with a certificate
        ("https://api.example.com/v1", False),
    ],
)
def test_only_where_nothing_is_encrypted_no_certificates_are_loaded(
    address: str, clear: bool
) -> None:
    assert Place(address).in_the_clear is clear
