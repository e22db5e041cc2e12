"""The names that notes, pointers and the recovery block list, each within its budget.

A name is listed only where it stands nowhere else (NAMES 8, rule 2): `Standing` says what stands.

- **Note** (NAMES 4.3): `best_names(middle, …, standing=Standing((head, tail)), limit=NOTE_SCANNED)`
  with a ranking made after the whole result was added to its index. Best first, shown so.
- **Pointers** of one clear (NAMES 4.5): `standing = Standing(texts)`, the texts of every message
  that stays as it is: contents, arguments of calls (those of cleared results too), system message.
  Then for each result that is due, the newest first: `best_names(body, …, by_room=True)`, and
  `standing.add(listed(names))`, so that older pointers leave these names out. If the body stays
  after all, `standing.add(body)`. Shown `in_order`.
- **Recovery block** (NAMES 4.6), last: its other text is added, then `block_names(…, standing)`.
  Shown a kind a line (`in_line`).

In any list a longer spelling of a path takes the place of a shorter one, which it says too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log, sqrt

from app.memory.name_paths import RUN
from app.memory.name_score import Ranking
from app.memory.names import KINDS, Found, Name

BETWEEN = ", "
"""What stands between names in a list; counted in every budget."""

NOTE_SCANNED = 240_000
"""Characters of a cut-out middle that are read for a note: at most 0.03 s (beyond NAMES 4.1, as a
result of megabytes names more than its beginning)."""

_TRIES = 50
"""Names that don't fit before a list counts as full: what follows would be shorter, but worse."""

_ROOM = 0.5
"""How much the room that a name takes counts in the recovery block, against its odds: 1.0 would be
odds for each token. Measured on the recorded sessions: at 16K an earlier name is missing in 3.6% of
the steps past the window with 0, in 3.4% with 0.5; from 0.75 on more is missing at 32K and 64K."""

_RUN = re.compile(f"[{RUN}]{{3,}}")


class Standing:
    """Texts in which a name may stand, as an exact substring (NAMES 4.5).

    Names are looked for among the different runs of name characters, not in the whole texts: a name
    that stands in a text stands in one of its runs. Adding a text is linear.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Holds these texts."""
        self._texts: list[str] = []
        self._runs: set[str] = set()
        self._joined = ""
        for text in texts:
            self._take(text)
        self._joined = "\n".join(sorted(self._runs))

    def add(self, text: str) -> None:
        """From now on this text stands there too."""
        new = self._take(text)
        if new:
            self._joined += "\n" + "\n".join(sorted(new))

    def __contains__(self, name: Name) -> bool:
        text = name.text
        if text in self._runs:
            return True
        if _RUN.fullmatch(text):
            return text in self._joined
        return any(text in one for one in self._texts)

    def holds(self, text: str) -> bool:
        """Whether a whole text stands there."""
        return any(text in one for one in self._texts)

    def _take(self, text: str) -> set[str]:
        self._texts.append(text)
        new = set(_RUN.findall(text)) - self._runs
        self._runs |= new
        return new


def listed(names: Iterable[Name]) -> str:
    """Names as a list shows them."""
    return BETWEEN.join(name.text for name in names)


def in_line(names: Sequence[Name]) -> str:
    """Names of one kind as a line of the recovery block shows them."""
    return _between(names).join(name.text for name in names)


def _between(names: Iterable[Name]) -> str:
    """What parts names: a blank is enough where none of them holds one, and is a token less."""
    return BETWEEN if any(" " in name.text for name in names) else " "


def best_names(
    text: str,
    *,
    ranking: Ranking,
    standing: Standing,
    characters: int,
    limit: int | None = None,
    by_room: bool = False,
) -> tuple[Name, ...]:
    """The best names of a text that stand nowhere else; `listed` has at most `characters`.

    Args:
        text: what leaves the request.
        ranking: the scores of this moment.
        standing: what stays; not changed.
        characters: the budget.
        limit: characters of the text that are read, None for those of one message.
        by_room: weigh the score by the room a name takes (NAMES 4.5), for pointers.
    """
    found = ranking.index.read(text, limit)
    ordered = _by_room(found, ranking) if by_room else ranking.best_first(found)
    # The last name has nothing behind it.
    budget = characters + len(BETWEEN)
    return _fitting(ordered, standing, budget, lambda name: len(name.text) + len(BETWEEN))


def block_names(
    *, ranking: Ranking, standing: Standing, tokens: int, estimate: Callable[[str], float]
) -> tuple[Name, ...]:
    """The names for the recovery block, of all that were ever seen (NAMES 4.6), in list order.

    Where not all have room, short ones come before long ones that are hardly likelier (`_ROOM`).

    Args:
        ranking: the scores of this moment.
        standing: everything that is kept, pointers and the block's other text included; these
            names are added to it.
        tokens: the budget, of which the block's other entities took their part.
        estimate: the tokens of a text.
    """
    cost = {name: estimate(name.text + _between((name,))) for name in ranking.best_first()}
    ordered = sorted(cost, key=lambda name: (_ROOM * log(cost[name]) - ranking.score(name), name))
    names = _fitting(ordered, standing, tokens, cost.__getitem__)
    if names:
        standing.add(listed(names))
    return in_order(names)


def in_order(names: Iterable[Name]) -> tuple[Name, ...]:
    """By kind (commands, paths, symbols), then by text."""
    return tuple(sorted(names, key=lambda name: (KINDS.index(name.kind), name.text)))


def _by_room(names: Iterable[Found], ranking: Ranking) -> list[Name]:
    """By score over 2 + √length (NAMES 4.5).

    Scores are nearly all negative, so of equal ones the longer name comes first: it is the one that
    nobody guesses (measured: better than odds over room, at every window).
    """
    ordered = ranking.best_first(names)
    return sorted(ordered, key=lambda name: -ranking.score(name) / (2 + sqrt(len(name.text))))


def _fitting(
    names: Sequence[Name], standing: Standing, budget: float, cost: Callable[[Name], float]
) -> tuple[Name, ...]:
    """Names in their order as long as they fit, none that stands there or within one before."""
    chosen: dict[str, Name] = {}
    so_far = ""
    too_big = 0
    for name in names:
        if budget <= 0 or too_big >= _TRIES:
            break
        if name.text in so_far or name in standing:
            continue
        # A longer spelling of a chosen path says the shorter one too.
        shorter = [chosen[end] for end in _ends(name) if end in chosen]
        room = cost(name) - sum(map(cost, shorter))
        if room > budget:
            too_big += 1
            continue
        for one in shorter:
            del chosen[one.text]
        chosen[name.text] = name
        so_far += f"{name.text}\n"
        budget -= room
    return tuple(chosen.values())


def _ends(name: Name) -> Iterator[str]:
    """The shorter spellings of a path: what is left of it without its first folders."""
    if name.kind == "path":
        at = name.text.find("/")
        while at >= 0:
            yield name.text[at + 1 :]
            yield name.text[at:]
            at = name.text.find("/", at + 1)
