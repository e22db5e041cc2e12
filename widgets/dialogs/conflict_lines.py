"""The two cards of a conflict: equal fields side by side, what differs marked, evidence last."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from textual.content import Content

from app.boundary import visible
from app.events import ConflictQuestion, ConflictSide, EvidenceLine
from app.text import Key
from app.view.conflict import Stretch, difference
from widgets.cjk_wrap import wrap
from widgets.look import Look
from widgets.rows import EMPTY, clip, clip_path, column, line, spread

_GAP = 2
"""Cells between the cards."""

_MARGIN = 1
"""Cells at either side of a card's text."""

_QUOTE_ROWS = 2
_PLACES = 3
"""Places of evidence a card shows; the rest is counted."""

_LEAST_PLACE = 8

_STATES: dict[str, tuple[str, str]] = {
    "conflicting": ("conflicting", "$danger"),
    "contradicted": ("failed", "$danger"),
    "stale": ("stale", "$stale"),
    "unverified": ("unverified", "$info"),
    "fresh": ("ok", "$ok"),
}
_STATE_WORDS: dict[str, Key] = {
    "conflicting": "memory_list.conflicting",
    "contradicted": "memory_list.contradicted",
    "stale": "memory_list.stale",
    "unverified": "memory_list.unverified",
    "fresh": "memory_list.fresh",
}
_BY: dict[str, tuple[Key, Key]] = {
    "you": ("conflict.by_you", "conflict.by_you_short"),
    "model": ("conflict.by_model", "conflict.by_model_short"),
    "unasked": ("conflict.by_unasked", "conflict.by_unasked_short"),
    "extraction": ("conflict.by_extraction", "conflict.by_extraction_short"),
    "import": ("conflict.by_import", "conflict.by_import_short"),
}

_UNDER = "underline"
_UNDECIDED = "$warn on $warn-bg"
_MARKS = {True: "$ok on $ok-bg", False: "$danger on $danger-bg"}
"""What differs, on the side that evidence supports and on the other one."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How the cards are laid out.

    Attributes:
        look: words and glyphs.
        now: the present, with the user's zone.
        width: cells of both cards and the gap.
        narrow: a compact screen: ages in place of dates, short words (STYLE 3).
        low: few rows: no air, and only the fields that tell most where it is narrow as well.
        native: sixteen colours: a rule parts the cards, whose surface is gone (STYLE 2).
    """

    look: Look
    now: datetime
    width: int
    narrow: bool = False
    low: bool = False
    native: bool = False

    @property
    def card(self) -> int:
        """Cells of one card."""
        return (self.width - _GAP) // 2

    @property
    def inner(self) -> int:
        """Cells of its text."""
        return self.card - 2 * _MARGIN

    def in_width(self, width: int) -> "Frame":
        """The same in so many cells."""
        return replace(self, width=width)

    @property
    def dash(self) -> str:
        """Nothing to say."""
        return "-" if self.look.ascii else "–"


def marks_of(question: ConflictQuestion) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """What differs in the texts as `shown` shows them."""
    found = difference(shown(question.existing), shown(question.incoming))
    return found.existing, found.incoming


def shown(side: ConflictSide) -> str:
    """A fact's text as the card shows it: nothing in it acts on the terminal."""
    return visible(side.content.strip()).expandtabs(4)


def card_rows(
    question: ConflictQuestion,
    marks: tuple[Sequence[Stretch], Sequence[Stretch]],
    frame: Frame,
) -> list[Content]:
    """Both cards, row by row; a field that is longer in one gets as many rows in the other."""
    sides = (
        _Card(question, "existing", marks[0], frame),
        _Card(question, "incoming", marks[1], frame),
    )
    groups = [card.groups() for card in sides]
    rows: list[tuple[Content, Content]] = []
    air = not frame.low
    if air:
        rows.append((EMPTY, EMPTY))
    for number, (left, right) in enumerate(zip(*groups, strict=True)):
        if number and air:
            rows.append((EMPTY, EMPTY))
        for one, other in zip(left, right, strict=True):
            height = max(len(one), len(other))
            rows.extend(zip(_tall(one, height), _tall(other, height), strict=True))
    if air:
        rows.append((EMPTY, EMPTY))
    return [_beside(left, right, frame) for left, right in rows]


def first_marked(rows: Sequence[Content]) -> int:
    """The row of the first mark; 0 where there is none."""
    marked = (at for at, row in enumerate(rows) if any(_UNDER in str(s.style) for s in row.spans))
    return next(marked, 0)


def _tall(rows: list[Content], height: int) -> list[Content]:
    return rows + [EMPTY] * (height - len(rows))


def _beside(left: Content, right: Content, frame: Frame) -> Content:
    gap = line((frame.look.glyphs.quote + " ", "$line")) if frame.native else Content(" " * _GAP)
    return _surface(left, frame) + gap + _surface(right, frame)


def _surface(row: Content, frame: Frame) -> Content:
    padded = Content(" " * _MARGIN) + spread(frame.inner, row, ellipsis=frame.look.glyphs.ellipsis)
    return (padded + " " * _MARGIN).stylize_before("on $raised")


Field = list[Content]
"""The rows of one field."""


class _Card:
    def __init__(
        self, question: ConflictQuestion, name: str, marks: Sequence[Stretch], frame: Frame
    ) -> None:
        self._side = question.existing if name == "existing" else question.incoming
        self._is_new = name == "incoming"
        self._better = question.better == name
        self._tint = _MARKS[self._better] if question.better else _UNDECIDED
        self._marks = marks
        self._frame = frame
        self._words = frame.look.words
        self._glyphs = frame.look.glyphs

    def groups(self) -> tuple[tuple[Field, ...], ...]:
        """Head, text, provenance, evidence: with air between them where there is room."""
        return (self._head(),), (self._text(),), self._provenance(), (self._evidence(),)

    def _head(self) -> Field:
        if self._is_new:
            name = line((self._words("conflict.incoming"), "$accent bold"))
        else:
            name = line((self._words("conflict.existing"), "$text2 bold"))
        glyph, colour = _STATES[self._side.state]
        state = self._words(_STATE_WORDS[self._side.state])
        right = line((f"{getattr(self._glyphs, glyph)} {state}", colour))
        return [spread(self._frame.inner, name, right, self._glyphs.ellipsis)]

    def _text(self) -> Field:
        text, rows, at = shown(self._side), list[Content](), 0
        whole = Content.styled(text, "$text")
        for start, end in self._marks:
            whole = whole.stylize(f"{self._tint} bold {_UNDER}", start, end)
        for paragraph in text.split("\n"):
            for start, end in wrap(paragraph, self._frame.inner):
                rows.append(whole[at + start : at + end])
            at += len(paragraph) + 1
        return rows

    # Where it comes from

    def _provenance(self) -> tuple[Field, ...]:
        written = self._field("conflict.written", self._written())
        checked: Key = "conflict.checked" if self._frame.narrow else "conflict.verified"
        verified = self._field(checked, self._verified())
        if self._frame.narrow and self._frame.low:
            quote = self._quote(self._frame.inner, rows=1) if self._side.quote.strip() else []
            return written, verified, quote
        return (
            written,
            verified,
            self._field("conflict.used", self._used()),
            self._field("conflict.session", self._session()),
            self._labelled_quote(),
        )

    @property
    def _label(self) -> int:
        return 9 if self._frame.narrow else 11

    def _field(self, name: Key, value: str) -> Field:
        label = column(self._words(name), self._label, "$text3", self._glyphs.ellipsis)
        room = self._frame.inner - self._label
        return [label + line((clip(value, room, self._glyphs.ellipsis), "$text2"))]

    def _written(self) -> str:
        author = self._side.author if self._side.asked else "unasked"
        written, (plain, short) = self._side.written, _BY[author]
        if self._is_new and written is None:
            brief = self._frame.narrow or self._side.author == "you"
            return self._words(short if brief else plain, when=self._words("conflict.now"))
        if written is None:
            return self._words(short, when=self._words("conflict.unknown_date"))
        if self._frame.narrow:
            return self._words(short, when=self._ago(written))
        return self._words(plain, when=self._day(written).isoformat())

    def _verified(self) -> str:
        verified = self._side.verified
        if verified is None:
            return self._frame.dash if self._is_new else self._words("conflict.never")
        ago = self._ago(verified)
        if self._frame.narrow:
            return ago
        return f"{self._day(verified).isoformat()} {self._glyphs.dot} {ago}"

    def _used(self) -> str:
        if self._side.used:
            return self._words("conflict.turns", n=self._side.used)
        return self._frame.dash if self._is_new else self._words("conflict.never")

    def _session(self) -> str:
        node = f"#{self._side.node[:4]}" if self._side.node else ""
        title = visible(self._side.session).replace("\n", " ")
        room = self._frame.inner - self._label - len(node) - 1
        return f"{clip(title, room, self._glyphs.ellipsis)} {node}".strip() or self._frame.dash

    def _labelled_quote(self) -> Field:
        label = column(self._words("conflict.quote"), self._label, "$text3", self._glyphs.ellipsis)
        first, *more = self._quote(self._frame.inner - self._label, rows=_QUOTE_ROWS)
        return [label + first, *(Content(" " * self._label) + row for row in more)]

    def _quote(self, width: int, *, rows: int) -> Field:
        """The user's words; what doesn't fit in so many rows is cut inside the marks."""
        words = " ".join(visible(self._side.quote).split())
        if not words:
            return [line((self._frame.dash, "$text2"))]
        opening, closing = ('"', '"') if self._frame.look.ascii else ("「", "」")
        quoted = f"{opening}{words}{closing}"
        lines = wrap(quoted, width)
        if len(lines) > rows:
            last = lines[rows - 1][0]
            room = width - Content(closing).cell_length
            kept = clip(quoted[last:], room, self._glyphs.ellipsis) + closing
            return [
                *(line((quoted[start:end], "$text2")) for start, end in lines[: rows - 1]),
                line((kept, "$text2")),
            ]
        return [line((quoted[start:end], "$text2")) for start, end in lines]

    def _day(self, moment: datetime) -> date:
        return moment.astimezone(self._frame.now.tzinfo).date()

    def _ago(self, moment: datetime) -> str:
        days = (self._frame.now.date() - self._day(moment)).days
        if days <= 0:
            return self._words("conflict.today")
        key: Key = "conflict.days_ago_short" if self._frame.narrow else "conflict.days_ago"
        return self._words(key, n=days)

    # What the project's files say

    def _evidence(self) -> Field:
        badge = self._badge()
        places = self._side.evidence
        if not places:
            said = line((f"{self._glyphs.dot} {self._words('conflict.no_evidence')}", "$text3"))
            return [spread(self._frame.inner, said, badge, self._glyphs.ellipsis)]
        rows = [self._place(places[0], badge)]
        if len(places) <= _PLACES:
            return rows + [self._place(place, EMPTY) for place in places[1:]]
        rows += [self._place(place, EMPTY) for place in places[1 : _PLACES - 1]]
        more = self._words("conflict.more_evidence", n=len(places) - _PLACES + 1)
        return [*rows, line((f"{self._glyphs.ellipsis} {more}", "$text3"))]

    def _badge(self) -> Content:
        if not self._better:
            return EMPTY
        if self._frame.narrow:
            return line((self._words("conflict.better_short"), "$ok bold"))
        return line((f"{self._glyphs.ok} {self._words('conflict.better')}", "$ok bold"))

    def _place(self, evidence: EvidenceLine, badge: Content) -> Content:
        holds = evidence.kind == "supports"
        glyph = self._glyphs.ok if holds else self._glyphs.failed
        says = self._says(evidence)
        taken = 4 + says.cell_length + (badge.cell_length + 2 if badge else 0)
        room = max(_LEAST_PLACE, self._frame.inner - taken)
        place = clip_path(visible(evidence.place), room, self._glyphs.ellipsis)
        left = (
            line((f"{glyph} ", "$ok" if holds else "$danger"), (place, "$text"), ("  ", "")) + says
        )
        return spread(self._frame.inner, left, badge, self._glyphs.ellipsis)

    def _says(self, evidence: EvidenceLine) -> Content:
        if evidence.says:
            value = " ".join(visible(evidence.says).split())
            return line((self._words("conflict.says", value=value), "$text3"))
        key: Key = "conflict.is_gone" if evidence.gone else "conflict.is_there"
        return line((self._words(key), "$text3"))
