"""Connecting to a model and switching to another one; all that were used are closed in the end."""

from collections.abc import Mapping
from typing import Protocol

from app.config import ModelSettings, Settings
from app.errors import HaimaError
from app.llm.connect import make_model
from app.ports import ChatModel, Clock
from app.project import Project
from app.screens.first_run import FirstRunScreen
from app.session.choices import Choice
from app.session.endpoint import close_model
from app.session.launch import Launch
from app.session.preferences import Value
from app.session.session import Session
from app.workbench.app import Workbench
from app.workbench.connecting import Connecting


class Keep(Protocol):
    """Remembers settings in the user's file."""

    def __call__(self, values: Mapping[str, Value], *, said: bool = False) -> None:
        """Does it behind the screen; `said`: tells that it did."""
        ...


def config_place(launch: Launch) -> str:
    """The user's settings file, as shown."""
    home = Project(launch.paths.home).place(launch.environ)
    return f"{home}/{launch.paths.config_file.name}"


class Models:
    """The models of one run of the app.

    Args:
        app: shows dialogs and toasts.
        launch: settings and environment at the start.
        clock: for the clients.
        keep: remembers a connection.
    """

    def __init__(self, app: Workbench, launch: Launch, *, clock: Clock, keep: Keep) -> None:
        self._app = app
        self._launch = launch
        self._clock = clock
        self._keep = keep
        self._used: list[ChatModel] = []

    def add(self, model: ChatModel) -> None:
        """Remembers a model, to be closed in the end."""
        if model not in self._used:
            self._used.append(model)

    @property
    def newest(self) -> ChatModel:
        """The one that was connected last."""
        return self._used[-1]

    async def connect(self, choice: Choice) -> Settings | None:
        """Connects to what was chosen on the first-run screen.

        Returns:
            The settings with the connection in them; None where the user left, or it failed.
        """
        before = self._launch.settings
        connection = await self._connecting().choose(choice)
        if connection is None:
            return None
        changed = connection.settings(before.model)
        if not self._make(changed):
            return None
        if connection.keep:
            self._keep(connection.kept(), said=True)
        return before.model_copy(update={"model": changed})

    async def switch(self, session: Session, name: str) -> None:
        """Another model answers from the next step on: by name at once, else from a list."""
        words, app = self._app.words, self._app
        before = session.settings.model.model_copy(update={"base_url": session.model.base_url})
        if not before.base_url:
            app.toast("connect.demo_no_models", words("connect.demo_no_models_text"))
            return
        changed = before.model_copy(update={"name": name})
        if not name:
            connection = await self._connecting().again(before)
            if connection is None:
                return
            changed = connection.settings(before)
            if connection.keep:
                self._keep(connection.kept(before), said=True)
        if self._make(changed):
            settings = session.settings.model_copy(update={"model": changed})
            session.use_model(self.newest, settings)
            said = words("connect.switched", model=self.newest.name)
            app.toast("chat.model_switched", said, "ok")

    async def close(self) -> None:
        """Closes all connections."""
        for model in self._used:
            await close_model(model)

    def _make(self, settings: ModelSettings) -> bool:
        """Makes the client; says why where it can't."""
        words = self._app.words
        try:
            self.add(make_model(settings, clock=self._clock, words=words))
        except HaimaError as error:
            self._app.toast("chat.command_failed", error.sentence(words), "danger")
            return False
        return True

    def _connecting(self) -> Connecting:
        return Connecting(
            look=self._app.look,
            ask=self._app.desk.ask,
            progress=self._show_progress,
            environ=self._launch.environ,
            keep_in=config_place(self._launch),
        )

    def _show_progress(self, place: str) -> None:
        if isinstance(self._app.screen, FirstRunScreen):
            words = self._app.words
            asking = words("connect.asking", place=place)
            said = f"{asking}  {words('connect.cancel_hint')}"
            self._app.screen.progress = said if place else ""
