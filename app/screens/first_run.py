"""The first screen when no model is connected: servers found here, providers, the demo (mock 11).

Nothing is sent before a choice; the servers of this machine are asked on their usual ports after
the first paint.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive

from app.llm.discover import USUAL, LocalServer
from app.llm.served import SMALL_WINDOW
from app.paths import styles_folder
from app.session.choices import CURES, Choice, numbered
from app.text import Key, Words
from widgets.actions import Action, Region, bindings
from widgets.footer import Hint
from widgets.header import HeaderState
from widgets.listing import Listing
from widgets.look import NORMAL, Look
from widgets.requests import Request
from widgets.rows import EMPTY, clip, column, line, spread
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen

WIDTH = 76
"""Cells of the list (STYLE 14)."""

_NAME, _ADDRESS, _THIRD = 14, 32, 26

Find = Callable[[], Awaitable[tuple[LocalServer, ...]]]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the list: a choice with its digit, or text, perhaps on a card."""

    text: Content = EMPTY
    choice: Choice | None = None
    digit: str = ""
    card: bool = False


def shown_address(url: str, width: int, ellipsis: str) -> str:
    """An address without its scheme; the middle of a long path gives way."""
    parts = urlsplit(url)
    address = f"{parts.netloc}{parts.path}".rstrip("/")
    if len(address) <= width:
        return address
    return clip(f"{parts.netloc}/{ellipsis}/{parts.path.rpartition('/')[2]}", width, ellipsis)


def shown_window(window: int) -> str:
    """A window as people name it: 32k; a small one in full."""
    return f"{window:,}" if window < SMALL_WINDOW else f"{window // 1_000}k"


class ChoiceList(Listing):
    """Everything on the screen, row by row; only choices can be chosen."""

    shows_rest = False

    def __init__(self, look: Look, environ: Mapping[str, str], config: str) -> None:
        super().__init__(look, id="choices")
        self._environ = environ
        self._config = config
        self.servers: tuple[LocalServer, ...] | None = None
        self.progress = ""
        self._compact = False
        self._rows: list[_Row] = []

    def build(self, *, compact: bool, at: Choice | None = None) -> None:
        """Makes the rows; the cursor goes to `at`, else stays on its choice, else to the demo."""
        self._compact = compact
        wanted = at or (self.choice(self.at) or Choice("demo"))
        self._rows = self._all_rows(compact=compact)
        choices = [row.choice for row in self._rows]
        self.rebuilt(choices.index(wanted if wanted in choices else Choice("demo")))

    def _all_rows(self, *, compact: bool) -> list[_Row]:
        words = self.look.words
        pairs = numbered(self.servers or (), compact=compact)
        gap = [] if compact else [_Row()]

        def heading(key: Key) -> _Row:
            return _Row(line((words(key), "$text3")))

        def choices(*kinds: str) -> list[_Row]:
            return [_Row(choice=one, digit=digit) for one, digit in pairs if one.kind in kinds]

        rows = [_Row(self._brand()), *gap, _Row(line((words("first_run.none_yet"), "$text")))]
        rows += [_Row(), heading("first_run.found"), *choices("server"), *self._silence()]
        rows += [*gap, heading("first_run.connect"), *choices("provider", "more", "other")]
        rows += [*gap, heading("first_run.without"), *choices("demo")]
        if not compact:
            kept = words("first_run.kept", path=self._config)
            rows += [*self._cure(), _Row(), _Row(line((kept, "$text3")))]
        if self.progress:
            rows += [_Row(), _Row(line((self.progress, "$text2")))]
        return rows

    def _brand(self) -> Content:
        words = self.look.words
        return line(
            (self.look.glyphs.brand, "$accent bold"),
            (f" {words('app.name')}", "bold $text"),
            (f"   {words('app.tagline')}", "$text3"),
        )

    def _silence(self) -> list[_Row]:
        """Which servers don't answer."""
        words, dot = self.look.words, self.look.glyphs.dot
        if self.servers is None:
            return [_Row(line((f"  {dot} {words('first_run.looking')}", "$text3")))]
        found = {server.kind for server in self.servers}
        silent = [one for one in USUAL if one.kind not in found]
        if not silent:
            return []
        said = self._do_not_answer([f"{one.name} :{one.port}" for one in silent])
        if cell_len(said) > WIDTH - 4:
            said = self._do_not_answer([one.name for one in silent])
        return [_Row(line((f"  {dot} {said}", "$text3")))]

    def _do_not_answer(self, silent: list[str]) -> str:
        words = self.look.words
        *first, last = silent
        names = words("first_run.comma").join(first)
        names = words("first_run.and").join([names, last]) if first else last
        return words("first_run.silent", names=names, n=len(silent))

    def _cure(self) -> list[_Row]:
        """What to do about a small window."""
        small = next((s for s in self.servers or () if s.window and s.window < SMALL_WINDOW), None)
        if small is None or small.window is None:
            return []
        words, mark = self.look.words, self.look.glyphs.attention
        said = words("first_run.small", name=small.name, window=f"{small.window:,}")
        cure = words(CURES[small.kind])
        return [
            _Row(),
            _Row(line((f" {mark} ", "$warn bold"), (said, "$text")), card=True),
            _Row(line((f"   {cure}", "$text2")), card=True),
        ]

    def count(self) -> int:
        """All rows."""
        return len(self._rows)

    def choice(self, index: int) -> Choice | None:
        """What stands in a row."""
        return self._rows[index].choice if 0 <= index < len(self._rows) else None

    @property
    def digits(self) -> tuple[str, ...]:
        """The digits that pick something, in order."""
        return tuple(sorted(row.digit for row in self._rows if row.digit))

    def by_digit(self, digit: str) -> Choice | None:
        """What a digit stands for."""
        return next((row.choice for row in self._rows if digit and row.digit == digit), None)

    def can_choose(self, index: int) -> bool:
        """Only choices."""
        return self.choice(index) is not None

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """One row."""
        row = self._rows[index]
        if row.choice is not None:
            return self._draw_choice(row.choice, row.digit, width, on=on)
        return spread(width, row.text).stylize_before("on $raised") if row.card else row.text

    def _draw_choice(self, choice: Choice, digit: str, width: int, *, on: bool) -> Content:
        ellipsis = self.look.glyphs.ellipsis
        quiet = "$text2" if on else "$text3"
        name, address, third, last = self._cells(choice)
        left = self.cursor_piece(on=on) + line((f"{digit or ' '} ", quiet))
        left += column(f"{name} ", _NAME, "$text", ellipsis)
        if not third and not last:
            return spread(width, left + line((address, quiet)), ellipsis=ellipsis)
        left += column(address, _ADDRESS, quiet, ellipsis)
        right = last or EMPTY
        return spread(width, left + line((third, "$text2")), right, ellipsis)

    def _cells(self, choice: Choice) -> tuple[str, str, str, Content | None]:
        """Name, address, third column, right edge."""
        words, ellipsis = self.look.words, self.look.glyphs.ellipsis
        if choice.server is not None:
            server = choice.server
            models = words("first_run.models", n=len(server.models))
            return server.name, server.address, models, self._window(server, words)
        match choice.kind:
            case "provider":
                provider = choice.providers[0]
                key = words("first_run.key_found") if provider.key_variable(self._environ) else ""
                address = shown_address(provider.base_url, _ADDRESS - 1, ellipsis)
                return provider.name, address, key, None
            case "more":
                names = words("first_run.comma").join(one.name for one in choice.providers)
                return words("first_run.more"), names, "", None
            case "other":
                other: Key = "first_run.other_short" if self._compact else "first_run.other_text"
                return words("first_run.other"), words(other), "", None
            case _:
                return words("first_run.demo"), words("first_run.demo_text"), "", None

    def _window(self, server: LocalServer, words: Words) -> Content | None:
        if server.window is None:
            return None
        figure = shown_window(server.window)
        if server.window >= SMALL_WINDOW:
            return line((figure, "$text2"))
        mark = self.look.glyphs.attention
        return line((f"{mark} {words('first_run.loaded', window=figure)}", "$warn"))


class FirstRunScreen(WorkScreen):
    """Says what could be connected; `Chosen` tells the app what was taken."""

    CSS_PATH = styles_folder() / "first_run.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("first_run")

    progress: reactive[str] = reactive("")
    """What is being asked right now; Esc then cancels it."""

    class Chosen(Request):
        """Something was chosen."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    class Cancelled(Request):
        """Esc while an endpoint is asked."""

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        *,
        find: Find,
        environ: Mapping[str, str],
        config: str,
    ) -> None:
        super().__init__(look, state)
        self._find = find
        self._touched = False
        self.list = ChoiceList(look, environ, config)

    def compose_body(self) -> ComposeResult:
        """The list in the middle."""
        with Container(classes="work-body first-run"):
            yield self.list
            yield self.rack

    def on_mount(self) -> None:
        """Draws what is known, then looks around."""
        self._build()
        self.list.focus()
        self.call_after_refresh(self.action_look_again)

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("first_run",)

    def footer_names(self) -> tuple[str, ...]:
        """As in the mock."""
        return ("choose", "digit", "go_on", "look_again", "language", "demo")

    def last_name(self) -> str:
        """How to leave."""
        return "quit"

    def _hint(self, action: Action) -> Hint:
        shown = super()._hint(action)
        if action.name == "digit" and (digits := self.list.digits):
            span = self.look.keys(f"{digits[0]}–{digits[-1]}")
            return Hint(span, shown.label, shown.runs)
        return shown

    @property
    def _compact(self) -> bool:
        return self.app.size.width < NORMAL

    def _build(self, at: Choice | None = None) -> None:
        self.list.build(compact=self._compact, at=at)
        self.refresh_footer()

    def watch_look(self) -> None:
        """Another language."""
        self.state = replace(self.state, alert=self.look.words("header.no_model"))
        super().watch_look()
        self._build()

    def watch_progress(self, progress: str) -> None:
        """Shows what is waited for."""
        self.list.progress = progress
        if self.is_mounted:
            self._build()

    def on_resize(self, _event: events.Resize) -> None:
        """A compact list has other rows."""
        self._build()
        self.refresh_footer()

    def action_look_again(self) -> None:
        """Asks the usual ports of this machine (r)."""
        self.list.servers = None
        self._build()
        self.run_worker(
            unbegun(self._look_around),
            group="look",
            exclusive=True,
            exit_on_error=False,
        )

    async def _look_around(self) -> None:
        found = await self._find()
        self.list.servers = found
        first = Choice("server", found[0]) if found and not self._touched else None
        self._build(first)

    @on(Listing.Chosen)
    def _take(self, message: Listing.Chosen) -> None:
        message.stop()
        if (choice := self.list.choice(message.index)) is not None:
            self._choose(choice)

    def on_key(self, event: events.Key) -> None:
        """Digits choose at once; arrows mean that the cursor is the user's now."""
        character = event.character or ""
        if event.key in ("up", "down", "home", "end"):
            self._touched = True
        elif len(character) == 1 and character.isdecimal():
            event.stop()
            if (choice := self.list.by_digit(str(int(character)))) is not None:
                self._choose(choice)

    def _choose(self, choice: Choice) -> None:
        if not self.progress:
            self.post_message(self.Chosen(choice))

    async def leave(self) -> None:
        """Esc: stops asking, else opens the demo."""
        if self.progress:
            self.post_message(self.Cancelled())
        else:
            self.post_message(self.Chosen(Choice("demo")))
