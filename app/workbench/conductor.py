"""What the app is about: the session, its screens and commands, connections, what is remembered."""

import asyncio
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from app.config import Settings
from app.conversation.messages import IdFactory, random_id
from app.errors import HaimaError
from app.llm.discover import find_local_servers
from app.llm.late import warm
from app.ports import ChatModel, Clock
from app.project import Project
from app.screens.chat import ChatScreen
from app.screens.context import ContextScreen
from app.screens.first_run import Find, FirstRunScreen
from app.screens.help import HelpScreen
from app.session.build import build_session
from app.session.choices import Choice, small_window
from app.session.clock import SystemClock
from app.session.earlier import Earlier
from app.session.endpoint import endpoint_for, missing
from app.session.launch import Launch
from app.session.questions import Broker
from app.session.session import Session
from app.text import Key, Words
from app.workbench.app import FAILED, Workbench
from app.workbench.asking import Asking
from app.workbench.commanding import Commanding
from app.workbench.context_items import ContextItems
from app.workbench.conversation import edit
from app.workbench.deciding import Deciding
from app.workbench.drafts import DraftKeeper, draft_of
from app.workbench.files import Files
from app.workbench.keeping import Keeping
from app.workbench.models import Models, config_place
from app.workbench.overlays import Overlays
from app.workbench.project_files import ProjectFiles
from app.workbench.recalling import RecalledFacts
from app.workbench.remembering import Remembers
from app.workbench.replaying import Replaying
from app.workbench.resuming import Resuming
from app.workbench.showing import Shows
from app.workbench.summaries import Summaries
from app.workbench.windows import Windows
from app.workbench.working import Working
from widgets.dialogs.base import Dialog
from widgets.dialogs.entry import Entry
from widgets.glyphs import glyphs_for
from widgets.header import HeaderState
from widgets.look import Look
from widgets.requests import DraftChanged, Request
from widgets.unbegun import unbegun

_WARM_UP = 0.3
"""Seconds after the first screen until openai is imported: its paint comes first."""


class EndpointFor(Protocol):
    """Gives the model and the project of a launch (`session.endpoint.endpoint_for`)."""

    def __call__(self, launch: Launch, *, clock: Clock, pace: float) -> tuple[ChatModel, Project]:
        """Raises `HaimaError` where there is none."""
        ...


class Conductor(Shows):
    """Leads the app; an `app.Conducts`.

    Args:
        app: what it leads.
        launch: what the command line found out.
        clock: time for the session and for everything that waits.
        pace: seconds a piece of the demo's speech; None: its own.
        find: looks for servers on this machine.
        endpoint: the model and the project of a launch.
        new_id: ids of messages, calls and chains.

    Attributes:
        session: what is talked to; None before a model is connected.
        broker: the questions that wait for the user.
        models: connects and switches.
    """

    def __init__(
        self,
        app: Workbench,
        launch: Launch,
        *,
        clock: Clock | None = None,
        pace: float | None = None,
        find: Find = find_local_servers,
        endpoint: EndpointFor = endpoint_for,
        new_id: IdFactory = random_id,
    ) -> None:
        self.app = app
        self.launch = launch
        self.clock = clock or SystemClock()
        self.session: Session | None = None
        self.broker = Broker()
        self.asking = Asking(app, self.broker, now=self._now)
        self.deciding = Deciding(app, self.asking, lambda: self.session)
        self._pace = pace
        self._find = find
        self._endpoint = endpoint
        self._new_id = new_id
        self.overlays = Overlays(app, launch)
        self.files = Files(app, launch)
        self.items = ContextItems(
            app, lambda: self.chat, lambda: self.session, self.files, root=self._root
        )
        self.recalled = RecalledFacts(app, lambda: self.chat, lambda: self.session)
        self.windows = Windows(app, lambda: self.chat, self.items.peek)
        self.summaries = Summaries(
            app,
            lambda: self.chat,
            lambda: self.session,
            self.windows,
            self._other_model,
        )
        self.drafts: DraftKeeper | None = None
        self.resuming = Resuming(
            app,
            lambda: self.chat,
            lambda: None if self.session is None else Earlier(self.session),
            now=self._now,
        )
        self.remembers = Remembers(
            app,
            lambda: self.chat,
            lambda: self.session,
            deciding=self.deciding,
            resuming=self.resuming,
            windows=self.windows,
            now=self._now,
        )
        self.working = Working(app, lambda: self.chat, lambda: self.session, self.files)
        self.replaying = Replaying(app, lambda: self.chat, lambda: self.session, self.files)
        self._warming: asyncio.Task[None] | None = None
        self.keeping = Keeping(app, launch)
        self.models = Models(app, launch, clock=self.clock, keep=self.keeping.keep)
        self.commanding = Commanding(
            app,
            lambda: self.chat,
            help=self.show_help,
            keeping=self.keeping,
            models=self.models,
            others=(self.windows, self.summaries, self.resuming, self.remembers, self.working),
            items=self.items,
        )

    @property
    def words(self) -> Words:
        """The language of the screen."""
        return self.app.look.words

    @property
    def chat(self) -> ChatScreen | None:
        """The main screen, once there is one."""
        found = (screen for screen in self.app.screen_stack if isinstance(screen, ChatScreen))
        return next(found, None)

    def _now(self) -> datetime:
        """The present time, in the user's zone."""
        return self.clock.now().astimezone()

    def _root(self) -> Path:
        """The folder of the project that is open: the demo has one of its own."""
        return (self.session.parts if self.session else self.launch).project.root

    @property
    def has_begun(self) -> bool:
        """Whether there is something to lose by quitting."""
        return self.session is not None

    # Start

    def begin(self) -> None:
        """Shows the first screen, dressed as the settings say; imports openai behind it."""
        launch, app = self.launch, self.app
        app.log_file = str(launch.paths.log_file)
        app.dress(self._look(), launch.settings.ui.theme)
        self.broker.attach(self.asking)
        if launch.demo:
            self._start_demo()
        elif missing(launch.settings) is None:
            model, project = self._endpoint(launch, clock=self.clock, pace=0)
            self._begin(model, project, launch.settings)
        else:
            first_run = self._first_run()
            app.show(first_run)
            first_run.call_after_refresh(app.listen, wanted=False)
        app.set_timer(_WARM_UP, self._warm_up)
        if app.look.ascii and app.terminal.ambiguous_wide:
            app.toast("chat.ascii", self.words("chat.ascii_text"), "warn")

    def _warm_up(self) -> None:
        """Imports openai in a thread, once the screen stands (TUI (d))."""
        self._warming = asyncio.create_task(warm())

    def _look(self) -> Look:
        """The settings' look, where they say something, else what the terminal can do."""
        ui, look = self.launch.settings.ui, self.app.look
        ascii_only = ui.glyphs == "ascii" or (ui.glyphs == "auto" and look.ascii)
        return Look(self.launch.words, glyphs_for(ascii_only=ascii_only), ui.motion)

    def _first_run(self) -> FirstRunScreen:
        return FirstRunScreen(
            self.app.look,
            HeaderState(project=self.launch.project.name),
            find=self._find,
            environ=self.launch.environ,
            config=config_place(self.launch),
        )

    def _start_demo(self) -> None:
        """The demo, in a fresh copy of its sample project."""
        from app.llm.demo import PACE, SUGGESTIONS  # noqa: PLC0415 - only the demo needs it

        launch = replace(self.launch, demo=True, words=self.words)
        pace = PACE if self._pace is None else self._pace
        try:
            model, project = self._endpoint(launch, clock=self.clock, pace=pace)
        except HaimaError as error:
            self.app.leave(FAILED, error.sentence(self.words))
            return
        self._begin(model, project, launch.settings, demo=SUGGESTIONS)

    def _begin(
        self,
        model: ChatModel,
        project: Project,
        settings: Settings,
        *,
        demo: tuple[Key, ...] | None = None,
    ) -> None:
        """Shows the main screen and opens the session behind it."""
        self.session = build_session(
            settings=settings,
            project=project,
            paths=self.launch.paths,
            words=self.words,
            decisions=self.broker,
            model=model,
            environ=self.launch.environ,
            clock=self.clock,
            new_id=self._new_id,
            notices=self.launch.notices,
        )
        self.models.add(model)
        screen = ChatScreen(
            self.app.look,
            self.session,
            demo=demo,
            files=ProjectFiles(project).fitting,
            peek=self.items.peek,
            clock=self.clock.monotonic,
        )
        screen.transcript.link_to(project.root.as_uri())
        screen.side.model.work_undoable = self.working.undoable
        followers = self.items, self.recalled, self.working
        self.session.publish.listeners += (one.follow for one in followers)
        screen.empty.display = self.launch.start.kind == "begin"
        self.app.show(screen)
        screen.call_after_refresh(self.app.listen)
        if demo is None:
            self.drafts = draft_of(self.app, screen, self.launch.paths)
        screen.call_after_refresh(self._start_opening, self.session)

    def _start_opening(self, session: Session) -> None:
        """The session is opened once the screen listens: nothing it tells is missed."""
        self.app.run_worker(unbegun(self._open, session), group="session")

    async def _open(self, session: Session) -> None:
        try:
            await self.resuming.begin(session, self.launch.start)
        except HaimaError as error:
            self.app.failure = error
            self.app.leave(FAILED)

    # What screens ask for

    async def take(self, request: Request) -> None:
        """Does what a screen or dialog asks for."""
        app = self.app
        match request:
            case FirstRunScreen.Chosen():
                self._choose(request.choice)
            case FirstRunScreen.Cancelled():
                app.workers.cancel_group(app, "connect")
            case ChatScreen.Command():
                self.commanding.do(request.name, request.argument)
            case ContextScreen.GoTo():
                self.windows.go_to(request.message_id)
            case ContextScreen.Window():
                self.commanding.do("window", str(request.size))
            case HelpScreen.Run():
                await app.pop_screen()
                await app.run_entry(request.runs)
            case Dialog.Typed() if self.chat is not None:
                self.chat.prompt.paste(request.text)
            case DraftChanged():
                if self.drafts is not None:
                    self.drafts.changed()
            case _:
                first = self.resuming, self.items, self.recalled, self.remembers, self.summaries
                takers = (*first, self.working, self.replaying, self.files)
                any(taker.take(request) for taker in takers)

    def _choose(self, choice: Choice) -> None:
        if choice.kind == "demo":
            self._start_demo()
            return
        self.app.run_worker(
            unbegun(self._connect, choice), group="connect", exclusive=True, exit_on_error=False
        )

    async def _connect(self, choice: Choice) -> None:
        """From a choice on the first-run screen to a session."""
        settings = await self.models.connect(choice)
        if settings is not None:
            self._begin(self.models.newest, self.launch.project, settings)
            if choice.server is not None and (said := small_window(choice.server, self.words)):
                self.app.toast("first_run.small_title", said, "warn")

    # Commands

    def run_command(self, line: str) -> None:
        """Runs a command as if it had been typed."""
        if self.chat is not None:
            self.chat.run_line(line)

    async def _other_model(self) -> None:
        await self.commanding.switch_model()

    # Screens over the main one

    def show_help(self) -> None:
        """Keys and help; again: back."""
        self.overlays.help(commands=self.chat is not None)

    def show_context(self) -> None:
        """To the gauge; on it, all of the context."""
        if self.chat is not None and self.app.screen is self.chat:
            self.chat.show_context()

    def edit_draft(self) -> None:
        """The draft in the user's editor."""
        if self.chat is not None and self.app.screen is self.chat:
            work = unbegun(edit, self.app, self.chat, self.launch.environ)
            self.app.run_worker(work, group="editor", exclusive=True)

    def entries_here(self) -> tuple[Entry, ...]:
        """What the screen can do now."""
        return self.overlays.entries_here()

    def entries(self) -> tuple[Entry, ...]:
        """Everything that can be done now."""
        return self.overlays.entries(commands=self.chat is not None)

    # What is remembered, and the way out

    def speak(self) -> None:
        """The session's own sentences follow the app's language; the choice is remembered."""
        if self.session is not None:
            self.session.parts = replace(self.session.parts, words=self.words)
        self.keeping.keep({"ui.language": self.words.language})

    def stop_run(self) -> bool:
        """Stops the agent; False: it doesn't work."""
        return self.session is not None and self.session.stop()

    def set_draft_aside(self) -> bool:
        """Clears the prompt and keeps what stood there for ↑; False: it was empty."""
        chat = self.chat
        return chat is not None and self.app.screen is chat and chat.prompt.input.set_aside()

    def keep_draft(self) -> None:
        """Writes down at once what stands in the prompt."""
        if self.drafts is not None:
            self.drafts.save_now()

    async def put_away(self) -> None:
        """Closes the session and all connections; what can't be written is said at the end."""
        self.keep_draft()
        if self.session is not None:
            try:
                await self.session.close()
            except HaimaError as error:
                self.app.last_words = error.sentence(self.words)
        if self.drafts is not None:
            self.drafts.close()
        await self.models.close()
