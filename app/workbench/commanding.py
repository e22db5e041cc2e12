"""What is typed after `/`: each command goes to the part that does it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from app.screens.chat import ChatScreen
from app.workbench.app import Workbench
from app.workbench.context_items import ContextItems
from app.workbench.conversation import clear, export
from app.workbench.keeping import Keeping
from app.workbench.models import Models
from widgets.unbegun import unbegun


class DoesCommands(Protocol):
    """A part that knows commands of its own."""

    def command(self, name: str, argument: str) -> bool:
        """Does one; False: it is no business of this."""
        ...


class Commanding:
    """Does a command; the main screen is where they are given.

    Args:
        app: shows what comes of it.
        chat: the main screen, once there is one.
        help: shows the keys.
        keeping: keeps a setting.
        models: switches to another model.
        others: asked one after the other, each for commands of its own.
        items: asked at last, for those that are about what the context holds.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        *,
        help: Callable[[], None],
        keeping: Keeping,
        models: Models,
        others: Sequence[DoesCommands],
        items: ContextItems,
    ) -> None:
        self._app = app
        self._chat = chat
        self._help = help
        self._keeping = keeping
        self._models = models
        self._others = others
        self._items = items

    def do(self, name: str, argument: str) -> None:
        """Does it; before there is a main screen, nothing.

        Args:
            name: without the stroke.
            argument: what stands behind it.
        """
        app, chat = self._app, self._chat()
        if chat is None:
            return
        match name:
            case "help":
                self._help()
            case "clear":
                app.run_worker(unbegun(clear, chat), group="clear", exit_on_error=False)
            case "export":
                app.run_worker(unbegun(export, chat), group="export", exit_on_error=False)
            case "theme":
                self._keeping.set_theme(argument)
            case "model":
                work = unbegun(self.switch_model, argument)
                app.run_worker(work, group="model", exclusive=True, exit_on_error=False)
            case "quit":
                app.leave()
            case _:
                if not any(other.command(name, argument) for other in self._others):
                    self._items.command(name)

    async def switch_model(self, name: str = "") -> None:
        """To another model; "": the user is asked which."""
        if (chat := self._chat()) is not None:
            await self._models.switch(chat.session, name)
            chat.show_state()
