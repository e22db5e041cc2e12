"""Every glyph of the screen with its twin for terminals that can't show it (STYLE 5).

All are one cell wide, except the twins `->`, `..` and `Up`, which are two.
"""

from dataclasses import dataclass

FRAME_SECONDS = 0.1
"""How long a frame of the spinner stays (STYLE 5)."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The glyphs of one mode.

    Attributes:
        spinner: frames of what is running, in order.
        ok: done, fresh.
        failed: failed, contradicted.
        attention: needs the user, a risk, past a mark.
        waiting: waiting, not selected, an open task.
        current: selected, the scrubber.
        offloaded: a result went to a file.
        cleared: a result was replaced by a pointer.
        summary: a summary.
        restore: the way back.
        pinned: a pinned fact, a recalled memory.
        stale, unverified, conflicting, about: states of facts, and about so much.
        cursor: before the row the cursor is on.
        prompt: before what is typed.
        bar: beside the user's words.
        caret: after the last streamed word.
        arrow: leads to; ellipsis: cut; dot: between words, and a list's bullet.
        times: so many times.
        up: the arrow key.
        full, shade, empty: swatches.
        heavy, half, rule: meters and rules.
        quote: beside a quotation.
        brand: before the name.
    """

    spinner: tuple[str, ...] = ("⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏")
    ok: str = "✓"
    failed: str = "✗"
    attention: str = "!"
    waiting: str = "○"
    current: str = "●"
    offloaded: str = "⇲"
    cleared: str = "∅"
    summary: str = "Σ"
    restore: str = "↩"
    pinned: str = "◆"
    stale: str = "~"
    unverified: str = "?"
    conflicting: str = "≠"
    about: str = "≈"
    cursor: str = "▸"
    prompt: str = "❯"
    bar: str = "▌"
    caret: str = "▍"
    arrow: str = "→"
    ellipsis: str = "…"
    dot: str = "·"
    times: str = "×"
    up: str = "↑"
    full: str = "■"
    shade: str = "░"
    empty: str = "□"
    heavy: str = "━"
    half: str = "╸"
    rule: str = "─"
    quote: str = "│"
    brand: str = "≋"

    def frame(self, seconds: float) -> str:
        """The spinner's frame after so many seconds."""
        return self.spinner[int(seconds / FRAME_SECONDS) % len(self.spinner)]


UNICODE = Glyphs()
ASCII = Glyphs(
    spinner=("*",),
    ok="+",
    failed="x",
    waiting="o",
    current="@",
    offloaded="v",
    cleared="-",
    summary="S",
    restore="<",
    pinned="*",
    conflicting="#",
    about="~",
    cursor=">",
    prompt=">",
    bar="|",
    caret="_",
    arrow="->",
    ellipsis="..",
    dot="-",
    times="x",
    up="Up",
    full="#",
    shade=":",
    empty=".",
    heavy="=",
    half="-",
    rule="-",
    quote="|",
    brand="~",
)


def glyphs_for(*, ascii_only: bool) -> Glyphs:
    """The glyphs of a mode."""
    return ASCII if ascii_only else UNICODE
