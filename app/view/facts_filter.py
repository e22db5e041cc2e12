"""What the memory browser lists: words, and `is:stale by:you in:project` (mock 02).

What the rail switches on stands in the same text, so one line says all that is filtered.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from app.view.facts_record import FactItem

Kind = Literal["is", "by", "in"]

_NAMES: Final[Mapping[Kind, Mapping[str, tuple[str, ...]]]] = {
    "is": {
        "fresh": ("fresh", "有效"),
        "stale": ("stale", "过时"),
        "unverified": ("unverified", "未核实"),
        "contradicted": ("contradicted", "与文件不符"),
        "conflicting": ("conflicting", "冲突"),
        "pinned": ("pinned", "常驻", "固定"),
    },
    "by": {
        "you": ("you", "你"),
        "model": ("model", "request", "模型"),
        "extraction": ("extracted", "extraction", "自动提取"),
        "import": ("imported", "导入"),
    },
    "in": {
        "project": ("project", "项目"),
        "global": ("global", "全局"),
    },
}
"""Each value's names; the first is what the rail writes, a beginning of one is enough."""

PINNED: Final = "pinned"


def folded(text: str) -> str:
    """Text as it is compared: without case and width."""
    return unicodedata.normalize("NFKC", text).casefold()


@dataclass(frozen=True, slots=True)
class FactFilter:
    """What is asked for; values of one kind are alternatives, all else must hold.

    Attributes:
        words: each stands in the text, or begins the id.
        wanted: values by kind; a kind that isn't there leaves all.
        pinned: only pinned ones.
    """

    words: tuple[str, ...] = ()
    wanted: Mapping[Kind, frozenset[str]] = field(default_factory=dict)
    pinned: bool = False

    def __bool__(self) -> bool:
        return bool(self.words or self.wanted or self.pinned)

    def takes(self, item: FactItem, content: str) -> bool:
        """Whether a fact is listed.

        Args:
            item: the fact.
            content: its text, `folded`.
        """
        for kind, values in self.wanted.items():
            if _value(item, kind) not in values:
                return False
        if self.pinned and not item.pinned:
            return False
        return all(word in content or item.id.startswith(word) for word in self.words)

    def has(self, kind: Kind, value: str) -> bool:
        """Whether a value is asked for."""
        return self.pinned if value == PINNED else value in self.wanted.get(kind, ())


def parse_filter(text: str) -> FactFilter:
    """What was typed; `is:` with something unknown behind it is a word like others."""
    words: list[str] = []
    wanted: dict[Kind, set[str]] = {}
    pinned = False
    for word in folded(text).split():
        asked = _asked(word)
        if asked is None:
            words.append(word)
            continue
        kind, values = asked
        pinned = pinned or values == {PINNED}
        if states := values - {PINNED}:
            wanted.setdefault(kind, set()).update(states)
    found = {kind: frozenset(values) for kind, values in wanted.items()}
    return FactFilter(tuple(words), found, pinned)


def toggled(text: str, kind: Kind, value: str) -> str:
    """The text with a value switched on, or off where it is on; other words stay."""
    on = parse_filter(text).has(kind, value)
    kept = [word for word in text.split() if not _means(word, kind, value)]
    return " ".join(kept if on else [*kept, _token(kind, value)])


def only(text: str, kind: Kind, value: str | None) -> str:
    """The text with this value alone of its kind; None: with none."""
    kept = [word for word in text.split() if (asked := _asked(folded(word))) is None
            or asked[0] != kind]  # fmt: skip
    return " ".join(kept if value is None else [*kept, _token(kind, value)])


def _token(kind: Kind, value: str) -> str:
    return f"{kind}:{_NAMES[kind][value][0]}"


def _means(word: str, kind: Kind, value: str) -> bool:
    asked = _asked(folded(word))
    return asked is not None and asked[0] == kind and asked[1] == {value}


def _asked(word: str) -> tuple[Kind, set[str]] | None:
    """The values a `kind:beginning` stands for, by its folded text; None: it is no such thing."""
    head, colon, start = word.partition(":")
    kind = next((kind for kind in _NAMES if kind == head), None)
    if kind is None or not colon or not start:
        return None
    exact = {value for value, names in _NAMES[kind].items() if start in names}
    begun = {
        value
        for value, names in _NAMES[kind].items()
        if any(name.startswith(start) for name in names)
    }
    values = exact or begun
    return (kind, values) if values else None


def _value(item: FactItem, kind: Kind) -> str:
    match kind:
        case "is":
            return item.state
        case "by":
            return item.source
        case "in":
            return item.scope
