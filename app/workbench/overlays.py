"""What lies over the main screen: help and doctor, and what the menus list."""

from collections.abc import Callable

from app.screens.doctor import DoctorScreen
from app.screens.help import HelpScreen
from app.session.commands import COMMANDS
from app.session.doctor import Report, TerminalFacts, run_checks
from app.session.launch import Launch
from app.session.session import Session
from app.workbench.app import Workbench
from widgets.actions import Region
from widgets.dialogs.entry import Entry
from widgets.work_screen import WorkScreen


class Overlays:
    """Opens them over whatever screen is there."""

    def __init__(self, app: Workbench, launch: Launch) -> None:
        self._app = app
        self._launch = launch

    @property
    def _screen(self) -> WorkScreen | None:
        screen = self._app.screen
        return screen if isinstance(screen, WorkScreen) else None

    def help(self, *, commands: bool) -> None:
        """Keys and help; again: back. With `commands`, where there is a prompt to give them in."""
        screen = self._screen
        if isinstance(screen, HelpScreen):
            self._app.pop_screen()
        elif screen is not None:
            here, listed = screen.regions(), self._commands() if commands else ()
            self._app.push_screen(
                HelpScreen(self._app.look, screen.state, here=here, commands=listed)
            )

    def doctor(self, session: Callable[[], Session | None]) -> None:
        """What works and what doesn't."""
        screen = self._screen

        async def check() -> Report:
            return await self.examine(session())

        if screen is not None and not isinstance(screen, DoctorScreen):
            self._app.push_screen(DoctorScreen(self._app.look, screen.state, check=check))

    async def examine(self, session: Session | None) -> Report:
        """All checks; the endpoint with the settings of the session, where it is a real one."""
        launch, app = self._launch, self._app
        real = session if session is not None and session.model.base_url else None
        width, height = app.size
        return await run_checks(
            environ=launch.environ,
            paths=launch.paths,
            project=session.parts.project if session else launch.project,
            words=app.words,
            facts=TerminalFacts(width, height, app.terminal.widths or None),
            in_use=real.settings if real is not None else None,
        )

    def entries_here(self) -> tuple[Entry, ...]:
        """What the screen can do now."""
        screen = self._screen
        return self._entries(screen, *screen.regions()) if screen is not None else ()

    def entries(self, *, commands: bool) -> tuple[Entry, ...]:
        """What the palette lists: here, everywhere, and the commands."""
        screen = self._screen
        if screen is None:
            return ()
        found = self._entries(screen, *screen.regions(), "everywhere")
        listed = self._commands() if commands else ()
        return (*(one for one in found if one.runs != "app.palette"), *listed)

    def _entries(self, screen: WorkScreen, *regions: Region) -> tuple[Entry, ...]:
        named = self._app.words.named
        return tuple(
            Entry(named(f"actions.{action.name}"), action.shown, action.runs)
            for action in screen.available(*regions)
            if action.runs and action.shown
        )

    def _commands(self) -> tuple[Entry, ...]:
        words = self._app.words
        return tuple(Entry(words(one.help), f"/{one.name}", f"/{one.name}") for one in COMMANDS)
