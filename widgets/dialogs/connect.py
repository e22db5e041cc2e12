"""Asks for what an endpoint needs: a key, or address, key and model; tries it before it closes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import SecretStr
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from app.boundary import visible
from app.text import Key
from widgets.cjk_wrap import wrap
from widgets.dialogs.base import Dialog, Plain
from widgets.look import Dressed, Look
from widgets.rows import line, stack
from widgets.unbegun import unbegun

_LABEL = 12


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What was typed.

    Attributes:
        base_url: the address as typed; "" where the provider's own is meant.
        key: None: none typed.
        model: "" where it is chosen from a list.
        keep: whether to keep it for the next start.
    """

    base_url: str = ""
    key: SecretStr | None = None
    model: str = ""
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Answered:
    """An endpoint that answered, and the models it lists."""

    endpoint: Endpoint
    models: tuple[str, ...]


Try = Callable[[Endpoint], Awaitable["Answered | str"]]
"""Asks an endpoint; what it says, or one sentence about why it doesn't."""


class Switch(Dressed, can_focus=True):
    """One thing that is on or off: Space or a click turns it."""

    DEFAULT_CSS = """
    Switch { width: 100%; height: 1; text-wrap: nowrap; }
    """

    on: reactive[bool] = reactive(True)

    def __init__(self, look: Look, label: str) -> None:
        super().__init__(look, id="keep")
        self.label = label

    def render(self) -> Content:
        """The state as a glyph, then what it is about."""
        glyphs = self.look.glyphs
        mark = glyphs.current if self.on else glyphs.waiting
        row = line((f"{mark} ", "$accent" if self.on else "$text3"), (self.label, "$text2"))
        if not self.has_focus:
            return row
        hint = line(("   Space", "$text"), (f" {self.look.words('connect.keys_keep')} ", "$text2"))
        return self.on_row(row + hint)

    def on_focus(self) -> None:
        """Lit."""
        self.refresh()

    def on_blur(self) -> None:
        """Not lit."""
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Space turns it."""
        if event.key in ("space", "left", "right"):
            event.stop()
            self.on = not self.on

    def on_click(self) -> None:
        """A click turns it."""
        self.on = not self.on


class ConnectDialog(Dialog[Answered]):
    """Dismissed with an endpoint that answered, or None.

    Letters and digits are text here, so it has no buttons, only keys (STYLE 14, editing).
    """

    DEFAULT_CSS = """
    ConnectDialog {
        .connect-row { height: 1; width: 100%; }
        .connect-label { width: 12; color: $text3; }
        Input {
            width: 1fr;
            height: 1;
            border: none;
            padding: 0 1;
            background: $raised;
            color: $text;
        }
        Input:focus {
            border: none;
            background: $accent-bg;
            background-tint: $accent-bg 0%;
        }
        Switch { margin: 1 0; }
        .connect-said { margin: 0 0 1 0; }
    }
    """

    busy: reactive[bool] = reactive(False)

    def __init__(
        self, look: Look, *, name: str, address: str, keep_in: str, attempt: Try, said: str = ""
    ) -> None:
        """Prepares the fields.

        Args:
            look: words and glyphs.
            name: the provider's name; "" asks for an address and a model as well.
            address: where requests will go, to be shown, or changed where it is asked for.
            keep_in: the file a connection is kept in.
            attempt: asks the endpoint.
            said: what went wrong before, shown at once.
        """
        super().__init__(look, id="connect")
        self._provider = name
        self._place = address
        self._attempt = attempt
        self._said = said
        self._head = Plain()
        typed = "" if name else address
        self.base_url = Input(typed, id="connect-address", compact=True)
        self.key = Input(id="connect-key", password=True, compact=True)
        self.model = Input(id="connect-model", compact=True)
        self.keep = Switch(look, look.words("connect.keep", path=keep_in))
        self._message = Plain(classes="connect-said")
        self._notes = Plain()

    def compose_body(self) -> ComposeResult:
        """The fields, the switch, what was said, the keys."""
        words = self.look.words
        if self._provider:
            yield self._head
            yield Static("", markup=False)
        rows: list[tuple[Key, Input]] = [("connect.key", self.key)]
        if not self._provider:
            rows = [
                ("connect.address", self.base_url),
                ("connect.key", self.key),
                ("connect.model", self.model),
            ]
        for label, field in rows:
            with Horizontal(classes="connect-row"):
                yield Static(words(label), classes="connect-label", markup=False)
                yield field
        yield self.keep
        yield self._message
        yield self._notes

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words("connect.title")

    def on_mount(self) -> None:
        """The first field has the focus."""
        (self.key if self._provider else self.base_url).focus()

    def write(self) -> None:
        """Texts and hints."""
        super().write()
        words = self.look.words
        self._head.update(line((self._provider, "$text"), (f"   {self._place}", "$text2")))
        self.base_url.placeholder = "http://127.0.0.1:11434/v1"
        self.key.placeholder = words(
            "connect.key_hint" if self._provider else "connect.key_optional"
        )
        self.model.placeholder = words("connect.model_optional")
        pairs: list[tuple[str, Key]] = [
            ("Enter", "connect.keys_connect"),
            ("Tab", "connect.keys_next"),
            ("Esc", "connect.keys_cancel"),
        ]
        self._notes.update(
            Content("   ").join(line((k, "$text"), (f" {words(w)}", "$text3")) for k, w in pairs)
        )
        self._say(self._said)

    def _say(self, text: str) -> None:
        """Says what went wrong, or while it is asked, that it is."""
        self._said = text
        style, glyph = ("$text2", "") if self.busy else ("$danger", self.look.glyphs.failed)
        width = max(20, self.window.content_size.width - 2)
        shown = visible(text)
        rows = [line((f"  {shown[start:end]}", style)) for start, end in wrap(shown, width)]
        if rows and glyph:
            rows[0] = line((f"{glyph} ", f"{style} bold")) + rows[0][2:]
        self._message.update(stack(rows))
        self._message.display = bool(text)

    async def on_key(self, event: events.Key) -> None:
        """Enter tries it, Esc leaves."""
        match event.key:
            case "escape":
                event.stop()
                self.workers.cancel_group(self, "attempt")
                if self.is_current:
                    self.dismiss(None)
            case "enter" if not self.busy:
                event.stop()
                self._start()
            case "down" | "up":
                event.stop()
                self.focus_next() if event.key == "down" else self.focus_previous()

    def _start(self) -> None:
        words = self.look.words
        if not self._provider and not self.base_url.value.strip():
            self._say(words("connect.missing_address"))
            self.base_url.focus()
            return
        if self._provider and not self.key.value.strip():
            self._say(words("connect.missing_key", provider=self._provider))
            self.key.focus()
            return
        self.busy = True
        place = self._place if self._provider else self.base_url.value.strip()
        asking = words("connect.asking", place=place)
        self._say(f"{asking}  {words('connect.cancel_hint')}")
        self.run_worker(unbegun(self._ask), group="attempt", exclusive=True, exit_on_error=False)

    async def _ask(self) -> None:
        key = self.key.value.strip()
        endpoint = Endpoint(
            base_url=self.base_url.value.strip(),
            key=SecretStr(key) if key else None,
            model=self.model.value.strip(),
            keep=self.keep.on,
        )
        try:
            answer = await self._attempt(endpoint)
        finally:
            self.busy = False
        if isinstance(answer, str):
            self._say(answer)
        elif self.is_current:
            self.dismiss(answer)
