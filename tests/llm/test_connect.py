"""Connecting: addresses as people paste them, lists of models (fault 18), the settings' client."""

import pytest
from pydantic import SecretStr

from app.config import ModelSettings
from app.llm.connect import list_models, make_model, normalise_base_url
from app.llm.errors import (
    AddressNotFound,
    BadAddress,
    BadKey,
    CallError,
    NotAnEndpoint,
    Redirected,
    Unreachable,
)
from tests.endpoint import Endpoint, Say, Status
from tests.llm.support import EN, KEY, MADE, FakeClock, ask

pytestmark = pytest.mark.usefixtures("closing")


@pytest.mark.parametrize(
    ("typed", "base_url"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        (" https://api.example.com/v1/ \n", "https://api.example.com/v1"),
        ('"https://api.example.com/v1"', "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/models", "https://api.example.com/v1"),
        ("https://api.example.com/v1/v1", "https://api.example.com/v1"),
        ("https://api.example.com//v1//", "https://api.example.com/v1"),
        ("https://api.example.com/v1?key=1#top", "https://api.example.com/v1"),
        ("https://api.example.com/api/paas/v4", "https://api.example.com/api/paas/v4"),
        ("api.example.com", "https://api.example.com/v1"),
        ("api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("localhost:8000", "http://localhost:8000/v1"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("192.168.1.7:1234/v1", "http://192.168.1.7:1234/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("http://llm-box:8000/", "http://llm-box:8000/v1"),
        ("https://me:secret@api.example.com/v1", "https://me:secret@api.example.com/v1"),
        # A known provider's bare host has its own path.
        ("api.deepseek.com", "https://api.deepseek.com"),
        ("https://openrouter.ai", "https://openrouter.ai/api/v1"),
        ("open.bigmodel.cn", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://dashscope.aliyuncs.com/", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    ],
)
def test_an_address_as_people_paste_it(typed: str, base_url: str) -> None:
    assert normalise_base_url(typed) == base_url
    assert normalise_base_url(base_url) == base_url


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "  ",
        "https://",
        "ftp://example.com",
        "a b",
        "https://exa mple.com/v1",
        "http://[::1/v1",
        "https://example.com:99999/v1",
        "https://example.com:0",
        "https://a..b/v1",
        "file:///etc",
        "?",
    ],
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(BadAddress, match=r"https://api\.example\.com/v1"):
        normalise_base_url(typed)


def test_a_password_in_what_is_no_address_is_not_shown() -> None:
    with pytest.raises(BadAddress) as caught:
        normalise_base_url("https://me:hunter2@exa mple.com/v1")
    assert "hunter2" not in str(caught.value)


async def test_models_in_their_order_each_once() -> None:
    listed: list[str | dict[str, object]] = [
        "b",
        "a",
        "b",
        {"id": ""},
        {"object": "model"},
        {"id": 5},
    ]
    async with Endpoint(models=listed, api_key=KEY) as endpoint:
        assert await list_models(endpoint.base_url, SecretStr(KEY)) == ("b", "a")
        assert await list_models(f"{endpoint.base_url}/", SecretStr(KEY)) == ("b", "a")


@pytest.mark.parametrize(
    "body", [{"models": [{"name": "a"}]}, [{"id": "a"}], {"data": [{"id": "a"}]}]
)
async def test_other_shapes_of_a_list(body: object) -> None:
    async with Endpoint(models=Status(200, body)) as endpoint:  # type: ignore[arg-type]
        assert await list_models(endpoint.base_url) == ("a",)


async def test_no_models() -> None:
    async with Endpoint(models=[]) as endpoint:
        assert await list_models(endpoint.base_url) == ()


async def test_ten_thousand_models() -> None:
    names = [f"model-{n}" for n in range(10_000)]
    async with Endpoint(models=names) as endpoint:
        assert await list_models(endpoint.base_url) == tuple(names)


async def test_a_wrong_key() -> None:
    async with Endpoint(api_key=KEY) as endpoint:
        with pytest.raises(BadKey, match="does not accept the key") as caught:
            await list_models(endpoint.base_url, SecretStr("sk-a-wrong-key-0001"))
        assert "sk-a-wrong" not in str(caught.value)
        with pytest.raises(BadKey, match="none is set"):
            await list_models(endpoint.base_url)


async def test_v1_is_missing() -> None:
    async with Endpoint(models=["a"]) as endpoint:
        with pytest.raises(AddressNotFound, match=f"there is one at {endpoint.base_url};"):
            await list_models(endpoint.root)


async def test_v1_is_doubled() -> None:
    async with Endpoint(models=["a"]) as endpoint:
        with pytest.raises(AddressNotFound, match=f"there is one at {endpoint.base_url};"):
            await list_models(f"{endpoint.base_url}/v1")


async def test_v1_is_missing_where_a_web_page_answers() -> None:
    page = Status(200, "<html>Welcome</html>", {"content-type": "text/html"})
    async with Endpoint(models=["a"], routes={"GET /models": page}) as endpoint:
        with pytest.raises(AddressNotFound, match=f"there is one at {endpoint.base_url};"):
            await list_models(endpoint.root)


async def test_nothing_of_the_kind_anywhere() -> None:
    page = Status(200, "<html>Welcome</html>", {"content-type": "text/html"})
    async with Endpoint(models=page, routes={"GET /models": page}) as endpoint:
        with pytest.raises(NotAnEndpoint, match="no model server"):
            await list_models(endpoint.base_url)


async def test_a_list_that_is_not_there() -> None:
    async with Endpoint(models=Status(404, "")) as endpoint:
        with pytest.raises(AddressNotFound, match="often ends in /v1"):
            await list_models(endpoint.base_url)


async def test_from_http_to_https() -> None:
    moved = Status(308, "", {"location": "https://api.example.com/v1/models"})
    async with Endpoint(models=moved) as endpoint:
        with pytest.raises(Redirected, match=r"https://api\.example\.com/v1"):
            await list_models(endpoint.base_url)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_other_failures_keep_their_meaning(status: int) -> None:
    async with Endpoint(models=Status(status, {"error": {"message": "Oops"}})) as endpoint:
        with pytest.raises(CallError, match="Oops"):
            await list_models(endpoint.base_url)


async def test_nothing_listens() -> None:
    async with Endpoint() as endpoint:
        base_url = endpoint.base_url
    with pytest.raises(Unreachable, match="Nothing answers"):
        await list_models(base_url)


async def test_the_client_that_the_settings_describe() -> None:
    async with Endpoint([Say("a")], api_key=KEY) as endpoint:
        settings = ModelSettings(
            name="scripted",
            base_url=f"{endpoint.base_url}/chat/completions",
            api_key=SecretStr(KEY),
            temperature=0.25,
            max_tokens=77,
        )
        model = make_model(settings, clock=FakeClock(), words=EN)
        MADE.append(model)
        assert (await ask(model)).text == "a"
    (body,) = endpoint.requests
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("scripted", 0.25, 77)
    assert (model.name, model.base_url) == ("scripted", endpoint.base_url)


async def test_the_settings_limit_the_tries() -> None:
    clock = FakeClock()
    async with Endpoint(lambda _: Status(503)) as endpoint:
        settings = ModelSettings(name="scripted", base_url=endpoint.base_url, tries=2)
        model = make_model(settings, clock=clock, words=EN)
        MADE.append(model)
        with pytest.raises(CallError):
            await ask(model)
    assert len(endpoint.requests) == 2
    assert len(clock.slept) == 1
    assert 0.375 <= clock.slept[0] <= 0.625
