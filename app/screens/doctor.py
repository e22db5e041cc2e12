"""The doctor's screen: what works, what doesn't, what to do (mock 13)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content

from app.boundary import visible
from app.paths import styles_folder
from app.session.doctor import Finding, Report, State
from widgets.actions import Region, bindings
from widgets.cjk_wrap import wrap
from widgets.header import HeaderState
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import EMPTY, column, line, spread
from widgets.spinner_line import SpinnerLine
from widgets.toasts import Toast
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen

_LABEL = 24
_INDENT = 28
_COLOURS: dict[State, str] = {"ok": "$ok", "warn": "$warn", "unsure": "$info", "fail": "$danger"}

Check = Callable[[], Awaitable[Report]]


@dataclass(frozen=True, slots=True)
class _Row:
    """A finding, or text under or over one."""

    text: Content = EMPTY
    finding: Finding | None = None


class FindingList(Listing):
    """The report, row by row; findings can be opened."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="findings")
        self.report: Report | None = None
        self._open: set[int] = set()
        self._rows: list[_Row] = []

    def show(self, report: Report) -> None:
        """Shows a new report, the cursor on the first thing to look at."""
        self.report = report
        self._open.clear()
        self.build()
        order: tuple[State, ...] = ("fail", "warn", "unsure", "ok")
        found = [(order.index(r.finding.state), i) for i, r in enumerate(self._rows) if r.finding]
        self.rebuilt(min(found)[1] if found else 0)

    def toggle(self) -> None:
        """Opens or closes the finding under the cursor."""
        row = self._rows[self.at] if self._rows else _Row()
        if self.report is None or row.finding is None:
            return
        number = self.report.findings.index(row.finding)
        self._open ^= {number}
        at = self.at
        self.build()
        self.rebuilt(at)

    def build(self) -> None:
        """Makes the rows for the present width."""
        if self.report is None:
            return
        rows: list[_Row] = []
        number = 0
        for group in self.report.groups:
            if not group.findings:
                continue
            rows += [_Row(), _Row(line((group.title, "$text3")))]
            for finding in group.findings:
                rows.append(_Row(finding=finding))
                rows += self._under(finding, is_open=number in self._open)
                number += 1
        self._rows = rows[1:]

    def _under(self, finding: Finding, *, is_open: bool) -> list[_Row]:
        """The cure, and the details where the finding is open."""
        indent = " " * _INDENT
        rows = []
        if is_open:
            texts = [*self._cut(finding), *finding.details]
            rows += [_Row(line((indent + text, "$text2"))) for text in self._wrapped(texts)]
        if finding.cure:
            arrow = self.look.glyphs.arrow
            for index, text in enumerate(self._wrapped([finding.cure])):
                lead = (f"{indent}{arrow} ", "$accent") if not index else (f"{indent}  ", "")
                rows.append(_Row(line(lead, (text, "$text"))))
        return rows

    def _cut(self, finding: Finding) -> list[str]:
        """What the finding's own row has no room for."""
        room = self.content_size.width - _INDENT
        value, note = cell_len(finding.value), cell_len(finding.note)
        texts = [finding.value] if value > room or "\n" in finding.value else []
        return [*texts, finding.note] if note and value + note + 2 > room else texts

    def _wrapped(self, texts: list[str]) -> list[str]:
        width = max(20, self.content_size.width - _INDENT - 3)
        shown = [part for text in texts if text for part in visible(text).split("\n")]
        return [text[start:end] for text in shown for start, end in wrap(text, width)]

    def count(self) -> int:
        """All rows."""
        return len(self._rows)

    def can_choose(self, index: int) -> bool:
        """Only findings."""
        return 0 <= index < len(self._rows) and self._rows[index].finding is not None

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """One row."""
        row = self._rows[index]
        if row.finding is None:
            return row.text
        finding, glyphs = row.finding, self.look.glyphs
        marks: dict[State, str] = {
            "ok": glyphs.ok,
            "warn": glyphs.attention,
            "unsure": glyphs.unverified,
            "fail": glyphs.failed,
        }
        left = self.cursor_piece(on=on)
        left += line((f"{marks[finding.state]} ", f"{_COLOURS[finding.state]} bold"))
        left += column(f"{visible(finding.label)} ", _LABEL, "$text", glyphs.ellipsis)
        left += line((visible(finding.value).replace("\n", " "), "$text2"))
        note = line((visible(finding.note), "$text2" if on else "$text3"))
        if left.cell_length + note.cell_length + 2 > width:
            note = EMPTY
        return spread(width, left, note, glyphs.ellipsis)


class Summary(SpinnerLine):
    """How many things to look at, and what was examined."""

    def begin(self) -> None:
        """The checks run."""
        self.wait(self.look.words("doctor_screen.checking"))

    def show(self, report: Report) -> None:
        """The counts at the left, the versions at the right."""
        words = self.look.words
        look, unsure, fine = report.counts(words)
        left = line((look, "$warn bold"), ("   " if look else "", ""))
        left += line((unsure, "$info"), ("   " if unsure else "", ""), (fine, "$text2"))
        right = line((report.about(words), "$text3"))
        room = self.content_size.width or self.app.size.width
        self.rest(left, right if left.cell_length + right.cell_length < room else EMPTY)


class DoctorScreen(WorkScreen):
    """Runs the checks and shows what they found."""

    CSS_PATH = styles_folder() / "doctor.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("doctor")

    def __init__(self, look: Look, state: HeaderState, *, check: Check) -> None:
        super().__init__(look, state)
        self._check = check
        self.summary = Summary(look)
        self.list = FindingList(look)

    def compose_body(self) -> ComposeResult:
        """The counts, then the findings."""
        with Container(classes="work-body doctor"):
            yield self.summary
            yield self.list
            yield self.rack

    def on_mount(self) -> None:
        """Begins at once."""
        self.list.focus()
        self.action_check_again()

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("doctor",)

    def offers(self, name: str) -> bool:
        """There is nothing to open or copy before the report is there."""
        return name not in ("details", "copy_report") or self.list.report is not None

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """In another language the findings are made anew."""
        self.state = replace(self.state, title=self.look.words("doctor_screen.title"), alert="")
        super().watch_look()
        if self.list.report is not None:
            self.action_check_again()

    def on_resize(self, _event: events.Resize) -> None:
        """Wraps the details anew."""
        self.list.build()

    def action_check_again(self) -> None:
        """Runs all checks (r)."""
        self.summary.begin()
        self.run_worker(unbegun(self._run), group="doctor", exclusive=True, exit_on_error=False)

    async def _run(self) -> None:
        report = await self._check()
        self.summary.show(report)
        self.list.show(report)
        self.refresh_footer()

    @on(Listing.Chosen)
    def _chosen(self, message: Listing.Chosen) -> None:
        message.stop()
        self.list.toggle()

    def action_details(self) -> None:
        """Opens the finding under the cursor (Enter)."""
        self.list.toggle()

    def action_copy_report(self) -> None:
        """Puts the report on the clipboard (c)."""
        if self.list.report is not None:
            words = self.look.words
            self.app.copy_to_clipboard(self.list.report.text(words, ascii_only=self.look.ascii))
            self.show_toast(Toast(words("doctor_screen.copied"), severity="ok"))

    async def leave(self) -> None:
        """Esc: back to the workbench."""
        self.app.pop_screen()
