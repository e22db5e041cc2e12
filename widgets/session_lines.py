"""The rows of the sessions' list and what is said of one session beside it, as lines (mock 05)."""

from datetime import datetime

from rich.cells import cell_len

from app.boundary import visible
from app.text import Key, Words
from app.text.numbers import tokens
from app.view.sessions_view import (
    Chain,
    ChainRow,
    HeadRow,
    NodeRow,
    Row,
    SessionNode,
    SessionsModel,
)
from widgets.ink import Ink
from widgets.palette import Token
from widgets.rows import clip
from widgets.spans import BLANK_LINE, Line, Span, clip_spans, width_of

_GROUPS: dict[str, Key] = {
    "today": "sessions.today",
    "yesterday": "sessions.yesterday",
    "this_week": "sessions.this_week",
    "last_week": "sessions.last_week",
    "earlier": "sessions.earlier",
}

_MODES = {"react": "ReAct", "plan": "Plan", "team": "Team"}

_LEVEL = 3
"""Cells of a level of the tree: a rail and a letter's column."""

_TIME = 10
"""Cells for when something was used: a date with its year."""

_COUNT = 13

_LABEL = 10
_METER = 12


def short(node: str) -> str:
    """A session's short name: `#7f3a`."""
    return f"#{node[:4]}"


def row_lines(row: Row, model: SessionsModel, ink: Ink, width: int, *, focused: bool) -> list[Line]:
    """A row of the list, exactly as many lines as it takes; two cells are left for the cursor."""
    on: Token = "accent_bg" if focused else "bg"
    match row:
        case HeadRow():
            head = Line((ink.span(f"  {ink.words(_GROUPS[row.group])}", "text3"),))
            return [BLANK_LINE] * row.gap + [head]
        case ChainRow():
            return [BLANK_LINE] * row.gap + [_chain(row, model, ink, width, on)]
        case NodeRow():
            return [_node(row, model, ink, width, on)]


def _mark(ink: Ink, on: Token) -> Span:
    """The two cells before a row: the cursor's mark is in the first."""
    if on != "accent_bg":
        return ink.span("  ", "text", on)
    return ink.span(f"{ink.glyphs.cursor} ", "accent", on)


def _chain(row: ChainRow, model: SessionsModel, ink: Ink, width: int, on: Token) -> Line:
    """Title, how many sessions, and when it was used where the sessions don't say so."""
    chain = row.chain
    time = "" if row.open else when(model, chain.used)
    right = [
        ink.span(_right(ink.words("sessions.chain", n=len(chain.nodes)), _COUNT), "text3", on),
        ink.span(_right(time, _TIME), "text3", on),
        ink.span(" ", "text", on),
    ]
    title = title_of(chain.title, ink)
    left = [_mark(ink, on), ink.span(title, "text" if row.open else "text2", on, bold=row.open)]
    if chain.current and not row.open:
        left.append(ink.span(f"  {ink.glyphs.current}", "accent", on))
    return _both_ends(left, right, ink, width, on)


def _node(row: NodeRow, model: SessionsModel, ink: Ink, width: int, on: Token) -> Line:
    """The tree, the letter, id, turns, what became of it; when it was used."""
    node = row.node
    name: Token = "accent" if node.current else "text"
    left = [
        _mark(ink, on),
        ink.span(_rails(row.rails, ink), "line2", on),
        ink.span(f"{row.letter:<{_LEVEL}}", name, on, bold=node.current),
        ink.span(f"{short(node.id)} ", "text3", on),
        ink.span(_turns(node, ink), "text2", on),
    ]
    if node.summarised is not None:
        size = tokens(node.summarised.tokens)
        said = f"{node.summarised.count:,} {ink.glyphs.arrow} {size}"
        left.append(ink.span(f"  {ink.glyphs.summary} ", "accent", on))
        left.append(ink.span(said, "text2", on))
    if node.current:
        said = f"  {ink.glyphs.current} {ink.words('sessions.current')}"
        left.append(ink.span(said, "accent", on))
    elif node.live:
        said = f"  {ink.glyphs.waiting} {ink.words('sessions.elsewhere')}"
        left.append(ink.span(said, "info", on))
    if node.relation == "fork" and node.title and node.title != row.chain.title:
        left.append(ink.span(f"  {title_of(node.title, ink)}", "text", on))
    right = [
        ink.span(_right(when(model, node.used), _TIME), "text3", on),
        ink.span(" ", "text", on),
    ]
    return _both_ends(left, right, ink, width, on)


def _rails(rails: tuple[bool, ...], ink: Ink) -> str:
    """` │  ├─ `: one cell in, then three a level."""
    down, dash = ink.glyphs.quote, ink.glyphs.rule
    fork, end = ("├", "└") if down == "│" else (down, "`")
    above = "".join(f"{down if on else ' '}  " for on in rails[:-1])
    own = f"{fork if rails[-1] else end}{dash} " if rails else ""
    return f" {above}{own}"


def _turns(node: SessionNode, ink: Ink) -> str:
    words = ink.words
    if node.relation == "fork" and node.fork_turn is not None:
        return words("sessions.fork_at", turn=node.fork_turn)
    if node.turns == 0:
        return words("sessions.fork" if node.relation == "fork" else "sessions.no_turns")
    if node.turns == 1:
        return words("sessions.turn", turn=node.turns_to)
    return words("sessions.turns", first=node.turns_from, last=node.turns_to)


def title_of(title: str, ink: Ink) -> str:
    """A title on one line; what stands for one that is missing."""
    return title_text(title, ink.words)


def title_text(title: str, words: Words) -> str:
    """The same, in a language."""
    return " ".join(visible(title).split()) or words("sessions.untitled")


def when(model: SessionsModel, at: datetime) -> str:
    """The time today, else the date; with its year where that is another."""
    local = model.local(at)
    if local.date() == model.now.date():
        return f"{local:%H:%M}"
    return f"{local:%m-%d}" if local.year == model.now.year else f"{local:%Y-%m-%d}"


def _both_ends(left: list[Span], right: list[Span], ink: Ink, width: int, on: Token) -> Line:
    blank = ink.style("text", on)
    cut = clip_spans(left, width - width_of(right) - 1, ink.span(ink.ellipsis, "text2", on))
    gap = max(1, width - width_of(cut) - width_of(right))
    return Line((*cut, (" " * gap, blank), *right), blank)


def _right(text: str, width: int) -> str:
    return " " * max(0, width - cell_len(text)) + text


def session_lines(
    model: SessionsModel, chain: Chain, node: SessionNode, ink: Ink, width: int
) -> list[Line]:
    """What is said of one session: its name, when, model, turns, how it ended, how full it was."""
    on: Token = "surface"
    name: Token = "accent"
    letter = chain.letter(node.id)
    title = title_of(chain.title_of(node), ink)
    room = max(1, width - cell_len(letter) - 1 - 7)
    head = [
        ink.span(letter, name, on, bold=True),
        ink.span(f" {clip(title, room, ink.ellipsis)}", "text", on, bold=True),
    ]
    rows: list[tuple[Key, list[Span]]] = [
        ("sessions.when", [ink.span(_span_of_time(model, node, ink), "text2", on)]),
        ("sessions.model", [ink.span(_model(node, ink), "text2", on)]),
        ("sessions.turns_label", [ink.span(_counts(node, ink), "text2", on)]),
        ("sessions.ended", _ended(chain, node, ink, on)),
        ("sessions.peak", _peak(node, ink, on)),
    ]
    lines = [_both_ends(head, [ink.span(short(node.id), "text3", on)], ink, width, on), BLANK_LINE]
    for key, value in rows:
        label = ink.words(key)
        pad = " " * max(1, _LABEL - cell_len(label))
        spans = clip_spans(
            [ink.span(f"{label}{pad}", "text3", on), *value],
            width,
            ink.span(ink.ellipsis, "text2", on),
        )
        lines.append(Line(spans, ink.style("text", on)))
    return lines


def _span_of_time(model: SessionsModel, node: SessionNode, ink: Ink) -> str:
    """`today 11:40 – 13:02`."""
    first, last = model.local(node.created), model.local(node.used)
    dash = "-" if ink.ellipsis == ".." else "–"
    group = model.group(node.created)
    start = f"{first:%H:%M}"
    if group == "today":
        start = ink.words("sessions.on_today", time=start)
    elif group == "yesterday":
        start = ink.words("sessions.on_yesterday", time=start)
    else:
        start = f"{when(model, node.created)} {start}"
    if first.date() == last.date():
        end = f"{last:%H:%M}" if f"{last:%H:%M}" != f"{first:%H:%M}" else ""
    elif last.date() == model.now.date():
        end = ink.words("sessions.on_today", time=f"{last:%H:%M}")
    else:
        end = f"{when(model, node.used)} {last:%H:%M}"
    return f"{start} {dash} {end}" if end else start


def _model(node: SessionNode, ink: Ink) -> str:
    mode = _MODES.get(node.mode, node.mode)
    return visible(f"{node.model} {ink.glyphs.dot} {mode}" if node.model else mode)


def _counts(node: SessionNode, ink: Ink) -> str:
    return ink.words("sessions.counts", turns=node.turns, n=node.messages)


def _ended(chain: Chain, node: SessionNode, ink: Ink, on: Token) -> list[Span]:
    """What came after it."""
    words, glyphs = ink.words, ink.glyphs
    if node.current:
        said = f"{glyphs.current} {words('sessions.current')}"
        return [ink.span(said, "accent", on)]
    if node.live:
        said = f"{glyphs.waiting} {words('sessions.elsewhere')}"
        return [ink.span(said, "info", on)]
    if (child := chain.child(node.id, "summary")) is not None:
        said = words("sessions.into_summary", letter=chain.letter(child.id))
        return [ink.span(f"{glyphs.summary} ", "accent", on), ink.span(said, "text2", on)]
    if (child := chain.child(node.id, "expand")) is not None:
        said = words("sessions.into_expand", letter=chain.letter(child.id))
        return [ink.span(said, "text2", on)]
    if (child := chain.child(node.id, "fork")) is not None:
        said = words("sessions.into_fork", letter=chain.letter(child.id))
        return [ink.span(said, "text2", on)]
    if node.turns_to < 1:
        return [ink.span(words("sessions.no_turns"), "text2", on)]
    return [ink.span(words("sessions.at_turn", turn=node.turns_to), "text2", on)]


def _peak(node: SessionNode, ink: Ink, on: Token) -> list[Span]:
    """A small meter of the largest request; past warn in warn, with its sign (STYLE 6)."""
    if node.peak <= 0:
        return [ink.span(ink.words("sessions.no_peak"), "text3", on)]
    if node.window <= 0:
        return [ink.span(tokens(node.peak), "text2", on)]
    halves = min(2 * _METER, 2 * _METER * node.peak // node.window)
    tone: Token = "warn" if node.past_warn else "accent"
    glyphs = ink.glyphs
    filled = glyphs.heavy * (halves // 2) + glyphs.half * (halves % 2)
    figures = f"{tokens(node.peak)} / {node.window_label}"
    return [
        ink.span(filled, tone, on),
        ink.span(glyphs.rule * (_METER - len(filled)), "line2", on),
        ink.span(f" {glyphs.attention} " if node.past_warn else " ", tone, on),
        ink.span(figures, "text2", on),
    ]
