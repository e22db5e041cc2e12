"""One line on each thing that left the context and how to ask for it; kept by code (DESIGN 4)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from app.boundary import safe_name, visible
from app.compaction.clear import EXCLUDED
from app.compaction.note import read_call
from app.compaction.pointer import asked, history_call
from app.conversation.messages import Message, Said
from app.conversation.offloaded import Offloaded
from app.conversation.standing import PLAIN, Standing
from app.conversation.truncate import clip
from app.conversation.window import RULES, Rules
from app.text import Words

_ABOUT = 60
"""Characters of a message of the user that tell which it was."""

_LEAST = 8
"""Tokens of a line, at least: with less left no other one is looked at."""


def references_for(
    replaced: Sequence[Message],
    *,
    files: Mapping[str, Offloaded],
    standings: Mapping[str, Standing],
    words: Words,
    tokens: Callable[[str], int],
    budget: int,
    root: str = "",
    rules: Rules = RULES,
) -> tuple[str, ...]:
    """The lines, the most useful first: files, the newest results, then what earlier ones said.

    Args:
        replaced: the messages that leave, in order; an earlier summary among them hands on its
            lines.
        files: of results whose content is in a file, by message id.
        standings: how messages stand, by id.
        words: the language of results.
        tokens: estimates a text (`Meter.text_tokens`).
        budget: tokens for all of them.
        root: the project's folder (`asked`).
        rules: the numbers.
    """
    calls = {call.id: call for message in replaced for call in message.calls}
    moved: list[str] = []
    results: list[str] = []
    carried = [line for one in replaced if one.summary for line in one.summary.references]
    seen: set[tuple[str, str]] = set()
    for message in reversed(replaced):
        tool = message.tool or ""
        if message.role != "tool" or tool.strip().casefold() in EXCLUDED:
            continue
        about = asked(calls.get(message.call_id or ""), rules.asked, root)
        file = files.get(message.id)
        if file is not None:
            call = read_call(file.path)
            moved.append(_line(words, tool, about, call, file.characters))
            continue
        whole = standings.get(message.id, PLAIN).state == "live"
        size = len(message.text) if whole else None
        # The newest of equal calls says what the others said, or what is true by now.
        if (size is not None and size < rules.clear_smallest) or (tool, about) in seen:
            continue
        seen.add((tool, about))
        results.append(_line(words, tool, about, history_call(message.id), size))
    return within((*moved, *results, *carried), tokens, budget)


def said_reference(words: Words, said: Said) -> str:
    """The line on a message of the user that had no room."""
    about = clip(visible(" ".join(said.text[: 8 * _ABOUT].split())), _ABOUT)
    characters = f"{len(said.text):,}"
    return words(
        "front.reference_said", about=about, characters=characters, call=history_call(said.id)
    )


def within(lines: Iterable[str], tokens: Callable[[str], int], budget: int) -> tuple[str, ...]:
    """The lines that a budget holds, each once, the first ones first."""
    return tuple(_within(lines, tokens, budget))


def _within(lines: Iterable[str], tokens: Callable[[str], int], budget: int) -> Iterator[str]:
    for line in dict.fromkeys(lines):
        if budget < _LEAST:
            return
        cost = tokens(line) + 2  # its line end, and for rounding
        if cost <= budget:
            budget -= cost
            yield line


def _line(words: Words, tool: str, about: str, call: str, size: int | None) -> str:
    name = safe_name(tool)
    if size is None and about:
        return words("front.reference_unsized", tool=name, asked=about, call=call)
    if size is None:
        return words("front.reference_bare", tool=name, call=call)
    characters = f"{size:,}"
    if about:
        return words("front.reference", tool=name, asked=about, characters=characters, call=call)
    return words("front.reference_unasked", tool=name, characters=characters, call=call)
