"""Facts that the live history shows and that no longer stand so: what is told about them, once.

Nothing is remembered beside the history: which facts it shows, with which words, and what was said
of them since stands in its parts. So a fork, a resume and an undone summary come out right.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Protocol

from app.conversation.messages import CorrectionPart, MemoryPart, Message, Part
from app.memory.facts import Fact
from app.memory.recall_block import line_text
from app.text import LANGUAGES, Key, Words

_BETWEEN: Final = " · "


class Store(Protocol):
    """What is asked of the store (`fact_store.FactStore`)."""

    def get(self, fact_id: str) -> Fact | None:
        """The fact of that id."""

    async def successors(self, ids: Collection[str]) -> Mapping[str, str]:
        """The fact that has the place of each of these, as far as the journal tells.

        Raises:
            StorageError: the journal can't be read.
        """


@dataclass(frozen=True, slots=True)
class Told:
    """What the history says of one fact.

    Attributes:
        content: as its newest line has it.
        correction: what was said of it since; "" nothing.
    """

    content: str
    correction: str = ""


def told_in(messages: Iterable[Message]) -> dict[str, Told]:
    """The facts that a live history shows, by id."""
    found: dict[str, Told] = {}
    for message in messages:
        if message.role != "user":
            continue
        for part in message.parts:
            if isinstance(part, MemoryPart):
                lines = part.text.split("\n")[1:]
                found |= {
                    name: Told(_content(line))
                    for name, line in zip(part.facts, lines, strict=False)
                }
            elif isinstance(part, CorrectionPart) and part.facts and part.facts[0] in found:
                name = part.facts[0]
                found[name] = replace(found[name], correction=part.text)
    return found


def named_in(messages: Iterable[Message]) -> frozenset[str]:
    """The ids of the facts of which a live history shows a line, or what became of one."""
    return frozenset(
        name
        for message in messages
        for part in message.parts
        if isinstance(part, MemoryPart | CorrectionPart)
        for name in part.facts
    )


async def corrections(
    told: Mapping[str, Told],
    store: Store,
    *,
    project: str,
    words: Words,
    mask: Callable[[str], str],
) -> tuple[CorrectionPart, ...]:
    """What is to be said of the facts that are shown; nothing that was said already.

    Args:
        told: `told_in`.
        store: as it is now.
        project: the key of the project that asks.
        words: the language.
        mask: as what is kept is masked.

    Raises:
        StorageError: the journal can't be read.
    """

    def of(name: str) -> Fact | None:
        fact = store.get(name)
        return fact if fact is not None and fact.visible_in(project) else None

    gone = [name for name in told if of(name) is None]
    heirs = await store.successors(gone) if gone else {}
    parts: list[CorrectionPart] = []
    for name, one in told.items():
        fact, heir = of(name), of(heirs.get(name, ""))
        now = None if fact is None else shown(fact.content, mask)
        after = None if heir is None else shown(heir.content, mask)
        if now == one.content and not one.correction:
            continue

        if one.correction and one.correction in {
            mask(_sentence(Words(language), one.content, now, after)) for language in LANGUAGES
        }:
            continue
        about = (name,) if heir is None else (name, heir.id)
        parts.append(CorrectionPart(mask(_sentence(words, one.content, now, after)), about))
    return tuple(parts)


def shown(content: str, mask: Callable[[str], str]) -> str:
    """A fact's text as a line of the block has it, and as it is kept."""
    return mask(line_text(content))


def without(parts: tuple[Part, ...], ids: AbstractSet[str]) -> tuple[Part, ...]:
    """A message's parts without the lines of some facts, and without what was said of them."""
    left: list[Part] = []
    for part in parts:
        if isinstance(part, CorrectionPart) and not ids.isdisjoint(part.facts):
            continue
        if isinstance(part, MemoryPart) and not ids.isdisjoint(part.facts):
            opening, *lines = part.text.split("\n")
            stay = [
                (name, line)
                for name, line in zip(part.facts, lines, strict=False)
                if name not in ids
            ]
            if not stay:
                continue
            text = "\n".join([opening, *(line for _, line in stay)])
            part = MemoryPart(text, tuple(name for name, _ in stay))  # noqa: PLW2901
        left.append(part)
    return tuple(left)


def _sentence(words: Words, old: str, now: str | None, after: str | None) -> str:
    """What is said of a fact that was shown as `old`."""
    if now is not None:
        if now == old:
            return words("recall.again", old=old)
        return words("recall.changed", old=old, new=now)
    if after is not None:
        return words("recall.replaced", old=old, new=after)
    return words("recall.deleted", old=old)


def _content(line: str) -> str:
    """What a line says, without its scope, dates and marks."""
    line = line.removeprefix("- ")
    end = max(line.rfind(f"{_BETWEEN}{scope}{_BETWEEN}") for scope in _scopes())
    return line if end < 0 else line[:end]


@cache
def _scopes() -> tuple[str, ...]:
    """What marks where a fact holds: an earlier block may be in the other language."""
    words = map(Words, LANGUAGES)
    return tuple(one(key) for one in words for key in _SCOPES)


_SCOPES: Final[tuple[Key, ...]] = ("recall.global", "recall.project")
