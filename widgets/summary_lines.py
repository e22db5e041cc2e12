"""The dividers of summaries, as lines (STYLE 14; mocks 01c, 01d, 01e)."""

from app.text import Key, Words
from app.text.numbers import in_k, tokens
from app.view.items import ExpandedItem, SummarisingItem, SummaryMarkItem
from widgets.ink import Ink, duration
from widgets.item_lines import divider, told_parts, under_divider
from widgets.palette import Token
from widgets.spans import Line, Span

_LEAST = 100
"""Tokens below which only that is said."""


def summarising_line(item: SummarisingItem, ink: Ink, width: int, now: float) -> Line:
    """`──── ⠼ summarising 42 messages  8.2s  Esc keep the history ────`."""
    seconds, words = now - item.started, ink.words
    label = [
        ink.span(f"{ink.glyphs.frame(seconds)} ", "accent"),
        ink.span(words("transcript.summarising", n=item.count), "text2"),
    ]
    if item.pieces > 1:
        piece = words("transcript.summarising_piece", done=item.done, pieces=item.pieces)
        label.append(ink.span(f" {ink.glyphs.dot} {piece}", "text2"))
    label += [
        ink.span(f"  {duration(seconds)}", "accent"),
        ink.span("  Esc", "text2"),
        ink.span(f" {words('transcript.keep_history')}", "text3"),
    ]
    return divider(label, ink, width)


def summary_mark_lines(item: SummaryMarkItem, ink: Ink, width: int, *, focused: bool) -> list[Line]:
    """`──── summarised 42 messages → 1,204 tokens  ↩ undo ────`, and what was kept beside it."""
    on: Token = "accent_bg" if focused else "bg"
    label = [ink.span(_summarised(item, ink), "text2", on), *_ways(item, ink, on)]
    lines = [divider(label, ink, width)]
    for said in _kept(item, ink.words):
        lines += under_divider(said, ink, width)
    return lines


def expanded_lines(item: ExpandedItem, ink: Ink, width: int, *, focused: bool) -> list[Line]:
    """`──── expanded: 42 messages are back · +112.8k  ↩ undo ────`."""
    on: Token = "accent_bg" if focused else "bg"
    words, values = ink.words, {"dot": ink.glyphs.dot, "tokens": tokens(item.tokens)}
    if not item.count:
        said = words("transcript.expanded_some")
    elif not item.tokens:
        said = words("transcript.expanded_bare", n=item.count)
    else:
        said = words("transcript.expanded", n=item.count, **values)
    label = [ink.span(said, "text2", on)]
    if item.undoable:
        label += _undo(ink, on)
    lines = [divider(label, ink, width)]
    if item.paused:
        key: Key = "transcript.summaries_rest" if item.undoable else "transcript.summaries_paused"
        lines += under_divider(words(key), ink, width)
    return lines


def _summarised(item: SummaryMarkItem, ink: Ink) -> str:
    words, glyphs = ink.words, ink.glyphs
    if item.cut:
        freed = tokens(item.freed)
        return words("transcript.left_out", n=item.count, dot=glyphs.dot, freed=freed)
    if not item.count:
        return words("transcript.summarised_some")
    if not item.tokens:
        return words("transcript.summarised_bare", n=item.count)
    return words("transcript.summarised", n=item.count, arrow=glyphs.arrow, tokens=item.tokens)


def _ways(item: SummaryMarkItem, ink: Ink, on: Token) -> list[Span]:
    """The ways back: undo while nothing followed, then expand, where it still stands, or branch."""
    if item.undoable:
        return _undo(ink, on)
    words, between = ink.words, f" {ink.glyphs.dot} "
    first = "transcript.is_expanded" if item.expanded else "transcript.expand"
    spans = [ink.span("  ", "text3", on)]
    if item.expanded or item.stands:
        tone: Token = "text3" if item.expanded else "text2"
        spans += [ink.span(words.named(first), tone, on), ink.span(between, "text3", on)]
    return [*spans, ink.span(words("transcript.branch"), "text2", on)]


def _undo(ink: Ink, on: Token) -> list[Span]:
    return [
        ink.span(f"  {ink.glyphs.restore}", "accent", on),
        ink.span(f" {ink.words('transcript.undo')}", "text2", on),
    ]


def _kept(item: SummaryMarkItem, words: Words) -> list[str]:
    """What stands beside the summary's text, a sentence for each kind there is of it."""
    kept, sentences = item.kept, []
    comma = words("transcript.comma")
    if told := told_parts(kept, words):
        said = words("transcript.recovery", what=comma.join(told))
        sentences.append(f"{said}  {_size(kept.recovery_tokens)}")
    yours = words("transcript.kept_said", n=kept.said) if kept.said else ""
    pins = words("transcript.kept_pins", n=kept.pins) if kept.pins else ""
    if both := words("transcript.kept_both", said=yours, pins=pins) if yours and pins else "":
        yours, pins = both, ""
    if what := yours or pins:
        said = words("transcript.word_for_word", what=what)
        sentences.append(f"{said}  {_size(kept.said_tokens)}")
    return sentences


def _size(tokens: int) -> str:
    """`1.9k`; `< 0.1k` where so much isn't there."""
    return in_k(tokens) if tokens >= _LEAST else f"< {in_k(_LEAST)}"
