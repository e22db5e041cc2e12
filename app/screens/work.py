"""The Work view: all that the agent is told of the work, once a tier rewrote it (mock 10)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from app.paths import styles_folder
from app.view.held import HeldModel
from app.view.work_groups import Group
from app.view.work_rows import (
    BLANK,
    EntityRow,
    NamesRow,
    RuleRow,
    TaskRow,
    WorkRow,
    key_of,
    left_rows,
    right_rows,
)
from widgets.actions import Region, bindings
from widgets.header import HeaderState
from widgets.list_messages import Activated, CopyRequested
from widgets.look import NORMAL, Look
from widgets.pen_list import PenList
from widgets.toasts import Toast
from widgets.work_list import WorkList
from widgets.work_requests import (
    AddRule,
    DropTask,
    EditTold,
    ForgetEntity,
    OpenWorkFile,
    RevokeRule,
    UndoWork,
    WorkWanted,
)
from widgets.work_screen import WorkScreen


class WorkViewScreen(WorkScreen):
    """Two columns, on a small screen one; what is to be done goes up as a request.

    Attributes:
        left: goal, rules, progress; on a small screen everything.
        right: the entities.
    """

    CSS_PATH = styles_folder() / "work.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("work")

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        model: HeldModel,
        *,
        now: Callable[[], datetime],
        at: tuple[str, ...] = (),
    ) -> None:
        """Prepares the screen; it follows the model while it is mounted.

        Args:
            look: words and glyphs.
            state: for the header.
            model: what is known of the work; its owner feeds it.
            now: the present, with the user's zone.
            at: key of the row the cursor is on at first.
        """
        super().__init__(look, state)
        self._model = model
        self._at = at
        self._opened: frozenset[Group] = frozenset()
        self.left = WorkList(look, now, id="work-left")
        self.right = WorkList(look, now, id="work-right")

    def compose_body(self) -> ComposeResult:
        """The columns, toasts over them."""
        with Container(classes="work-body work"):
            yield self.left
            yield self.right
            yield self.rack

    def on_mount(self) -> None:
        """Follows the model."""
        self._model.listeners.append(self.show)
        self.show()
        (self.right if self._at[:1] == ("entity",) and self._wide else self.left).focus()

    def on_unmount(self) -> None:
        """Follows it no more."""
        self._model.listeners.remove(self.show)

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """It opens, or another screen went: files may have changed meanwhile."""
        self.post_message(WorkWanted())

    def on_resize(self, event: events.Resize) -> None:
        """One column or two; the cursor stays on what it is on."""
        super().on_resize(event)
        key, beside = self._column.key, self.right.has_focus
        goes = self._wide != beside and key[:1] in (("entity",), ("names",))
        if goes or (beside and not self._wide):
            self._at = key
            (self.right if self._wide else self.left).focus()
        self.show()

    @property
    def _wide(self) -> bool:
        return self.app.size.width >= NORMAL

    def show(self) -> None:
        """Shows the work as it is; each cursor stays on its row."""
        work = self._model.work
        left, right = left_rows(work), right_rows(work, self._opened)
        at = self._at if self._at != ("progress",) else _at_work(left)
        if self._wide:
            self.left.show(left, at)
            self.right.show(right, at)
        else:
            self.left.show((*left, *((BLANK, *right) if right else ())), at)
        if not work.empty:
            self._at = ()
        self.refresh_footer()

    @property
    def _column(self) -> WorkList:
        return self.right if self.right.has_focus else self.left

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """One."""
        return ("work",)

    def offers(self, name: str) -> bool:
        """Most keys need a row of some kind."""
        kind = self._column.key[:1]
        match name:
            case "edit_work":
                return kind in (("goal",), ("rule",)) and not self._column.ended
            case "delete_told":
                return kind in (("rule",), ("entity",), ("task",)) and not self._column.ended
            case "open_told":
                row = self._column.row
                there = isinstance(row, EntityRow) and row.entity.changed != "deleted"
                return there and self._column.key[1:2] == ("file",)
            case "told_names":
                return isinstance(self._column.row, NamesRow)
            case "undo_work":
                return bool(self._column.ended) or self._model.work_takes_back
            case "other_column":
                return self._wide and len(self.right.source) > 0
            case _:
                return True

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("work_view.title"), alert="")
        super().watch_look()
        self.left.look = self.right.look = self.look
        if self.is_mounted:
            self.post_message(WorkWanted())

    @on(PenList.Moved)
    def _moved(self, message: PenList.Moved) -> None:
        message.stop()
        self.refresh_footer()

    # What the user does

    @on(Activated)
    def _activated(self, message: Activated) -> None:
        message.stop()
        if self.offers("told_names"):
            self.action_all_names()
        elif self.offers("open_told"):
            self.action_open_told()
        elif self.offers("edit_work"):
            self.action_edit_told()

    @on(CopyRequested)
    def _copy(self, message: CopyRequested) -> None:
        message.stop()
        self.app.copy_to_clipboard(message.text)
        self.show_toast(Toast(self.look.words("chat.copied"), severity="ok"))

    def action_other_column(self) -> None:
        """Tab: the other column."""
        if self.offers("other_column"):
            self.set_focus(self.left if self.right.has_focus else self.right)

    def action_edit_told(self) -> None:
        """e: other words for the goal or a rule."""
        if self.offers("edit_work"):
            kind, *id = self._column.key
            self.post_message(EditTold(id[0] if kind == "rule" else ""))

    def action_add_rule(self) -> None:
        """a: another rule."""
        self.post_message(AddRule())

    def action_delete_told(self) -> None:
        """d: a rule doesn't hold any longer, an entity is forgotten, a task dropped."""
        if not self.offers("delete_told"):
            return
        match self._column.row:
            case RuleRow(id=id):
                self.post_message(RevokeRule(id))
            case EntityRow(entity=entity):
                self.post_message(ForgetEntity(entity.kind, entity.real))
            case TaskRow(text=text):
                self.post_message(DropTask(text))

    def action_undo_work(self) -> None:
        """u: takes the last change back, else the newest rule; an ended rule holds again."""
        self.post_message(UndoWork(self._column.ended))

    def action_open_told(self) -> None:
        """o: the file in the viewer."""
        row = self._column.row
        if self.offers("open_told") and isinstance(row, EntityRow):
            self.post_message(OpenWorkFile(row.entity.real))

    def action_all_names(self) -> None:
        """Enter: every name that is told without more, or the first lines of them again."""
        if isinstance(row := self._column.row, NamesRow):
            self._opened ^= {row.group}
            self.show()

    async def leave(self) -> None:
        """Esc: back to where it was opened."""
        self.app.pop_screen()


def _at_work(rows: tuple[WorkRow, ...]) -> tuple[str, ...]:
    """The key of what is worked on, else of what was done last; empty for no list."""
    tasks = [row for row in rows if isinstance(row, TaskRow)]
    here = next((row for row in tasks if row.state != "done"), tasks[-1] if tasks else None)
    return () if here is None else key_of(here)
