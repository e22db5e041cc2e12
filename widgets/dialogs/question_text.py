"""The text of an approval: what will run, marked where it is dangerous, and what it risks."""

from textual.content import Content

from app.boundary import visible
from app.events import ApprovalQuestion, DiffLine, Finding, Severity
from widgets.cjk_wrap import fold_code, wrap
from widgets.look import Look
from widgets.rows import column, line, spread, stack

_LABEL = 16
_DIFF_ROWS = 200
_MARGIN = 9
"""Cells before a line's text: its number and its sign."""

_COLOURS: dict[Severity, str] = {
    "ok": "$text2",
    "info": "$text2",
    "warn": "$warn",
    "danger": "$danger",
}


def _marked(text: str, spans: tuple[tuple[int, int], ...]) -> Content:
    """`text` with its control characters visible and the dangerous stretches in danger.

    Each stretch is made visible by itself, so that the marks stay where they belong.
    """
    pieces, at = [], 0
    for first, last in sorted(spans):
        start = max(first, at)
        pieces += [(text[at:start], "$text"), (text[start:last], "$danger bold")]
        at = max(last, at)
    pieces.append((text[at:], "$text"))
    return line(*((visible(piece), style) for piece, style in pieces))


def subject_rows(
    question: ApprovalQuestion, width: int, look: Look, *, edited: str | None = None
) -> Content:
    """What will happen, exactly: the command with every space, or the path and the change."""
    sign = "$ " if question.risk == "command" else "  " if question.diff else ""
    if edited is None:
        whole = _marked(question.subject, question.marked)
    else:
        whole = line((visible(edited), "$text"))
    rows: list[Content] = []
    for physical in whole.split("\n", allow_blank=True):
        for start, end in fold_code(physical.plain, max(1, width - len(sign))):
            lead = sign if not rows and sign.strip() else " " * len(sign)
            rows.append(line((lead, "$text3")) + physical[start:end])
    rows.extend(_diff_rows(question.diff, width, look))
    return stack(rows)


def _diff_rows(diff: tuple[DiffLine, ...], width: int, look: Look) -> list[Content]:
    """The lines of a change; a long one goes on in the next row, nothing is cut."""
    rows: list[Content] = []
    for changed in diff[:_DIFF_ROWS]:
        colour, fill = {"+": ("$ok", "$ok-bg"), "-": ("$danger", "$danger-bg")}.get(
            changed.sign, ("$text3", "")
        )
        text = visible(changed.text).expandtabs(4)
        for start, end in fold_code(text, max(1, width - _MARGIN)):
            lead = f"{changed.number:>6} " if start == 0 else " " * 7
            row = line(
                (lead, "$text3"),
                (f"{changed.sign} ", colour),
                (text[start:end], "$text" if fill else "$text3"),
            )
            row = spread(width, row, ellipsis=look.glyphs.ellipsis)
            rows.append(row.stylize_before(f"on {fill}") if fill else row)
    if len(diff) > _DIFF_ROWS:
        more = look.words("approval.more_lines", n=len(diff) - _DIFF_ROWS)
        rows.append(line((f"  {look.glyphs.ellipsis} {more}", "$text3")))
    return rows


def finding_rows(
    findings: tuple[Finding, ...], width: int, look: Look, *, most: int = 100
) -> Content:
    """One risk a row, worst first; a long one goes on under its own column.

    What goes beyond `most` rows is counted in the last one.
    """
    rows: list[Content] = []
    for finding in findings:
        grave = finding.severity in ("warn", "danger")
        colour = _COLOURS[finding.severity]
        glyph = look.glyphs.attention if grave else look.glyphs.dot
        head = line((f"{glyph} ", f"{colour} bold" if grave else "$text3"))
        head += column(visible(finding.label), _LABEL, colour, look.glyphs.ellipsis)
        text = visible(finding.text).replace("\n", " ")
        for start, end in wrap(text, max(1, width - head.cell_length)):
            lead = head if start == 0 else Content(" " * head.cell_length)
            rows.append(lead + line((text[start:end], "$text2")))
    if len(rows) > most:
        more = look.words("approval.more_lines", n=len(rows) - most + 1)
        rows[most - 1 :] = [line((f"{look.glyphs.ellipsis} {more}", "$text3"))]
    return stack(rows)


def queue_dots(waiting: int, look: Look) -> Content:
    """`● ○  1 of 2`: how many questions wait behind this one; nothing when none does."""
    if not waiting:
        return Content("")
    dots = " ".join([look.glyphs.current, *[look.glyphs.waiting] * min(waiting, 6)])
    total = look.words("approval.one_of", n=waiting + 1)
    return line((dots[0], "$accent"), (dots[1:], "$text3"), (f"  {total}", "$text2"))
