"""What the workbench remembers in the user's settings file: theme, language, a connection."""

import asyncio
from collections.abc import Mapping
from typing import cast

from app.config import Theme
from app.errors import HaimaError
from app.session.launch import Launch
from app.session.preferences import Value, remember_all
from app.text import Key
from app.workbench.app import Workbench
from app.workbench.models import config_place
from widgets.palette import palette_of
from widgets.unbegun import unbegun

_THEMES: Mapping[Theme, Key] = {
    "auto": "chat.theme_auto",
    "dark": "chat.theme_dark",
    "light": "chat.theme_light",
}


class Keeping:
    """Writes it behind the screen."""

    def __init__(self, app: Workbench, launch: Launch) -> None:
        self._app = app
        self._launch = launch

    def keep(self, values: Mapping[str, Value], *, said: bool = False) -> None:
        """Remembers settings in the user's file; says so if asked, and if it can't."""
        work = unbegun(self._keep, values, said=said)
        self._app.run_worker(work, group="keep", exit_on_error=False)

    async def _keep(self, values: Mapping[str, Value], *, said: bool) -> None:
        words = self._app.words
        try:
            await asyncio.to_thread(remember_all, self._launch.paths, values)
        except HaimaError as error:
            self._app.toast("chat.not_kept", error.sentence(words), "warn")
        else:
            if said:
                kept = words("connect.kept", path=config_place(self._launch))
                self._app.toast("connect.connected", kept, "ok")

    def set_theme(self, name: str) -> None:
        """The one that is named, else the other one; remembered."""
        app = self._app
        other = "light" if palette_of(app.theme).dark else "dark"
        chosen = cast("Theme", name or other)
        app.dress(app.look, chosen)
        app.toast(_THEMES[chosen])
        self.keep({"ui.theme": chosen})
