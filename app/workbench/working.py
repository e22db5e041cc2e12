"""What is known of the work, in the workbench: tab and view, what their keys do, `/todo`."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from app.boundary import one_line, visible
from app.conversation.messages import random_id
from app.conversation.work import KINDS as ENTITY_KINDS
from app.conversation.work import EntityKey, EntityKind, Goal, Progress, Rule, Touch, Work
from app.errors import HaimaError
from app.events import Event, SessionStarted, WorkNoted
from app.memory.rules_sentences import LONGEST
from app.screens.chat import ChatScreen
from app.screens.work import WorkViewScreen
from app.session.session import Session
from app.session.todo_command import TodoCommand, parse_todo, title_of, with_todo, without_change
from app.text import Key
from app.view.work_shown import WorkShown
from app.workbench.app import Workbench
from app.workbench.behind import behind
from app.workbench.files import Files
from app.workbench.work_feed import WorkFeed
from widgets.dialogs.fact_text import FactDialog
from widgets.requests import OpenFile, Request
from widgets.toasts import Toast
from widgets.work_requests import (
    AddRule,
    DropTask,
    EditTold,
    ForgetEntity,
    OpenWork,
    OpenWorkFile,
    RevokeRule,
    UndoWork,
    WorkWanted,
)

_UNDOABLE = 50
"""Changes made here that can be taken back."""

_Undo: TypeAlias = Callable[[Session], Awaitable[None]]
"""Takes a change back."""


class Working:
    """Opens the view and carries out what is asked for, one change at a time.

    Args:
        app: shows screens, dialogs and toasts.
        chat: the main screen, once there is one.
        session: what is open.
        files: opens the viewer.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Session | None],
        files: Files,
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._files = files
        self.feed = WorkFeed(app, chat, session)
        self._undo: list[_Undo] = []
        self._ended: dict[str, _Undo] = {}
        self._changing = False
        self._run = behind(app, session, "work")

    def undoable(self) -> bool:
        """Whether a change that was made here can be taken back."""
        return bool(self._undo)

    def follow(self, event: Event) -> None:
        """After an event: what is shown is refreshed; a newer rule is the first to be undone.

        Nor is a goal that the user told since put back to what it was before.
        """
        self.feed.follow(event)
        match event:
            case SessionStarted(conversation="main"):
                self._undo.clear()
                self._ended.clear()
            case WorkNoted(conversation="main") if not self._changing:
                if event.rules or event.goal:
                    self._undo.clear()

    # What screens ask for

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case WorkWanted():
                self.feed.refresh()
            case OpenWork(rule=rule) if rule:
                self._run(lambda session: self._show_rule(session, rule))
            case OpenWork(at=at):
                self.show(at)
            case EditTold(rule=rule):
                self._run(lambda session: self._edit(session, rule))
            case AddRule():
                self._run(self._add_rule)
            case RevokeRule(rule=rule):
                self._run(lambda session: self._revoke(session, rule))
            case ForgetEntity(kind=kind, name=name):
                self._run(lambda session: self._forget(session, kind, name))
            case DropTask(text=text):
                self._run(lambda session: self._drop(session, text))
            case UndoWork(ended=rule) if rule:
                self._run(lambda session: self._restore(session, rule))
            case UndoWork():
                self._run(self._take_back)
            case OpenWorkFile(name=name):
                self._open_file(name)
            case _:
                return False
        return True

    def show(self, at: tuple[str, ...] = ()) -> None:
        """All of it, over the main screen."""
        chat, app = self._chat(), self._app
        if chat is None or not chat.session.node or isinstance(app.screen, WorkViewScreen):
            return
        if not app.screen.is_modal:
            screen = WorkViewScreen(app.look, chat.state, chat.side.model, now=chat.now, at=at)
            app.push_screen(screen)

    async def _show_rule(self, session: Session, text: str) -> None:
        """All of it, the cursor on the rule that a message brought."""
        shown = await self._looked(session)
        holds, ended = reversed(shown.rules), reversed(shown.revoked)
        found = (one.id for one in (*holds, *ended) if one_line(one.text) == text)
        self.show(("rule", next(found, "")))

    async def _looked(self, session: Session) -> WorkShown:
        """What is known now, which the screens show from now on: a row is only found if listed."""
        shown = await session.work_shown()
        if (chat := self._chat()) is not None and self._session() is session:
            chat.side.model.show_work(shown)
        return shown

    async def _edit(self, session: Session, rule: str) -> None:
        """Other words for a rule, or for the goal."""
        shown = await session.work_shown()
        found = next((one for one in shown.rules if one.id == rule), None)
        if rule and found is None:
            return
        goal = shown.goal.text if shown.goal is not None else ""
        before = found.text if found is not None else goal
        title: Key = "work_view.edit_rule" if rule else "work_view.edit_goal"
        dialog = FactDialog(self._app.look, title, before, chooses=False)
        written = await self._app.desk.ask(dialog)
        if written is None or written.text == before.strip():
            return
        if found is not None:
            undo = _told(Work(rules=(found,)))
            await self._change(undo, lambda: session.change_rule(found, written.text))
            self._say_cut(written.text)
        else:
            undo = _told(Work(goal=shown.goal or Goal("")))
            await self._change(undo, lambda: session.change_goal(written.text))

    async def _add_rule(self, session: Session) -> None:
        dialog = FactDialog(self._app.look, "work_view.add_rule", chooses=False)
        written = await self._app.desk.ask(dialog)
        if written is not None:
            rule = Rule(random_id(), written.text)
            undo = _told(Work(revoked=(rule.id,)))
            await self._change(undo, lambda: session.change_rule(rule, rule.text))
            self._say_cut(rule.text)

    def _say_cut(self, rule: str) -> None:
        """A rule is a sentence: what doesn't fit is not told, which is never silent."""
        if len(" ".join(rule.split())) > LONGEST:
            words = self._app.words
            self._app.toast(
                "work_view.rule_cut", words("work_view.rule_cut_text", n=LONGEST), "warn"
            )

    async def _revoke(self, session: Session, id: str) -> None:
        shown = await session.work_shown()
        rule = next((one for one in shown.rules if one.id == id), None)
        if rule is not None:
            undo = self._ended[id] = _told(Work(restored=(id,)))
            await self._change(undo, lambda: session.revoke_rule(rule))
            self._say("work_view.rule_revoked", rule.text)

    async def _restore(self, session: Session, id: str) -> None:
        """A rule that was ended, by whomever, holds again; to end it is no change any more."""
        shown = await session.work_shown()
        rule = next((one for one in shown.revoked if one.id == id), None)
        if rule is not None:
            await self._changed(lambda: session.restore_rule(rule))
            ended = self._ended.pop(id, None)
            self._undo = [one for one in self._undo if one is not ended]
            self._say("work_view.rule_restored", rule.text)

    async def _forget(self, session: Session, kind: str, name: str) -> None:
        key = EntityKey(_kind(kind), name)
        undo = _told(Work(touches=(Touch(key.kind, key.name, "named"),)))
        await self._change(undo, lambda: session.forget_entity(key))
        self._say("work_view.forgotten", visible(name))

    async def _drop(self, session: Session, text: str) -> None:
        progress = (await session.work_shown()).progress
        left = Progress(
            tuple(one for one in progress.todo if one_line(one) != text),
            tuple(one for one in progress.done if one_line(one.text) != text),
        )
        if left != progress:
            await self._change_progress(session, progress, left)
            self._say("todo.dropped", text)

    async def _take_back(self, session: Session) -> None:
        """The last change made here; else the newest rule."""
        if self._undo:
            undo = self._undo[-1]
            await self._changed(lambda: undo(session))
            self._undo = [one for one in self._undo if one is not undo]
            self._say("work_view.undone", "")
            return
        shown = await session.work_shown()
        newest = next((one for one in reversed(shown.rules) if one.id in shown.new_rules), None)
        if newest is None:
            self._app.toast("held.nothing_to_undo", self._app.words("work_view.nothing_to_undo"))
            return
        await self._revoke(session, newest.id)

    async def _change_progress(self, session: Session, before: Progress, after: Progress) -> None:
        async def undo(session: Session) -> None:
            now = (await session.work_shown()).progress
            await session.change_progress(without_change(now, before, after))

        await self._change(undo, lambda: session.change_progress(after))

    async def _change(self, undo: _Undo, change: Callable[[], Awaitable[None]]) -> None:
        await self._changed(change)
        self._undo = [*self._undo[1 - _UNDOABLE :], undo]

    async def _changed(self, change: Callable[[], Awaitable[None]]) -> None:
        self._changing = True
        try:
            await change()
        finally:
            self._changing = False
        self.feed.refresh()

    def _say(self, key: Key, text: str) -> None:
        self._app.toast(key, text, "ok")

    def _open_file(self, name: str) -> None:
        session = self._session()
        if session is not None:
            self._files.take(OpenFile(session.parts.project.root / name))

    # Commands

    def command(self, name: str, argument: str) -> bool:
        """`/todo`; False: it is another command."""
        if name != "todo":
            return False
        try:
            given = parse_todo(argument)
        except HaimaError as error:
            self._app.toast("chat.command_failed", error.sentence(self._app.words), "warn")
            return True
        if given.action == "show":
            self._show_progress()
        else:
            self._run(lambda session: self._todo(session, given))
        return True

    def _show_progress(self) -> None:
        """The tab with the cursor on the progress; where there is no panel, the view."""
        if not self._show_tab():
            self._run(self._show_view)

    def _show_tab(self) -> bool:
        """Shows it in the tab, where there is one; who typed a command goes on in the prompt."""
        chat = self._chat()
        if chat is None or not chat.session.node:
            return True
        if chat.has_class("-compact") or self._app.screen is not chat:
            return False
        chat.side.show_work()
        self.feed.refresh(then=lambda: chat.panel.work.put_at(("progress",)))
        return True

    async def _show_view(self, session: Session) -> None:
        await self._looked(session)
        self.show(("progress",))

    async def _todo(self, session: Session, given: TodoCommand) -> None:
        words = self._app.words
        if given.action in ("take", "leave"):
            await self._unfinished(session, take=given.action == "take")
            return
        before = (await session.work_shown()).progress
        after, text = with_todo(before, given)
        await self._change_progress(session, before, after)
        self._show_tab()
        heads = {"add": "todo.added", "done": "todo.finished", "drop": "todo.dropped"}
        of = words("todo.head", done=len(after.done), all=len(after.done) + len(after.todo))
        self._app.show_toast(Toast(words.named(heads[given.action]), f"{text} · {of}", "ok"))

    async def _unfinished(self, session: Session, *, take: bool) -> None:
        words, found = self._app.words, await session.unfinished()
        if (chat := self._chat()) is not None:
            chat.empty.offer(None)
        if found is None:
            self._app.toast("todo.no_unfinished", words("todo.no_unfinished_text"))
        elif take:
            await self._changed(lambda: session.take_up(found))
            self._show_tab()
            text = words("todo.taken_text", title=title_of(found), n=found.todo)
            self._app.show_toast(Toast(words("todo.taken"), text, "ok"))
        else:
            await session.leave_unfinished(found)
            self._app.show_toast(Toast(words("todo.left"), title_of(found), "ok"))


def _told(work: Work) -> _Undo:
    return lambda session: session.change_work(work)


def _kind(name: str) -> EntityKind:
    return next(one for one in ENTITY_KINDS if one == name)
