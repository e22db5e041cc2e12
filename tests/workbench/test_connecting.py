"""From a choice to a connection, with a real endpoint and without a screen."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from app.config import ModelSettings
from app.llm.errors import BadKey
from app.llm.providers import PROVIDERS, Provider
from app.session.choices import Choice
from app.workbench.connecting import Connecting, Connection
from tests.endpoint import Endpoint as Server
from tests.endpoint import Status
from widgets.dialogs.base import Dialog
from widgets.dialogs.connect import Answered, ConnectDialog, Endpoint
from widgets.dialogs.models import ModelChoice, ModelDialog
from widgets.look import Look

DEEPSEEK = PROVIDERS[0]
KEY = SecretStr("sk-1234567890")


class User:
    """Answers dialogs in order, and keeps them."""

    def __init__(self, *answers: Callable[[Any], Any]) -> None:
        self.answers = list(answers)
        self.saw: list[Dialog[Any]] = []
        self.progress: list[str] = []

    async def ask(self, dialog: Dialog[Any], /) -> Any:
        self.saw.append(dialog)
        answer = self.answers.pop(0)(dialog)
        return await answer if hasattr(answer, "__await__") else answer


def connecting(user: User, **environ: str) -> Connecting:
    return Connecting(
        look=Look(),
        ask=user.ask,
        progress=user.progress.append,
        environ=environ,
        keep_in="~/.haima/config.toml",
    )


def types(endpoint: Endpoint) -> Callable[[Any], Any]:
    """Types into the dialog and presses Enter, until it says something or is done."""

    async def attempt(dialog: ConnectDialog) -> Answered | None:
        answer = await dialog._attempt(endpoint)
        return answer if isinstance(answer, Answered) else None

    return attempt


def at(server: Server) -> Provider:
    return Provider(
        id="x", name="X", base_url=server.base_url, key_variables=("X_API_KEY",), model="scripted"
    )


async def test_a_key_in_the_environment_is_used_and_only_named_in_the_file() -> None:
    user = User()
    async with Server([]) as server:
        found = await connecting(user, X_API_KEY="sk-1234567890").provider(at(server))
    assert found == Connection(server.base_url, "scripted", KEY, "X_API_KEY")
    assert found.kept() == {
        "model.base_url": server.base_url,
        "model.name": "scripted",
        "model.api_key": None,
        "model.api_key_env": "X_API_KEY",
    }
    assert user.progress == [server.base_url, ""]


async def test_a_refused_key_asks_for_another_and_says_why() -> None:
    user = User(lambda dialog: None)
    async with Server([], models=Status(401, {"error": {"message": "bad key"}})) as server:
        found = await connecting(user, X_API_KEY="sk-wrong-wrong").provider(at(server))
    assert found is None
    dialog = user.saw[0]
    assert isinstance(dialog, ConnectDialog)
    assert "key" in dialog._said


async def test_several_models_are_a_choice_and_the_usual_one_is_proposed() -> None:
    user = User(lambda dialog: ModelChoice("b", keep=False))
    async with Server([], models=("a", "b", "scripted")) as server:
        found = await connecting(user, X_API_KEY="sk-1234567890").provider(at(server))
    assert found is not None and found.model == "b"
    dialog = user.saw[0]
    assert isinstance(dialog, ModelDialog) and dialog.models.at == 2


async def test_a_typed_address_is_made_whole() -> None:
    async with Server([]) as server:
        bare = server.base_url.removeprefix("http://").removesuffix("/v1")
        user = User(types(Endpoint(bare, KEY)))
        found = await connecting(user).other()
    assert found == Connection(server.base_url, "scripted", KEY)
    assert found.kept()["model.api_key"] == "sk-1234567890"
    assert found.kept()["model.api_key_env"] == ""


async def test_with_a_models_name_no_list_is_needed() -> None:
    async with Server([], models=Status(404, {})) as server:
        user = User(types(Endpoint(server.base_url, None, "my-model")))
        found = await connecting(user).other()
    assert found == Connection(server.base_url, "my-model")


async def test_an_endpoint_without_models_says_what_to_do() -> None:
    async with Server([], models=()) as server:
        answer = await connecting(User())._attempt(Endpoint(server.base_url), None)
    assert isinstance(answer, str) and "lists no model" in answer


async def test_leaving_a_dialog_leaves_everything() -> None:
    assert await connecting(User(lambda dialog: None)).other() is None
    assert await connecting(User(lambda dialog: None)).more(PROVIDERS[4:]) is None


async def test_a_connection_goes_into_the_settings_and_sends_no_foreign_key() -> None:
    before = ModelSettings(api_key=SecretStr("sk-of-another"), temperature=0.5)
    after = Connection("http://127.0.0.1:11434/v1", "qwen3").settings(before)
    assert after.api_key is None and after.api_key_env == "" and after.temperature == 0.5


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.id)
async def test_each_provider_can_be_chosen(provider: Provider) -> None:
    async def models(base_url: str, key: SecretStr | None) -> tuple[str, ...]:
        assert (base_url, key) == (provider.base_url, KEY)
        if provider.id == "glm":
            raise BadKey(host=provider.name)
        return (provider.model, "other")

    user = User(
        lambda dialog: (
            ModelChoice(provider.model, keep=False) if isinstance(dialog, ModelDialog) else None
        )
    )
    made = Connecting(
        look=Look(),
        ask=user.ask,
        progress=user.progress.append,
        environ={provider.key_variables[0]: "sk-1234567890"},
        keep_in="",
        models=models,
    )
    found = await made.choose(Choice("provider", providers=(provider,)))
    if provider.id == "glm":
        assert found is None
    else:
        assert found is not None and found.model == provider.model
