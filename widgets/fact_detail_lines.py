"""What is said of one fact: where it comes from, what waits, the files' evidence, its history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, cast

from rich.cells import cell_len

from app.boundary import visible
from app.text import Key
from app.text.ages import local_time, short_age
from app.view.conflict import Stretch, difference
from app.view.facts_record import FactDetail, FactItem, Happened, Proof, Waiting
from widgets.fact_lines import one_line, scope_word, state_sign, state_word
from widgets.palette import Token
from widgets.pen import Pen, to_left
from widgets.rows import clip, clip_path
from widgets.spans import BLANK_LINE, Line, Span, clip_spans, width_of, wrap_spans

_LABEL: Final = 10
_MOST: Final = 40
"""Rows of what happened; the rest is counted."""

_SHORT: Final = 4
"""Letters of a word that names something, unless it is written in capitals."""

_ROWS: Final = 3
"""Of a text that was replaced so many rows are shown at most, what changed among them."""


@dataclass(frozen=True, slots=True)
class Target:
    """What Enter on a row opens: the source session, what waits, a file at a line."""

    kind: Literal["session", "waiting", "file"]
    name: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class DetailLine:
    """A row; one with a target can have the cursor."""

    line: Line
    target: Target | None = None


_GAP: Final = DetailLine(BLANK_LINE)


def detail_lines(detail: FactDetail, width: int, now: datetime, pen: Pen) -> list[DetailLine]:
    """All of it.

    Args:
        detail: the fact.
        width: cells.
        now: the present, in the user's zone.
        pen: with what.
    """
    item = detail.item
    sign, tone = state_sign(item.state, pen.glyphs)
    state = pen(f"{sign} {state_word(item.state, pen)}", tone)
    pin = (pen(f"  {pen.glyphs.pinned} {pen.say('facts.pinned')}", "accent"),) * item.pinned
    scope = pen(scope_word(item.scope, pen), "text3")
    rows = [DetailLine(pen.spread(width, (state, *pin), (scope,))), _GAP]
    for part in visible(item.content).split("\n"):
        spans = (pen(part.replace("\t", "    "), "text", bold=True),)
        rows += [DetailLine(Line(one, pen.blank)) for one in wrap_spans(spans, width)]
    rows.append(_GAP)
    rows += _origin(detail, width, now, pen)
    groups = (
        ("facts.waits", [_waiting(one, item, width, now, pen) for one in item.waits]),
        ("facts.evidence", _evidence(item.proofs, width, pen)),
        ("facts.history", _history(detail, width, now, pen)),
    )
    for title, lines in groups:
        if lines:
            heading = Line((pen(pen.say(cast("Key", title)), "text3"),), pen.blank)
            rows += [_GAP, DetailLine(heading), *lines]
    return rows


def source_word(of: FactItem | Waiting, pen: Pen, *, short: bool = False) -> str:
    """Who wrote it: `you`, `model on request`; `on request` where there is less room."""
    source = of.source if of.asked else "unasked"
    return pen.say(cast("Key", f"facts.by_{source}_short" if short else f"facts.by_{source}"))


def _origin(detail: FactDetail, width: int, now: datetime, pen: Pen) -> list[DetailLine]:
    item = detail.item
    written = f"  {_time(item.written, now)}" if item.written else ""
    who = source_word(item, pen)
    if cell_len(who + written) > width - _LABEL:
        who = source_word(item, pen, short=True)
    rows = _row("facts.source", [pen(who, "text"), pen(written, "text3")], width, pen)
    if item.node:
        name = one_line(detail.session) or pen.say("sessions.untitled")
        room = max(1, width - _LABEL - 8)
        title = pen.ink.palette.style("text", pen.on, underline=detail.there)
        spans: list[Span] = [(clip(name, room, pen.glyphs.ellipsis), title)]
        if not detail.session:
            spans = []
        gap = "  " if spans else ""
        spans.append(pen(f"{gap}#{visible(item.node[:4])}", "text3"))
        target = Target("session", item.node) if detail.there else None
        rows += _row("facts.session", spans, width, pen, target=target)
    if item.quote:
        first, last = ('"', '"') if pen.letters else ("「", "」")
        said = [pen(f"{first}{one_line(item.quote)}{last}", "text")]
        rows += _row("facts.quote", said, width, pen, hang=1 if pen.letters else 2)
    if item.external:
        names = pen.say("fact.list").join(visible(one) for one in item.external)
        rows += _row("facts.external", [pen(names, "warn")], width, pen)
    return rows + _row("facts.verified", [_verified(item, now, pen)], width, pen)


def _verified(item: FactItem, now: datetime, pen: Pen) -> Span:
    if item.verified is None:
        return pen(pen.say("facts.never"), "text2")
    days = max(0, (now - item.verified).days)
    said = pen.say("facts.verified_days", n=days) if days else pen.say("facts.verified_today")
    return pen(said, "stale" if item.state == "stale" else "text2")


def _row(
    label: str,
    spans: Sequence[Span],
    width: int,
    pen: Pen,
    *,
    hang: int = 0,
    target: Target | None = None,
) -> list[DetailLine]:
    """A label, and words that go on under themselves."""
    room = max(8, width - _LABEL)
    lines = wrap_spans(list(spans), room)
    if hang and len(lines) > 1:
        rest = "".join(text for text, _ in spans)[len("".join(text for text, _ in lines[0])) :]
        more = wrap_spans([(rest.lstrip(), spans[0][1])], max(8, room - hang))
        lines = [lines[0], *((pen(" " * hang), *one) for one in more)]
    rows: list[DetailLine] = []
    for number, one in enumerate(lines):
        name = to_left(pen.say(cast("Key", label)), _LABEL) if number == 0 else " " * _LABEL
        rows.append(DetailLine(Line((pen(name, "text3"), *one), pen.blank), target))
        target = None
    return rows


def _waiting(one: Waiting, item: FactItem, width: int, now: datetime, pen: Pen) -> DetailLine:
    """`? … builds on Java 21  on request · 2m`, what differs marked."""
    age = short_age(one.at.isoformat(), now, pen.words)
    who = f"{source_word(one, pen, short=True)} {pen.glyphs.dot} {age}"
    right = pen(who, "text3")
    room = max(8, width - 2 - width_of((right,)) - 2)
    existing, incoming = one_line(item.content), one_line(one.content)
    stretches = difference(existing, incoming).incoming
    spans = _marked(incoming, stretches, room, pen, "text", "ok")
    sign = pen(f"{pen.glyphs.unverified} ", "info")
    return DetailLine(pen.spread(width, (sign, *spans), (right,)), Target("waiting", one.id))


def _marked(
    text: str, stretches: Sequence[Stretch], room: int, pen: Pen, tone: Token, mark: Token
) -> tuple[Span, ...]:
    """The text with its stretches marked, in so many cells; its beginning gives way first."""
    style = pen.ink.palette.style(mark, pen.on, bold=True, underline=True)
    ellipsis = pen.glyphs.ellipsis
    latest = stretches[0][0] if stretches else 0
    starts = [0, *(at + 1 for at in range(latest) if text[at] == " ")]
    for start in starts:
        lead = [pen(f"{ellipsis} ", tone)] if start else []
        spans: list[Span] = list(lead)
        at = start
        for first, last in stretches:
            spans += [pen(text[at:first], tone), (text[first:last], style)]
            at = last
        spans.append(pen(text[at:], tone))
        if width_of(spans) <= room or start == starts[-1]:
            return clip_spans([one for one in spans if one[0]], room, pen(ellipsis, "text3"))
    return ()


def _evidence(proofs: Sequence[Proof], width: int, pen: Pen) -> list[DetailLine]:
    rows = [_proof(one, width, pen) for one in proofs]
    quoted = next((one for one in proofs if one.line and one.text), None)
    if quoted is not None:
        rows.append(DetailLine(_quoted(quoted, width, pen)))
    return rows


def _proof(one: Proof, width: int, pen: Pen) -> DetailLine:
    """`✗ pom.xml:12  says 21`."""
    glyphs = pen.glyphs
    tone: Token = "ok" if one.supports else "danger"
    place = f":{one.line:,}" if one.line else ""
    says = visible(one.says)
    if one.reason == "value":
        right = [pen(f"{pen.say('facts.says')} ", "text3")]
        right.append(pen(says, "text" if one.supports else "danger", bold=not one.supports))
    else:
        missing = pen.say(cast("Key", f"facts.{one.reason}"), name=says)
        right = [pen(missing, "text3" if one.supports else "danger")]
    fitting = clip_spans(right, max(6, width // 2), pen(glyphs.ellipsis, "text3"))
    room = max(4, width - 2 - width_of(fitting) - len(place) - 1)
    left = (
        pen(f"{glyphs.ok if one.supports else glyphs.failed} ", tone),
        pen(clip_path(visible(one.file), room, glyphs.ellipsis), "text"),
        pen(place, "text3"),
    )
    return DetailLine(pen.spread(width, left, fitting), Target("file", one.file, one.line))


def _quoted(one: Proof, width: int, pen: Pen) -> Line:
    """`  12 <maven.compiler.release>21</…`, the value in bold."""
    pen = pen.upon("raised")
    text, says = one_line(one.text), visible(one.says)
    lead = f"  {one.line} "
    at = text.find(says) if says else -1
    room = width - len(lead)
    if at + len(says) > room - 1 and at > 4:
        text, at = f"{pen.glyphs.ellipsis}{text[at - 4 :]}", 4 + len(pen.glyphs.ellipsis)
    spans = [pen(lead, "text3")]
    if at >= 0:
        end = at + len(says)
        spans += [pen(text[:at], "text2"), pen(says, "text", bold=True), pen(text[end:], "text2")]
    else:
        spans.append(pen(text, "text2"))
    cut = clip_spans(spans, width, pen(pen.glyphs.ellipsis, "text3"))
    return Line((*cut, (" " * max(0, width - width_of(cut)), pen.blank)), pen.blank)


def _history(detail: FactDetail, width: int, now: datetime, pen: Pen) -> list[DetailLine]:
    item, rows = detail.item, list[DetailLine]()
    for waiting in item.waits:
        said = [pen(_incoming(waiting, item, pen), "text2")]
        rows += _event(pen.glyphs.conflicting, "danger", waiting.at, said, width, now, pen)
    happened = detail.history or ()
    for one in happened[:_MOST]:
        sign, tone = _sign(one, pen)
        rows += _event(sign, tone, one.at, _told(one, width, pen), width, now, pen)
    if (more := len(happened) - _MOST) > 0:
        rest = pen(f"   {pen.say('facts.more', n=more)}", "text3")
        rows.append(DetailLine(Line((rest,), pen.blank)))
    return rows


def _event(
    sign: str, tone: Token, at: datetime, said: Sequence[Span], width: int, now: datetime, pen: Pen
) -> list[DetailLine]:
    """`✓  10-27  verified by you`; long words go on under themselves."""
    local = at.astimezone(now.tzinfo)
    date = f"{local:%m-%d}" if local.year == now.year else f"{local:%Y}"
    lead = (pen(to_left(sign, 3), tone), pen(to_left(date, _LABEL - 3), "text3"))
    under = (pen(" " * _LABEL, "text3"),)
    lines = wrap_spans(list(said), max(8, width - _LABEL))
    return [
        DetailLine(Line((*(under if number else lead), *line), pen.blank))
        for number, line in enumerate(lines)
    ]


def _incoming(one: Waiting, item: FactItem, pen: Pen) -> str:
    """`conflict: incoming Java 21`: what differs, with the word before it that says of what."""
    text = one_line(one.content)
    stretches = difference(one_line(item.content), text).incoming
    if stretches:
        first, last = stretches[0][0], stretches[-1][1]
        before = text[:first].rstrip()
        while before and _is_small(word := before[before.rfind(" ") + 1 :]):
            before = before[: -len(word)].rstrip()
        text = text[before.rfind(" ") + 1 : last] if before else text[first:last]
    return pen.say("facts.conflict_incoming", text=text)


def _is_small(word: str) -> bool:
    """`is`, `on`, `=`: a word that says nothing of what stands behind it."""
    return word.isascii() and word == word.lower() and len(word) < _SHORT


def _sign(one: Happened, pen: Pen) -> tuple[str, Token]:
    glyphs = pen.glyphs
    signs: dict[str, tuple[str, Token]] = {
        "written": ("+", "accent"),
        "replaced": (glyphs.arrow, "text2"),
        "changed": (glyphs.arrow, "text2"),
        "verified": (glyphs.ok, "ok"),
        "deleted": (glyphs.failed, "text3"),
        "restored": (glyphs.restore, "text2"),
        "pinned": (glyphs.pinned, "accent"),
        "used": (glyphs.dot, "text3"),
    }
    return signs[one.what]


def _told(one: Happened, width: int, pen: Pen) -> list[Span]:
    """What happened; of a text that is gone, what the new one says otherwise is marked."""
    if one.what == "used":
        return [pen(pen.say("facts.did_used", n=one.count), "text2")]
    if one.what == "written" and one.source in ("import", "extraction"):
        return [pen(pen.say(cast("Key", f"facts.did_{one.source}")), "text2")]
    if one.what not in ("replaced", "changed"):
        who = pen.say(cast("Key", f"facts.who_{one.source}"))
        return [pen(pen.say(cast("Key", f"facts.did_{one.what}"), who=who), "text2")]
    before, after = one_line(one.before or ""), one_line(one.after or "")
    said = pen.say(cast("Key", f"facts.did_{one.what}"), text="")
    room = _ROWS * max(8, width - _LABEL) - width_of((pen(said, "text2"),)) - _ROWS
    stretches = difference(before, after).existing
    return [pen(said, "text2"), *_marked(before, stretches, room, pen, "text2", "text")]


def _time(at: datetime, now: datetime) -> str:
    return local_time(at.isoformat(), now)
