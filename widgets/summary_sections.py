"""The four sections of a summary, one under the other; each can be edited in place (mock 04)."""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region, Spacing
from textual.timer import Timer
from textual.widgets import Static, TextArea

from app.boundary import visible
from app.text import Key
from app.view.compaction import Preview
from widgets.cjk_wrap import wrap
from widgets.field import Field
from widgets.glyphs import FRAME_SECONDS
from widgets.ink import MINUTE, duration
from widgets.look import Look
from widgets.rows import EMPTY, line, stack

HEADS: tuple[Key, ...] = (
    "compaction_preview.goal",
    "compaction_preview.decisions",
    "compaction_preview.done",
    "compaction_preview.open",
)
"""What the sections are called, in the order of a summary's headings."""


class _Said(Static):
    """Words of ours above or between the fields."""

    def __init__(self, *, classes: str) -> None:
        super().__init__(markup=False, classes=classes)


class SectionField(Field, inherit_bindings=False):
    """The text of a section; a line break is its own, so that it comes where it was typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *Field.BINDINGS,
        Binding("ctrl+j,enter,shift+enter", "newline", show=False),
    ]

    def action_newline(self) -> None:
        """Ctrl+J; Enter too: nothing is sent from here."""
        self.put("\n")


class SummarySections(VerticalScroll):
    """The text of a summary; what the model is doing, or why there is none.

    Attributes:
        fields: the texts under the headings.
    """

    DEFAULT_CSS = """
    SummarySections {
        height: 100%;
        background: $overlay;
        scrollbar-size-vertical: 1;
        scrollbar-background: $overlay;
        scrollbar-background-hover: $overlay;
        scrollbar-background-active: $overlay;
        .section-head { height: 1; width: 100%; }
        .section-body {
            width: 100%;
            height: auto;
            padding: 0 0 0 2;
            background: $overlay;
            color: $text;
            margin: 0 0 1 0;
            scrollbar-size: 0 0;
            &:focus { background: $raised; padding: 0 0 0 2; border: none; }
        }
        .section-foot { width: 100%; height: auto; }
        .section-state { width: 100%; height: auto; display: none; }
        &.-tight .section-body { margin: 0; }
        &.-tight .section-foot { display: none; }
        &.-without .section-head { display: none; }
        &.-without .section-body { display: none; }
        &.-without .section-foot { display: none; }
        &.-without .section-state { display: block; }
    }
    """

    def __init__(self, look: Look, clock: Callable[[], float]) -> None:
        """Prepares it.

        Args:
            look: words and glyphs.
            clock: seconds that only go forward; `Preview.since` is of it.
        """
        super().__init__()
        self._look = look
        self._clock = clock
        self._ticks: Timer | None = None
        self._heads = [_Said(classes="section-head") for _ in HEADS]
        self.fields = [SectionField(classes="section-body") for _ in HEADS]
        self._foot = _Said(classes="section-foot")
        self._state = _Said(classes="section-state")
        self._filled: tuple[str, ...] = ()
        self._bodies: tuple[str, ...] = ()
        self._preview: Preview | None = None

    def compose(self) -> ComposeResult:
        """Heads, fields, who wrote it."""
        yield self._state
        for head, field in zip(self._heads, self.fields, strict=True):
            yield head
            yield field
        yield self._foot

    @property
    def bodies(self) -> tuple[str, ...]:
        """What stands under the headings now; what wasn't touched is as it came."""
        return tuple(
            before if field.text == filled else field.text
            for field, filled, before in zip(self.fields, self._filled, self._bodies, strict=True)
        )

    @property
    def at(self) -> int | None:
        """The section that is edited."""
        found = (index for index, field in enumerate(self.fields) if field.has_focus)
        return next(found, None)

    def show(self, preview: Preview, look: Look) -> None:
        """Shows a text, or what there is instead."""
        self._look, self._preview = look, preview
        self._keep_time()
        has_text = bool(preview.bodies) and preview.phase in ("ready", "stale")
        self.set_class(not has_text, "-without")
        if has_text and preview.bodies != self._bodies:
            self._bodies = preview.bodies
            for field, body in zip(self.fields, preview.bodies, strict=True):
                if field.text != visible(body):
                    field.load_text(visible(body))
                    field.move_cursor(field.document.end)
            self._filled = tuple(field.text for field in self.fields)
        self.write()

    def write(self) -> None:
        """All words."""
        preview, words = self._preview, self._look.words
        if preview is None:
            return
        at, editing = self.at, f"   {words('compaction_preview.editing')}"
        if self.has_class("-tight"):
            editing = ""
        for index, (key, head) in enumerate(zip(HEADS, self._heads, strict=True)):
            on = index == at
            head.update(
                line(
                    (f"{index + 1} ", "$accent bold" if on else "$text3"),
                    (words(key), "$text bold" if on else "$text2"),
                    (editing if on else "", "$accent"),
                )
            )
        for field in self.fields:
            field.placeholder = words("compaction_preview.nothing")
        self._foot.update(line((self.written, "$text3")))
        self._write_state()

    def _keep_time(self) -> None:
        """While the model writes, its seconds go on."""
        writing = self._preview is not None and self._preview.phase == "writing"
        if writing and self._ticks is None:
            every = FRAME_SECONDS if self._look.motion else 1.0
            self._ticks = self.set_interval(every, self._write_state)
        elif not writing and self._ticks is not None:
            self._ticks.stop()
            self._ticks = None

    @property
    def written(self) -> str:
        """How long the text is, who wrote it; "" where there is none."""
        preview = self._preview
        if preview is None or not preview.bodies:
            return ""
        words, dot = self._look.words, f" {self._look.glyphs.dot} "
        said = [
            words(
                "compaction_preview.written",
                tokens=f"{preview.balance.summary:,}",
                model=visible(preview.model),
                time=duration(preview.seconds),
            ).replace(" · ", dot)
        ]
        if preview.edited:
            said.append(words("compaction_preview.edited"))
        return dot.join(said)

    def _write_state(self) -> None:
        preview, words, glyphs = self._preview, self._look.words, self._look.glyphs
        width = self.content_size.width
        if preview is None or not self.has_class("-without") or not width:
            return
        if preview.phase == "writing":
            seconds = max(0.0, self._clock() - preview.since)
            frame = glyphs.frame(seconds) if self._look.motion else glyphs.spinner[0]
            who = words("compaction_preview.writing", model=visible(preview.model))
            time = f"{int(seconds)}s" if seconds < MINUTE else duration(seconds)
            rows = [line((f"{frame} ", "$accent"), (who, "$text"), (f"  {time}", "$text3"))]
            if preview.pieces > 1:
                part = words(
                    "compaction_preview.writing_part",
                    done=min(preview.done + 1, preview.pieces),
                    pieces=preview.pieces,
                )
                rows.append(line((f"  {part}", "$text2")))
            again = bool(preview.bodies)
            text = words(
                "compaction_preview.writing_again_text"
                if again
                else "compaction_preview.writing_text"
            )
            self._state.update(stack([*rows, EMPTY, *_wrapped(text, width, "$text3")]))
            return
        sign = line(
            (f"{glyphs.failed} ", "$danger bold"), (words("compaction_preview.failed"), "$text")
        )
        text = words("compaction_preview.failed_text")
        self._state.update(
            stack(
                [
                    sign,
                    *_wrapped(preview.said, width, "$text2"),
                    EMPTY,
                    *_wrapped(text, width, "$text3"),
                ]
            )
        )

    def edit(self, index: int) -> None:
        """The cursor goes into a section."""
        self.fields[index % len(self.fields)].focus()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:  # noqa: ARG002
        """A field was left: its head no longer says that it is edited."""
        self.write()

    def scroll_by_key(self, key: str) -> None:
        """What an arrow or a page key does where no field takes it."""
        match key:
            case "up":
                self.scroll_up(animate=False)
            case "down":
                self.scroll_down(animate=False)
            case "pageup":
                self.scroll_page_up(animate=False)
            case "pagedown":
                self.scroll_page_down(animate=False)
            case "home":
                self.scroll_home(animate=False)
            case "end":
                self.scroll_end(animate=False)

    def on_text_area_selection_changed(self, message: TextArea.SelectionChanged) -> None:
        """The line that is edited stays in sight."""
        message.stop()
        field = message.text_area
        if field.has_focus:
            self.call_after_refresh(self._see, field)

    def _see(self, field: TextArea) -> None:
        place = field.cursor_screen_offset - self.region.offset + self.scroll_offset
        self.scroll_to_region(
            Region(0, place.y, 1, 1), spacing=Spacing(1, 0, 1, 0), animate=False, x_axis=False
        )

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        """Nothing: the dialog asks for the texts."""
        message.stop()


def _wrapped(text: str, width: int, style: str) -> list[Content]:
    said = visible(text).split("\n")
    return [
        line((part[start:end].rstrip(), style)) for part in said for start, end in wrap(part, width)
    ]
