"""From a choice on the first-run screen to a connection: key, list of models, model.

Not a screen: it asks through dialogs that are handed to `ask`, so it can be tried without one.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import SecretStr

from app.config import ModelSettings
from app.errors import HaimaError
from app.llm.connect import list_models, normalise_base_url
from app.llm.discover import LocalServer
from app.llm.place import Place
from app.llm.providers import Provider
from app.session.choices import Choice
from app.session.preferences import Value
from widgets.dialogs.base import Dialog
from widgets.dialogs.connect import Answered, ConnectDialog, Endpoint
from widgets.dialogs.entry import Entry
from widgets.dialogs.menu import MenuDialog
from widgets.dialogs.models import ModelDialog
from widgets.look import Look

T = TypeVar("T")

ListModels = Callable[[str, SecretStr | None], Awaitable[tuple[str, ...]]]
"""The models of an endpoint; raises `CallError` with a sentence."""


class Ask(Protocol):
    """Shows a dialog and gives its result, None when it was left."""

    async def __call__(self, dialog: Dialog[T], /) -> T | None:
        """Asks."""
        ...


@dataclass(frozen=True, slots=True)
class Connection:
    """An endpoint and a model there.

    Attributes:
        base_url: where requests go.
        model: its name.
        key: what is sent; None where the endpoint wants none.
        variable: the environment variable the key is in, "" where it was typed or there is none.
        keep: whether to keep it for the next start.
    """

    base_url: str
    model: str
    key: SecretStr | None = None
    variable: str = ""
    keep: bool = True

    def settings(self, before: ModelSettings) -> ModelSettings:
        """The settings of the model with this connection in them."""
        return before.model_copy(
            update={
                "base_url": self.base_url,
                "name": self.model,
                "api_key": self.key,
                "api_key_env": self.variable,
            }
        )

    def kept(self, before: ModelSettings | None = None) -> Mapping[str, Value]:
        """What goes into the user's file; where the endpoint is the same, the model's name alone.

        A key from the environment is named, not copied.
        """
        if before and (before.base_url, before.api_key) == (self.base_url, self.key):
            return {"model.name": self.model}
        typed = None if self.variable or self.key is None else self.key.get_secret_value()
        return {
            "model.base_url": self.base_url,
            "model.name": self.model,
            "model.api_key": typed,
            "model.api_key_env": self.variable,
        }


class Connecting:
    """Asks what is missing until there is a connection, or the user leaves.

    Args:
        look: words and glyphs.
        ask: shows dialogs.
        progress: says what is being asked; "" when the wait is over.
        environ: where keys are looked for.
        keep_in: the file a connection is kept in, as shown.
        models: lists an endpoint's models.
    """

    def __init__(
        self,
        *,
        look: Look,
        ask: Ask,
        progress: Callable[[str], None],
        environ: Mapping[str, str],
        keep_in: str,
        models: ListModels = list_models,
    ) -> None:
        self._look = look
        self._ask = ask
        self._progress = progress
        self._environ = environ
        self._keep_in = keep_in
        self._models = models

    async def choose(self, choice: Choice) -> Connection | None:
        """What was chosen on the first-run screen; not the demo."""
        if choice.server is not None:
            return await self.server(choice.server)
        match choice.kind:
            case "provider":
                return await self.provider(choice.providers[0])
            case "more":
                return await self.more(choice.providers)
            case _:
                return await self.other()

    async def server(self, server: LocalServer) -> Connection | None:
        """A server on this machine; it wants no key."""
        model = await self._pick(server.address, server.models)
        return Connection(server.base_url, model) if model else None

    async def provider(self, provider: Provider) -> Connection | None:
        """A provider: with the key from the environment, else one that is typed."""
        variable = provider.key_variable(self._environ) or ""
        if not variable:
            return await self._typed(provider)
        key = SecretStr(self._environ[variable].strip())
        address = Place(provider.base_url).address
        self._progress(address)
        try:
            models = await self._models(provider.base_url, key)
        except HaimaError as error:
            return await self._typed(provider, said=error.sentence(self._look.words))
        finally:
            self._progress("")
        model = await self._pick(address, models, preferred=provider.model)
        return Connection(provider.base_url, model, key, variable) if model else None

    async def more(self, providers: tuple[Provider, ...]) -> Connection | None:
        """One of the providers that had no room in the list."""
        entries = tuple(Entry(one.name, "", one.id) for one in providers)
        chosen = await self._ask(MenuDialog(self._look, "connect.title_more", entries))
        provider = next((one for one in providers if one.id == chosen), None)
        return await self.provider(provider) if provider else None

    async def other(self) -> Connection | None:
        """Any address."""
        return await self._typed(None)

    async def again(self, settings: ModelSettings) -> Connection | None:
        """Another model at the endpoint of these settings; or, on the way, another endpoint.

        Where the endpoint doesn't list its models, say for a wrong key, that can be corrected.
        """
        place = Place(settings.base_url).address
        try:
            models = await self._models(settings.base_url, settings.api_key)
        except HaimaError as error:
            return await self._typed(None, error.sentence(self._look.words), settings.base_url)
        if not models:
            said = self._look.words("connect.no_models", place=place)
            return await self._typed(None, said, settings.base_url)
        dialog = ModelDialog(
            self._look, place=place, models=models, current=settings.name, changes=True
        )
        chosen = await self._ask(dialog)
        if chosen is None:
            return None
        if not chosen.name:
            return await self._typed(None, "", settings.base_url)
        return Connection(
            settings.base_url, chosen.name, settings.api_key, settings.api_key_env, chosen.keep
        )

    async def _typed(
        self, provider: Provider | None, said: str = "", address: str = ""
    ) -> Connection | None:
        """Asks for what must be typed, and tries it before the dialog closes."""

        async def attempt(typed: Endpoint) -> Answered | str:
            return await self._attempt(typed, provider)

        dialog = ConnectDialog(
            self._look,
            name=provider.name if provider else "",
            address=Place(provider.base_url).address if provider else address,
            keep_in=self._keep_in,
            attempt=attempt,
            said=said,
        )
        answer = await self._ask(dialog)
        if answer is None:
            return None
        typed = answer.endpoint
        model = typed.model or await self._pick(
            Place(typed.base_url).address,
            answer.models,
            preferred=provider.model if provider else "",
        )
        return Connection(typed.base_url, model, typed.key, keep=typed.keep) if model else None

    async def _attempt(self, typed: Endpoint, provider: Provider | None) -> Answered | str:
        """Lists the models there; a sentence where that fails.

        With a model's name the list isn't needed: some endpoints have none.
        """
        words = self._look.words
        try:
            base_url = provider.base_url if provider else normalise_base_url(typed.base_url)
            endpoint = Endpoint(base_url, typed.key, typed.model, typed.keep)
            if endpoint.model:
                return Answered(endpoint, (endpoint.model,))
            models = await self._models(base_url, typed.key)
        except HaimaError as error:
            return error.sentence(words)
        if not models:
            return words("connect.no_models", place=Place(base_url).address)
        return Answered(endpoint, models)

    async def _pick(self, place: str, models: tuple[str, ...], preferred: str = "") -> str:
        """The only model, or the one that is chosen; "" when none is."""
        if len(models) <= 1:
            return models[0] if models else preferred
        chosen = await self._ask(
            ModelDialog(self._look, place=place, models=models, current=preferred)
        )
        return chosen.name if chosen else ""
