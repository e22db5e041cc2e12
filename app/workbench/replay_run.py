"""One recording, played through two policies in a thread while its screen is open."""

import asyncio
import logging
from dataclasses import replace
from threading import Event
from time import monotonic

from textual.worker import Worker

from app.archive.database import Connection
from app.archive.lineage import whole_past
from app.archive.sessions import find_node
from app.config import CompactionSettings
from app.conversation.past import PastMessage
from app.conversation.window import thresholds
from app.errors import HaimaError
from app.replay.example import example_recording
from app.replay.importers.haima import session_recording
from app.replay.policy import POLICIES, PolicyName
from app.replay.recording import Recording
from app.replay.replayed import Step
from app.replay.run import Player
from app.screens.replay import ReplayScreen
from app.session.session import Session
from app.text import Words
from app.view.replay_view import Pane, Side, Track
from app.workbench.app import Workbench
from app.workbench.replay_shown import items, stretches, told, track, waiting
from widgets.drawn import LEAST_SECONDS
from widgets.unbegun import unbegun

_LOG = logging.getLogger(__name__)

ENOUGH = 3
"""Steps from which on a session of one's own is worth a replay."""

EXAMPLE_WINDOW = 32_000
"""Tokens of the window the example is played in: small enough for something to happen."""

_OURS: PolicyName = "haima"
_OTHERS: tuple[PolicyName, ...] = (
    "summarise-80",
    *(one for one in POLICIES if one not in (_OURS, "summarise-80")),
)
"""What Haima is held against, in the order `p` goes through them."""


class _StoppedError(Exception):
    """Nobody looks on any more."""


class ReplayRun:
    """One recording, as long as its screen is open."""

    def __init__(self, app: Workbench, screen: ReplayScreen, session: Session | None) -> None:
        self.recording: Recording | None = None
        self._app = app
        self._screen = screen
        self._session = session
        self._messages: tuple[str, ...] = ()
        self._player: Player | None = None
        self._panes: dict[PolicyName, Pane] = {}
        self._other: PolicyName = _OTHERS[0]
        self._stop = Event()
        self._closed = False
        self._worker: Worker[None] | None = None

    @property
    def shown(self) -> bool:
        """Whether its screen is still open."""
        return self._screen in self._app.screen_stack

    def start(self) -> None:
        """Reads the recording, then plays what is wanted."""
        self._worker = self._app.run_worker(
            unbegun(self._begin),
            group="replay",
            exit_on_error=False,
        )

    def stop(self) -> None:
        """Nobody looks on any more."""
        self._closed = True
        self._stop.set()
        if self._worker is not None:
            self._worker.cancel()

    def other_policy(self) -> None:
        """The next policy in the second plot."""
        if not self._panes:
            return
        self._other = _OTHERS[(_OTHERS.index(self._other) + 1) % len(_OTHERS)]
        pane = self._panes[self._other]
        self._screen.show_pane("b", pane)
        if not self._unplayed(_OURS):
            self._stop.set()  # what is played now is no longer looked at
        if self._worker is None or self._worker.is_finished:
            self._worker = self._app.run_worker(
                unbegun(self._play),
                group="replay",
                exit_on_error=False,
            )

    def text_of(self, step: int) -> str:
        """A step in full; "" before there is a recording."""
        recording = self.recording
        if recording is None:
            return ""
        return told(list(stretches(recording))[step - 1], self._app.look.glyphs)

    def ids_of(self, step: int) -> set[str]:
        """What a step of the open session is called in the conversation; empty: it is not its."""
        recording = self.recording
        if recording is None or recording.format != "haima":
            return set()
        message = recording.entries[recording.steps[step - 1]].message
        own = self._messages[step - 1 : step] if self._messages else ()
        return {*own, *(call.id for call in message.calls)}

    # Playing

    async def _begin(self) -> None:
        words = self._app.words
        try:
            await self._show()
        except HaimaError as error:
            self._screen.fail(error.sentence(words))
        except Exception:
            _LOG.exception("a recording could not be shown")
            self._screen.fail(words("replay_screen.failed"))
        else:
            await self._play()

    async def _show(self) -> None:
        """Reads the recording and shows its steps, none of them played yet.

        Raises:
            HaimaError: not even the example can be read.
        """
        words = self._app.words
        recording, window, example = await self._read(words)
        session = self._session
        settings = None if session is None else session.settings.compaction
        self.recording = recording
        self._player = Player(recording, window=window, words=words, settings=settings)
        now = settings or CompactionSettings()
        marks = thresholds(window, clear_at=now.clear_at, min_gain=now.min_gain)
        self._panes = {policy: waiting(policy, marks) for policy in POLICIES}
        steps = await asyncio.to_thread(items, recording)
        self._screen.begin(steps, window, example=example)
        self._screen.show_pane("a", self._panes[_OURS])
        self._screen.show_pane("b", self._panes[self._other])

    async def _read(self, words: Words) -> tuple[Recording, int, bool]:
        """The recording, the window it is played in, whether it is the example.

        Raises:
            HaimaError: not even the example can be read.
        """
        session = self._session
        if session is not None and session.node:
            try:
                recording, self._messages = await session.database.run(
                    lambda connection: _own(connection, session.past_node, words)
                )
            except HaimaError:
                _LOG.info("the open session can't be played", exc_info=True)
            else:
                if len(recording.steps) >= ENOUGH:
                    return recording, session.context.window.window.effective, False
        self._messages = ()
        return await asyncio.to_thread(example_recording, words), EXAMPLE_WINDOW, True

    async def _play(self) -> None:
        """Plays what is looked at, as long as something of it isn't played."""
        player, loop = self._player, asyncio.get_running_loop()
        while player is not None and not self._closed:
            wanted = (_OURS, self._other)
            policy = next((one for one in wanted if self._unplayed(one)), None)
            if policy is None:
                return
            self._stop = Event()
            try:
                shown = await asyncio.to_thread(self._run, player, policy, self._stop, loop)
            except _StoppedError:
                self._panes[policy] = replace(self._panes[policy], done=0)
            except Exception:
                _LOG.exception("a recording could not be played")
                self._tell(policy, replace(self._panes[policy], failed=True))
            else:
                self._tell(policy, replace(self._panes[policy], track=shown))

    def _unplayed(self, policy: PolicyName) -> bool:
        pane = self._panes[policy]
        return pane.track is None and not pane.failed

    def _run(
        self, player: Player, policy: PolicyName, stop: Event, loop: asyncio.AbstractEventLoop
    ) -> Track:
        """In a thread, on a loop of its own: a replay is work, not waiting.

        Raises:
            _StoppedError: nobody looks on any more.
        """
        told_at = 0.0

        def follow(step: Step) -> None:
            nonlocal told_at
            if stop.is_set():
                raise _StoppedError
            if monotonic() - told_at >= LEAST_SECONDS:
                told_at = monotonic()
                loop.call_soon_threadsafe(self._progress, policy, step.number)

        return track(asyncio.run(player.play(policy, on_step=follow)))

    def _progress(self, policy: PolicyName, done: int) -> None:
        pane = self._panes[policy]
        if pane.track is None and not self._closed:
            self._tell(policy, replace(pane, done=done))

    def _tell(self, policy: PolicyName, pane: Pane) -> None:
        self._panes[policy] = pane
        side: Side | None = "a" if policy == _OURS else "b" if policy == self._other else None
        if side is not None and not self._closed:
            self._screen.show_pane(side, pane)


def _own(connection: Connection, node: str, words: Words) -> tuple[Recording, tuple[str, ...]]:
    """A session, and the ids of the messages that are its steps.

    Raises:
        HaimaError: nothing in it can be played.
    """
    recording = session_recording(connection, find_node(connection, node), words)
    said = (item.message for item in whole_past(connection, node) if isinstance(item, PastMessage))
    ids = tuple(
        message.id
        for message in said
        if message.role == "assistant"
        and not message.discarded
        and (message.text.strip() or message.calls)
    )
    return recording, ids if len(ids) == len(recording.steps) else ()
