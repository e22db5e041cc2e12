"""Everything in the conversation that is neither an answer nor a card, as lines."""

from rich.cells import cell_len

from app.events import KeptBySummary
from app.text import Key, Words
from app.text.numbers import in_k, tokens
from app.view.items import (
    ClearedItem,
    ClearMarkItem,
    EarlierItem,
    ErrorItem,
    GuardMarkItem,
    MarkItem,
    NoticeItem,
    PicturesMarkItem,
    QueuedItem,
    QueuedUntil,
    ReasoningItem,
    RetryItem,
    StoppedItem,
    SummaryFailedItem,
    UndoneItem,
    UndoneKind,
    UserItem,
    WaitingItem,
)
from widgets.card_lines import BODY, Stage
from widgets.ink import Ink, duration
from widgets.markdown_lines import PROSE
from widgets.palette import Token
from widgets.rows import clip_name
from widgets.spans import Line, Span, beside, clip_spans, split_spans, width_of, wrap_spans

_DASHES = 4
"""Dashes left of a divider's label (STYLE 4)."""

_INDENT = 2

_LIVE = 4_000
"""Characters of reasoning that are wrapped while it streams: more than its last rows hold."""


def user_lines(item: UserItem | QueuedItem, ink: Ink, width: int) -> list[Line]:
    """The user's words beside a bar; one that waits says so at the right (STYLE 7)."""
    queued = isinstance(item, QueuedItem)
    bar = ink.span(f"{ink.glyphs.bar} ", "line2" if queued else "accent")
    label = ink.words("transcript.queued")
    mark = [ink.span(label, "text3")] if queued else []
    room = min(width - _INDENT, PROSE)
    if queued:
        room = min(room, width - _INDENT - width_of(mark) - 2)
    text = item.text.strip("\n").expandtabs(4)
    rows = _wrapped(ink.span(text, "text2" if queued else "text"), room)
    lines = [row.after(bar) for row in rows]
    if isinstance(item, QueuedItem):
        blank = ink.style("text")
        lines[0] = beside(lines[0].spans, mark, width, blank)
        if item.last:
            hint = ink.words(_UNTIL[item.until], up=ink.glyphs.up)
            room = min(width - _INDENT, PROSE)
            lines.extend(_indented(row) for row in _wrapped(ink.span(hint, "text3"), room))
        return lines
    for image in item.images:
        label = ink.words("transcript.picture", image=image)
        lines.extend(row.after(bar) for row in _wrapped(ink.span(label, "text2"), room))
    if item.pinned:
        first = lines[0]
        lines[0] = Line((*first.spans, ink.span(f"  {ink.glyphs.pinned}", "accent")), first.fill)
    if item.recalled:
        lines.append(_recalled_line(item, ink, width))
    if item.corrected:
        lines.append(_memory_line(ink.words("transcript.corrected", n=item.corrected), ink, width))
    if item.brought:
        lines.append(_brought_line(item, ink, width))
    for key, said in (
        ("transcript.rule_noted", item.rules),
        ("transcript.rule_ended", item.revoked),
    ):
        lines += [_rule_line(ink.words.named(key), rule, ink, width) for rule in said]
    return lines


def _rule_line(said: str, rule: str, ink: Ink, width: int) -> Line:
    """`· rule noted: Keep the migrations untouched.  Enter changes it`; the rule is cut first."""
    lead = (" " * _INDENT, ink.style("text")), ink.span(f"{ink.glyphs.dot} {said}", "text3")
    undo = ink.span(f"  {ink.words('transcript.rule_undo')}", "text3")
    room = max(1, min(width, PROSE) - width_of((*lead, undo)))
    cut = clip_spans([ink.span(rule, "text2")], room, ink.span(ink.ellipsis, "text3"))
    return Line((*lead, *cut, undo))


_UNTIL: dict[QueuedUntil, Key] = {
    "open": "transcript.queued_open",
    "turn": "transcript.queued_hint",
    "summary": "transcript.queued_summary",
    "asked": "transcript.queued_asked",
}


def _recalled_line(item: UserItem, ink: Ink, width: int) -> Line:
    """`◆ 5 memories recalled  +412 tokens`: what the message was given (STYLE 7)."""
    said = ink.words("transcript.recalled", n=item.recalled)
    tokens = f"  +{item.recalled_tokens:,} tokens" if item.recalled_tokens else ""
    return _memory_line(f"{said}{tokens}", ink, width)


def _memory_line(said: str, ink: Ink, width: int) -> Line:
    lead = (" " * _INDENT, ink.style("text")), ink.span(f"{ink.glyphs.pinned} ", "accent")
    room = max(1, min(width, PROSE) - width_of(lead))
    return Line(
        (*lead, *clip_spans([ink.span(said, "text3")], room, ink.span(ink.ellipsis, "text3")))
    )


def _brought_line(item: UserItem, ink: Ink, width: int) -> Line:
    """`↩ brought back list_dir src/main/java  +0.6k`: what the message quotes (STYLE 14)."""
    tokens = f"  +{in_k(item.brought_tokens)}" if item.brought_tokens else ""
    lead = (" " * _INDENT, ink.style("text")), ink.span(f"{ink.glyphs.restore} ", "accent")
    room = max(1, min(width, PROSE) - width_of(lead) - len(tokens))
    listed = ink.words("transcript.comma").join(item.brought)
    if len(item.brought) == 1:
        around = cell_len(ink.words("transcript.brought_back", what=""))
        listed = clip_name(listed, max(1, room - around), ink.ellipsis)
    said = ink.words("transcript.brought_back", what=listed)
    cut = clip_spans([ink.span(said, "text3")], room, ink.span(ink.ellipsis, "text3"))
    return Line((*lead, *cut, ink.span(tokens, "text3")))


def notice_lines(item: NoticeItem | ErrorItem, ink: Ink, width: int) -> list[Line]:
    """A glyph for how bad it is, then what it is and what to do."""
    if isinstance(item, ErrorItem):
        rows = _marked(ink.span(ink.glyphs.failed, "danger"), ink.span(item.text, "text"), width)
        if item.resumable:
            rows.append(_indented(Line((ink.span(ink.words("transcript.go_on"), "text3"),))))
        return rows
    glyphs: dict[str, Span] = {
        "ok": ink.span(ink.glyphs.ok, "ok"),
        "info": ink.span("i", "info"),
        "warn": ink.span(ink.glyphs.attention, "warn"),
        "danger": ink.span(ink.glyphs.failed, "danger"),
    }
    return _marked(glyphs[item.severity], ink.span(item.text, "text2"), width)


def summary_failed_lines(item: SummaryFailedItem, ink: Ink, width: int) -> list[Line]:
    """That there is no summary, and why; calm, as the history is as it was."""
    tone: Token = "text3" if item.stopped else "text2"
    return _marked(ink.span(ink.glyphs.summary, "text3"), ink.span(item.reason, tone), width)


def retry_lines(item: RetryItem, ink: Ink, width: int) -> list[Line]:
    """Why the call failed and when it is tried again; later without the time, which is over."""
    reason, dot = item.reason.rstrip(".。"), ink.glyphs.dot
    if item.wait is None:
        said = ink.words("transcript.retried", reason=reason, attempt=item.attempt, dot=dot)
    else:
        time = duration(item.wait)
        said = ink.words(
            "transcript.retry", reason=reason, attempt=item.attempt, time=time, dot=dot
        )
    return _marked(ink.span(ink.glyphs.attention, "warn"), ink.span(said, "text3"), width)


def stopped_lines(item: StoppedItem, ink: Ink, width: int) -> list[Line]:
    """`stopped by you · Enter to go on`; later without the key, which then does nothing."""
    said = ink.words("transcript.stopped" if item.by_user else "transcript.cut_off")
    if item.resumable:
        said = f"{said} {ink.glyphs.dot} {ink.words('transcript.go_on')}"
    return [_indented(row) for row in _wrapped(ink.span(said, "text3"), width - _INDENT)]


def cleared_line(_item: ClearedItem, ink: Ink, width: int) -> Line:
    """The divider before a new history."""
    return divider(
        [ink.span(ink.words("transcript.cleared", dot=ink.glyphs.dot), "text2")], ink, width
    )


def clear_mark_lines(item: ClearMarkItem, ink: Ink, width: int, *, focused: bool) -> list[Line]:
    """`──── cleared 9 tool results · freed 38.2k  ↩ undo ────`; later without the way back.

    Under it what of the work the agent was told anew (mock 01f).
    """
    line = _undoable_line("transcript.cleared_results", item, ink, width, focused=focused)
    if not (told := told_parts(item.told, ink.words)):
        return [line]
    said = ink.words("transcript.refreshed", what=ink.words("transcript.comma").join(told))
    return [line, *under_divider(said, ink, width)]


def told_parts(told: KeptBySummary, words: Words) -> list[str]:
    """`goal`, `2 rules`, `9 changed files`: what a recovery block holds."""
    parts = [words("transcript.kept_goal")] if told.goal else []
    parts += [words("transcript.kept_rules", n=told.rules)] if told.rules else []
    parts += [words("transcript.kept_files", n=told.files)] if told.files else []
    return parts + ([words("transcript.kept_entities", n=told.entities)] if told.entities else [])


def guard_mark_line(item: GuardMarkItem, ink: Ink, width: int, *, focused: bool) -> Line:
    """`──── cut 1 message short to fit the window · freed 9.1k  ↩ undo ────`; later without it."""
    return _undoable_line("transcript.guarded", item, ink, width, focused=focused)


def _undoable_line(
    key: Key, item: ClearMarkItem | GuardMarkItem, ink: Ink, width: int, *, focused: bool
) -> Line:
    on: Token = "accent_bg" if focused else "bg"
    said = ink.words(key, n=item.count, dot=ink.glyphs.dot, freed=tokens(item.freed))
    label = [ink.span(said, "text2", on)]
    if item.undoable:
        label += [
            ink.span(f"  {ink.glyphs.restore}", "accent", on),
            ink.span(f" {ink.words('transcript.undo')}", "text2", on),
        ]
    return divider(label, ink, width)


def pictures_mark_line(item: PicturesMarkItem, ink: Ink, width: int) -> Line:
    """`──── 2 old pictures gave way to text · freed 3.1k ────`."""
    dot, freed = ink.glyphs.dot, tokens(item.freed)
    said = ink.words("transcript.pictures_left", n=item.count, dot=dot, freed=freed)
    return divider([ink.span(said, "text2")], ink, width)


def undone_lines(item: UndoneItem, ink: Ink, width: int, *, focused: bool) -> list[Line]:
    """`──── ↩ undone: 9 results are back · +38.2k ────`, and what that means from now on."""
    values = {"n": item.count, "dot": ink.glyphs.dot, "tokens": tokens(item.tokens)}
    key = _UNDONE[item.what] if item.tokens else _UNDONE_BARE.get(item.what, _UNDONE[item.what])
    on: Token = "accent_bg" if focused else "bg"
    said = ink.span(ink.words(key, **values), "text2", on)
    lines = [divider([ink.span(f"{ink.glyphs.restore} ", "accent", on), said], ink, width)]
    if item.paused:
        clearing = item.what in ("results", "cuts")
        paused: Key = "transcript.clear_paused" if clearing else "transcript.summaries_paused"
        lines += under_divider(ink.words(paused), ink, width)
    return lines


_UNDONE: dict[UndoneKind, Key] = {
    "results": "transcript.undone_results",
    "cuts": "transcript.undone_cuts",
    "messages": "transcript.undone_messages",
    "expansion": "transcript.undone_expansion",
}

_UNDONE_BARE: dict[UndoneKind, Key] = {
    "cuts": "transcript.undone_cuts_bare",
    "expansion": "transcript.undone_expansion_bare",
}
"""Where it isn't known how many tokens that were."""


def under_divider(said: str, ink: Ink, width: int) -> list[Line]:
    """Faint words under a divider, where its own begin (STYLE 14)."""
    indent = (" " * (_DASHES + 1), ink.style("text"))
    rows = _wrapped(ink.span(said, "text3"), min(width, PROSE) - _DASHES - 1)
    return [row.after(indent) for row in rows]


def mark_line(item: MarkItem, ink: Ink, width: int) -> Line:
    """The divider where a fork begins (STYLE 7)."""
    words, parent = ink.words, f"#{item.parent[:4]}"
    if item.turn is not None:
        said = words("transcript.forked_at", node=parent, turn=item.turn)
    else:
        said = words("transcript.forked", node=parent)
    return divider([ink.span(said, "text2")], ink, width)


def earlier_line(item: EarlierItem, ink: Ink, width: int, *, focused: bool) -> Line:
    """`312 earlier messages  Enter shows more`, above everything that is shown."""
    on: Token = "accent_bg" if focused else "bg"
    spans = [
        ink.span(ink.words("transcript.earlier", n=item.count), "text3", on),
        ink.span(f"  {ink.words('transcript.enter_more')}", "text3", on),
    ]
    cut = clip_spans(spans, width, ink.span(ink.ellipsis, "text3", on))
    return Line(cut, ink.style("text", on))


def divider(label: list[Span], ink: Ink, width: int) -> Line:
    """`──── label ───…` over the whole width (STYLE 4)."""
    blank = ink.style("text")
    rule = ink.glyphs.rule
    left = (ink.span(rule * _DASHES, "line2"), (" ", blank))
    room = width - _DASHES - 3
    cut = clip_spans(label, room, ink.span(ink.ellipsis, "text2"))
    rest = max(0, room - width_of(cut) + 1)
    return Line((*left, *cut, (" ", blank), ink.span(rule * rest, "line2")))


def waiting_line(item: WaitingItem, ink: Ink, now: float) -> Line:
    """The model is silent: a spinner and since when."""
    return _running(ink, ink.words("transcript.model_silent"), now - item.started)


def reasoning_lines(
    item: ReasoningItem, ink: Ink, width: int, stage: Stage, now: float
) -> list[Line]:
    """One line, its first words at the end; opened: all of it, while it streams its last rows."""
    if item.seconds is None:
        head = _running(ink, ink.words("transcript.thinking"), now - item.started)
    else:
        said = ink.words("transcript.thought_once")
        if item.timed:
            said = ink.words("transcript.thought", time=duration(item.seconds))
        tone: Token = "text3"
        head = Line((ink.span(said, tone),))
        if stage is Stage.CLOSED:
            first = item.text.strip().partition("\n")[0].expandtabs(4)
            spans = [*head.spans, ink.span(f"  {first}", tone)]
            cut = clip_spans(spans, min(width, PROSE), ink.span(ink.ellipsis, tone))
            head = Line(cut)
    if stage is Stage.CLOSED:
        return [head]
    text = item.text[-_LIVE:] if item.live else item.text
    rows = _wrapped(ink.span(text.strip().expandtabs(4), "text3"), min(width, PROSE) - _INDENT)
    if item.live:
        return [head, *(_indented(row) for row in rows[-BODY:])]
    shown = rows if stage is Stage.ALL else rows[:BODY]
    lines = [head, *(_indented(row) for row in shown)]
    if hidden := len(rows) - len(shown):
        more = ink.words("transcript.more_lines", n=hidden)
        said = f"{ink.ellipsis} {more}  {ink.words('transcript.enter_all')}"
        lines.append(_indented(Line((ink.span(said, "text3"),))))
    return lines


def next_reasoning_stage(item: ReasoningItem, stage: Stage) -> Stage:
    """Where Enter leads."""
    if stage is Stage.CLOSED:
        return Stage.SOME
    long = len(item.text) > BODY * 60 or item.text.count("\n") >= BODY
    return Stage.ALL if stage is Stage.SOME and long else Stage.CLOSED


def _running(ink: Ink, said: str, seconds: float) -> Line:
    return Line(
        (
            ink.span(ink.glyphs.frame(seconds), "accent"),
            ink.span(f" {said}  ", "text3"),
            ink.span(duration(seconds), "accent"),
        )
    )


def _marked(glyph: Span, text: Span, width: int) -> list[Line]:
    """A glyph, and words beside it."""
    blank = (" " * _INDENT, text[1])
    rows = _wrapped(text, min(width, PROSE) - _INDENT)
    return [
        row.after(blank) if index else row.after(glyph, (" ", text[1]))
        for index, row in enumerate(rows)
    ]


def _wrapped(text: Span, room: int) -> list[Line]:
    return [Line(piece) for line in split_spans([text]) for piece in wrap_spans(line, room)]


def _indented(line: Line) -> Line:
    style = line.spans[0][1] if line.spans else None
    return line.after((" " * _INDENT, style)) if style else line
