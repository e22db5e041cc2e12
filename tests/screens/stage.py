"""The real app on a stage: a home of its own, a scripted model, time that stands still."""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path

from textual.pilot import Pilot

from app.config import load_settings
from app.llm.discover import LocalServer
from app.paths import Paths
from app.ports import ChatModel, Clock
from app.project import Project
from app.screens.chat import ChatScreen
from app.screens.first_run import Find
from app.session.endpoint import endpoint_for
from app.session.launch import Launch, StartRequest
from app.session.session import Session
from app.session.terminal import SILENT, TerminalAnswers
from app.text import Words
from app.workbench.app import Workbench
from app.workbench.conductor import Conductor, EndpointFor
from tests.session.support import TestClock
from widgets.glyphs import glyphs_for
from widgets.look import Look

CONNECTED = {"model.name": "scripted", "model.base_url": "http://127.0.0.1:9/v1"}


async def no_servers() -> tuple[LocalServer, ...]:
    """Nothing runs on this machine."""
    return ()


def playing(model: ChatModel) -> EndpointFor:
    """Lets `model` answer, in the launch's own project."""

    def endpoint(launch: Launch, *, clock: Clock, pace: float) -> tuple[ChatModel, Project]:
        return model, launch.project

    return endpoint


class Stage(Workbench):
    """The app with what tests ask of its conductor."""

    @property
    def session(self) -> Session | None:
        """What is talked to."""
        return self.lead.session if self.conductor is not None else None

    @property
    def chat(self) -> ChatScreen | None:
        """The main screen."""
        return self.lead.chat if self.conductor is not None else None

    @property
    def lead(self) -> Conductor:
        """The conductor, once it is loaded."""
        assert isinstance(self.conductor, Conductor)
        return self.conductor


def make_app(
    tmp_path: Path,
    model: ChatModel | None = None,
    *,
    demo: bool = False,
    language: str = "en",
    flags: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    terminal: TerminalAnswers = SILENT,
    find: Find = no_servers,
    root: Path | None = None,
    gate: asyncio.Event | None = None,
    start: StartRequest = StartRequest(),  # noqa: B008 - frozen
    first_id: int = 0x7F3A00000000,
) -> Stage:
    """The app, not yet running: with `model` connected, with `demo` in the demo, else first run.

    With a `gate` it goes on loading until that is open. Ids count up from `first_id`.
    """
    home, root = tmp_path / "home", root or tmp_path / "order-service"
    root.mkdir(parents=True, exist_ok=True)
    paths = Paths(home / ".haima")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", **(environ or {})}
    given = {**(CONNECTED if model is not None else {}), "ui.language": language, **(flags or {})}
    settings = load_settings(environ=environment, paths=paths, project_root=root, flags=given)
    launch = Launch(
        settings=settings,
        project=Project(root),
        paths=paths,
        words=Words("zh" if language == "zh" else "en"),
        environ=environment,
        demo=demo,
        start=start,
    )
    numbers = itertools.count(first_id)
    clock = TestClock()

    async def conduct(app: Workbench) -> Conductor:
        if gate is not None:
            await gate.wait()
        return Conductor(
            app,
            launch,
            clock=clock,
            pace=0,
            find=find,
            endpoint=playing(model) if model is not None else endpoint_for,
            new_id=lambda: f"{next(numbers):012x}",
        )

    look = Look(launch.words, glyphs_for(ascii_only=terminal.ambiguous_wide))
    return Stage(conduct, look=look, terminal=terminal, clock=clock.monotonic)


def clock_of(app: Stage) -> TestClock:
    """The app's clock, to be moved."""
    assert isinstance(app.lead.clock, TestClock)
    return app.lead.clock


async def settled(pilot: Pilot[int]) -> None:
    """Until what has just come to stand on the screen is laid out for good."""
    await pilot.pause(0.01)
    await pilot.pause()


async def until(pilot: Pilot[int], true: Callable[[], object]) -> None:
    """Goes on until something is so."""
    for _ in range(2_000):
        if true():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came true")


async def opened(pilot: Pilot[int], app: Stage) -> None:
    """Until the session is open."""
    await until(pilot, lambda: app.session is not None and app.session.node)
