"""The preview of a compaction on the screen: plans, lets the model write, carries out (mock 04)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.compaction.draft import DraftStale, SummaryDraft
from app.errors import HaimaError
from app.events import Event, Notice
from app.screens.chat import ChatScreen
from app.session.session import Session
from app.text import Key
from app.view.compaction import Phase, Preview
from app.workbench.app import Workbench
from widgets.dialogs.compaction import CompactionDialog


class Previewing:
    """Opens it, one at a time.

    A text that was paid for isn't lost with Esc: as long as it stands for the same messages, it is
    there when the preview is opened again.

    Args:
        app: shows the dialog.
        chat: the main screen, once there is one.
    """

    def __init__(self, app: Workbench, chat: Callable[[], ChatScreen | None]) -> None:
        self._app = app
        self._chat = chat
        self._kept: SummaryDraft | None = None
        self._open: _Open | None = None

    def take(self, request: object) -> bool:
        """Does what the dialog asks for; False: it is no business of this."""
        if not isinstance(request, CompactionDialog.Wanted):
            return False
        if self._open is not None and self._open.dialog is request.dialog:
            self._open.take(request)
        return True

    async def ask(self, session: Session, focus: str = "") -> bool:
        """Shows the preview until it is accepted or left.

        Args:
            session: what is open.
            focus: what the summary should dwell on.

        Returns:
            Whether the history was compacted.

        Raises:
            SessionBusy: the agent works.
            CantSummarise: there is nothing to do, or too little to gain.
            HaimaError: an original can't be read.
        """
        chat, kept = self._chat(), self._kept
        if chat is None or self._open is not None:
            return False
        if kept is not None and kept.written is not None and focus not in ("", kept.written.focus):
            kept = None
        self._open = open_ = _Open(self._app, chat, session, await session.outline(kept), focus)
        try:
            return await open_.run()
        finally:
            self._open, self._kept = None, open_.draft


class _Open:
    """One preview while it is open.

    Attributes:
        dialog: it.
        draft: what it shows.
    """

    def __init__(
        self, app: Workbench, chat: ChatScreen, session: Session, draft: SummaryDraft, focus: str
    ) -> None:
        self._app = app
        self._session = session
        self._focus = focus
        self.draft = draft
        self._work: asyncio.Task[None] | None = None
        self._wish = ""
        self.dialog = CompactionDialog(
            app.look,
            self._shown("writing" if draft.written is None else "ready"),
            chat.side.gauge.view,
            clock=app.seconds,
            typed_at=app.typed_at,
        )

    async def run(self) -> bool:
        """Until it is closed."""
        listeners = self._session.publish.listeners
        listeners.append(self._follow)
        try:
            if self.draft.written is None:
                self._start(self._write)
            return await self._app.desk.ask(self.dialog) is True
        finally:
            listeners.remove(self._follow)
            await self._stop()

    def take(self, wanted: CompactionDialog.Wanted) -> None:
        """Does what the dialog asks for, one thing at a time; only an edit is waited for."""
        before = self._work if self._work is not None and not self._work.done() else None
        if wanted.wish == "stop":
            if before is not None:
                before.cancel()
            return
        if before is not None and self._wish != "edit":
            return
        self._wish = wanted.wish
        match wanted.wish:
            case "accept":
                self._start(lambda: self._accept(wanted.bodies), before)
            case "edit":
                self._start(lambda: self._edit(wanted.bodies), before)
            case "pin":
                self._start(lambda: self._pin(wanted.messages), before)
            case "again":
                self._start(lambda: self._write(again=True), before)
            case "cut":
                self._start(self._cut, before)

    # One thing at a time

    def _start(
        self, work: Callable[[], Awaitable[None]], before: asyncio.Task[None] | None = None
    ) -> None:
        self._work = asyncio.create_task(self._told(work, before))

    async def _told(
        self, work: Callable[[], Awaitable[None]], before: asyncio.Task[None] | None
    ) -> None:
        try:
            if before is not None:
                await asyncio.wait({before})
            await work()
        except DraftStale:
            self._show(self._shown("stale"))
        except HaimaError as error:
            said = error.sentence(self._app.words)
            phase: Phase = "failed" if self.draft.written is None else "ready"
            self._show(self._shown(phase, said))
        except asyncio.CancelledError:
            if self.draft.written is not None:
                self._show(self._shown("ready"))
            else:  # from elsewhere: Esc closes it
                said = self._app.words("compaction.summary_cancelled")
                self._show(self._shown("failed", said))
            raise

    async def _stop(self) -> None:
        if self._work is not None and not self._work.done():
            self._work.cancel()
            await asyncio.wait({self._work})

    async def _write(self, *, again: bool = False) -> None:
        """Lets the model write; what there was stays until there is another text."""
        session = self._session
        if session.is_stale(self.draft):
            self.draft, again = await session.outline(), False
        write = session.write_again if again and self.draft.written is not None else session.draft
        self._show(self._shown("writing"))
        written = await write(self.draft, self._focus, progress=self._progress)
        if written is None:  # stopped from elsewhere
            raise asyncio.CancelledError
        self.draft = written
        self._show(self._shown("stale" if session.is_stale(written) else "ready"))

    def _progress(self, done: int, pieces: int) -> None:
        if self.dialog.preview.phase == "writing":
            self._show(replace(self.dialog.preview, done=done, pieces=pieces))

    async def _edit(self, bodies: tuple[str, ...]) -> None:
        self.draft = await self._session.edit_draft(self.draft, bodies)
        self._show(self._shown("ready"))

    async def _pin(self, messages: tuple[str, ...]) -> None:
        session, words = self._session, self._app.words
        before = self.draft
        self.draft = await session.pin_for_draft(before, messages)
        if self.draft is before:
            self.dialog.say(words("compaction_preview.pin_nothing"))
            return
        if self.draft.written is None:
            self._show(self._shown("writing"))
            await self._write()
            return
        self._show(self._shown("ready"))
        able = [one for one in messages if session.pinned(one)]
        said: Key = "compaction_preview.pinned" if able else "compaction_preview.unpinned"
        self.dialog.say(words(said), good=True)

    async def _accept(self, bodies: tuple[str, ...]) -> None:
        if bodies:
            self.draft = await self._session.edit_draft(self.draft, bodies)
        self._close(done=await self._session.accept(self.draft))

    async def _cut(self) -> None:
        self._close(done=await self._session.cut_without_summary())

    # What is shown

    def _close(self, *, done: bool) -> None:
        if done and self.dialog.is_current:
            self.dialog.dismiss(result=True)

    def _show(self, preview: Preview) -> None:
        self.dialog.show(preview)

    def _shown(self, phase: Phase, said: str = "") -> Preview:
        written, words = self.draft.written, self._app.words
        model = self._session.summary_writer
        if phase == "stale":
            said = words("compaction_preview.stale")
        elif phase == "ready" and not said and not self.draft.frees_enough:
            balance = self.draft.balance
            freed, tokens = f"{max(0, balance.freed):,}", f"{balance.before.total:,}"
            said = words("compaction.too_little_gain", freed=freed, tokens=tokens)
        return Preview(
            phase=phase,
            balance=self.draft.balance,
            bodies=() if written is None else written.sections.bodies,
            model=model if written is None or phase == "writing" else written.text.model,
            seconds=0.0 if written is None else written.seconds,
            edited=written is not None and written.edited,
            said=said,
            since=self._app.seconds(),
        )

    def _follow(self, event: Event) -> None:
        """The history moved while a text is looked at: it says so."""
        if isinstance(event, Notice) or self.dialog.preview.phase != "ready":
            return
        if self._work is not None and not self._work.done():
            return
        if self._session.is_stale(self.draft):
            self._show(self._shown("stale"))
