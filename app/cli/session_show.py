"""What `haima sessions show` prints: what is known of a session, its chain, and its turns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from app.archive.sessions import goes_on
from app.boundary import one_line
from app.cli.session_list import SessionList
from app.cli.table import Column, fit, table_lines
from app.conversation.past import MarkKind, Past, PastMark, PastMessage
from app.conversation.secret_words import without_secrets
from app.text.ages import age, local_time
from app.text.numbers import share, tokens

if TYPE_CHECKING:
    from app.archive.sessions import NodeRecord
    from app.conversation.summary_mark import SummaryMark
    from app.text import Key

_LABEL = 12
"""Cells of the label column."""

_DIGITS = 8
"""Digits of an id that are shown; enough for `--fork ID:MESSAGE`."""

_LONGEST = 200
"""Characters of a prompt that are kept."""

_READ = 4_000
"""Characters of a prompt that are searched for secrets: one that its end would cut, whole."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the past.

    Attributes:
        turn: its number, from the chain's beginning.
        message: the id of the user's message.
        last: the id of the turn's last message: where a fork keeps the whole turn.
        at: when it began, ISO 8601 UTC.
        text: the first line of what the user said, secrets masked as in titles.
    """

    turn: int
    message: str
    last: str
    at: str
    text: str


def turns(past: Iterable[Past]) -> Iterator[Turn | PastMark]:
    """The turns in what was said, with the marks where another session begins between them."""
    open_turn: Turn | None = None
    number = 0
    for item in past:
        match item:
            case PastMessage(message=message, at=at):
                if message.role == "user":
                    if open_turn is not None:
                        yield open_turn
                    number += 1
                    line = message.text.strip()[:_READ].partition("\n")[0]
                    text = without_secrets(line)[:_LONGEST]
                    open_turn = Turn(number, message.id, message.id, at, text)
                elif open_turn is not None and not message.discarded:
                    open_turn = Turn(
                        open_turn.turn, open_turn.message, message.id, open_turn.at, open_turn.text
                    )
            case PastMark():
                if open_turn is not None:
                    yield open_turn
                    open_turn = None
                yield item
            case _:
                pass
    if open_turn is not None:
        yield open_turn


def turn_records(found: Iterable[Turn | PastMark]) -> list[dict[str, object]]:
    """The turns, for `--json`."""
    return [asdict(item) for item in found if isinstance(item, Turn)]


def session_text(
    table: SessionList,
    node: "NodeRecord",
    chain: Sequence["NodeRecord"],
    found: Iterable[Turn | PastMark],
) -> str:
    """All of it.

    Args:
        table: how sessions are shown.
        node: the session.
        chain: all sessions of its chain, agents apart.
        found: its turns, from the chain's beginning.
    """
    lines = [fit(one_line(node.title) or "—", table.columns), ""]
    lines += _facts(table, node, chain)
    if len(chain) > 1:
        lines += ["", table.words("session_list.chain", n=len(chain))]
        lines += table.lines(chain)
    rows = list(_rows(table, found))
    if rows:
        heads: tuple[Key, ...] = (
            "session_list.turn",
            "session_list.fork_here",
            "session_list.at",
            "session_list.prompt",
        )
        turn, here, at, prompt = map(table.words, heads)
        columns = (
            Column(turn, right=True),
            Column(here, keep=2),
            Column(at, keep=1),
            Column(prompt, least=10),
        )
        lines.append("")
        lines += table_lines(columns, rows, width=table.columns, ascii_only=table.ascii_only)
    return "\n".join(lines) + "\n"


def _facts(table: SessionList, node: "NodeRecord", chain: Sequence["NodeRecord"]) -> Iterator[str]:
    """A line a fact: the label, then what is known."""
    words = table.words
    facts: list[tuple[Key, str]] = [("session_list.session", node.id)]
    if node.parent is not None:
        relation = table.relation(node)
        facts.append(("session_list.parent", f"{node.parent} ({relation})"))
    facts.append(("session_list.project", one_line(node.project)))
    facts.append(("session_list.model", one_line(f"{node.model} · {node.mode}")))
    if node.branch:
        facts.append(("session_list.branch", one_line(node.branch)))
    facts.append(("session_list.created", local_time(node.created, table.now)))
    used = f"{local_time(node.used, table.now)} ({age(node.used, table.now, words)})"
    facts.append(("session_list.used", used))
    said = words(
        "session_list.said",
        turns=words("session_list.turn_count", n=node.turns),
        messages=words("session_list.message_count", n=node.messages),
    )
    facts.append(("session_list.size", said))
    if node.prompt:
        facts.append(
            (
                "session_list.tokens",
                words(
                    "session_list.token_figures",
                    prompt=tokens(node.prompt),
                    cached=share(node.cached, node.prompt),
                    completion=tokens(node.completion),
                    peak=tokens(node.peak),
                ),
            )
        )
    if node.summary is not None:
        facts.append(("session_list.summary", _summary(table, node.summary)))
    after = next((one for one in chain if one.parent == node.id and goes_on(one)), None)
    if after is not None:
        facts.append(("session_list.ended", _ended(table, after)))
    if node.undone is not None:
        facts.append(("session_list.undone", local_time(node.undone, table.now)))
    if node.deleted is not None:
        facts.append(("session_list.deleted", local_time(node.deleted, table.now)))
    if node.ledger in table.live and after is None:
        facts.append(("session_list.open", words("session_list.open_now")))
    for label, text in facts:
        name = words(label)
        line = name + " " * max(2, _LABEL - cell_len(name)) + text
        yield fit(line, table.columns, ascii_only=table.ascii_only)


def _summary(table: SessionList, summary: "SummaryMark") -> str:
    """What is known of the summary a session began with."""
    words = table.words
    figures = words(
        "session_list.cut_figures" if summary.how == "cut" else "session_list.summary_figures",
        n=summary.messages,
        tokens=tokens(summary.tokens),
        before=tokens(summary.tokens_before),
        after=tokens(summary.tokens_after),
        arrow=_arrow(table),
    )
    parts = [figures, one_line(summary.model)]
    if summary.generation > 1:
        parts.append(words("session_list.generation", n=summary.generation))
    if summary.focus:
        parts.append(words("session_list.focus", focus=one_line(summary.focus)))
    return _joined(table, *parts)


def _joined(table: SessionList, *parts: str) -> str:
    return (" - " if table.ascii_only else " · ").join(filter(None, parts))


def _ended(table: SessionList, after: "NodeRecord") -> str:
    """What goes on from a session."""
    short = after.id[:_DIGITS]
    if after.relation == "expand":
        return table.words("session_list.into_expand", id=short)
    said = table.words("session_list.into_summary", id=short)
    return said if after.summary is None else _joined(table, table.figures(after.summary), said)


def _arrow(table: SessionList) -> str:
    return "->" if table.ascii_only else "→"


def _rows(table: SessionList, found: Iterable[Turn | PastMark]) -> Iterator[tuple[str, ...]]:
    for item in found:
        match item:
            case Turn():
                at = local_time(item.at, table.now)
                yield str(item.turn), item.last[:_DIGITS], at, one_line(item.text)
            case PastMark():
                yield "", "", "", _mark(table, item)


def _mark(table: SessionList, mark: PastMark) -> str:
    keys: dict[MarkKind, Key] = {
        "summary": "session_list.mark_summary",
        "fork": "session_list.mark_fork",
        "clear": "session_list.mark_clear",
        "expand": "session_list.mark_expand",
    }
    if (summary := mark.summary) is not None:
        return table.words(
            "session_list.mark_cut" if summary.how == "cut" else "session_list.mark_summarised",
            id=mark.node[:_DIGITS],
            n=summary.messages,
            tokens=tokens(summary.tokens),
            arrow=_arrow(table),
        )
    node = mark.parent if mark.kind == "clear" else mark.node
    return table.words(keys[mark.kind], id=node[:_DIGITS])
