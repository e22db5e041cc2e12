"""The top row: what this is, where, with which model, which session (STYLE 3)."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive

from app.boundary import visible
from widgets.look import NORMAL, Dressed, Look
from widgets.rows import EMPTY, clip, line, spread

_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class HeaderState:
    """What the header shows; "" and 0 leave a part out.

    Attributes:
        project: the project's name.
        branch: git branch.
        changes: changed files.
        model: the model's name.
        demo: whether the model is the offline demo.
        offline: whether the last call didn't reach the model.
        memory_off: whether nothing is remembered across sessions.
        title: of the session, or the name of a screen.
        session: the short id.
        alert: what stands at the right edge in warn, in place of title and session.
    """

    project: str = ""
    branch: str = ""
    changes: int = 0
    model: str = ""
    demo: bool = False
    offline: bool = False
    memory_off: bool = False
    title: str = ""
    session: str = ""
    alert: str = ""


class Header(Dressed):
    """One row on `surface`."""

    DEFAULT_CSS = """
    Header {
        dock: top;
        width: 100%;
        height: 1;
        padding: 0 1;
        background: $surface;
        text-wrap: nowrap;
    }
    """

    state: reactive[HeaderState] = reactive(HeaderState)

    def __init__(self, look: Look, state: HeaderState | None = None) -> None:
        super().__init__(look)
        self.set_reactive(Header.state, state or HeaderState())

    def render(self) -> Content:
        """The row: left part first, the title gives way (STYLE 3)."""
        width = self.content_size.width
        left = self._left(narrow=self.app.size.width < NORMAL)
        ellipsis = self.look.glyphs.ellipsis
        right = self._right(width - left.cell_length - 2)
        return spread(width, left, right, ellipsis)

    def _left(self, *, narrow: bool) -> Content:
        state, glyphs = self.state, self.look.glyphs
        branch = f" {visible(state.branch)}" if state.branch else ""
        if branch and state.changes:
            branch += f" {'+-' if self.look.ascii else '±'}{state.changes}"
        model_style = "$info" if state.demo else "$text2"
        return line(
            (glyphs.brand, "$accent bold"),
            (f" {self.look.words('app.name')}", "bold $text"),
            (f"  {self._short(state.project)}" if state.project else "", "$text"),
            ("" if narrow else branch, "$text3"),
            (f"   {self._short(state.model)}" if state.model else "", model_style),
            (f" {glyphs.failed} {self.look.words('header.offline')}" * state.offline, "$danger"),
            (f"   {self.look.words('header.memory_off')}" * state.memory_off, "$text3"),
        )

    def _right(self, room: int) -> Content:
        state = self.state
        if state.alert:
            return line((state.alert, "$warn"))
        session = f"#{state.session}" if state.session else ""
        left_over = room - len(session) - 2
        title = clip(visible(state.title), left_over, self.look.glyphs.ellipsis)
        if not state.title or left_over < 2:
            title = ""
        if not title and not session:
            return EMPTY
        return line((title, "$text"), ("  " if title and session else "", ""), (session, "$text3"))

    def _short(self, name: str) -> str:
        return clip(visible(name), _LONGEST_NAME, self.look.glyphs.ellipsis)
