"""A fact by the beginning of its id, as people and models give it."""

from collections.abc import Sequence
from typing import Final

from app.boundary import one_line, visible
from app.errors import HaimaError
from app.memory.facts import Fact

_PREFIX: Final = "fact-"
_CANDIDATES: Final = 5
_QUOTED: Final = 40
"""Characters of a candidate that an error quotes."""


class FactNotFound(HaimaError):  # noqa: N818
    """This project sees no fact whose id begins like that."""

    code = "not_found"


class FactAmbiguous(HaimaError):  # noqa: N818
    """The ids of several facts begin like that.

    Attributes:
        candidates: these facts.
    """

    code = "ambiguous"

    def __init__(self, prefix: str, candidates: Sequence[Fact]) -> None:
        listed = ", ".join(
            f"{visible(fact.id)} “{_quoted(fact)}”" for fact in candidates[:_CANDIDATES]
        )
        more = ", …" if len(candidates) > _CANDIDATES else ""
        super().__init__("memory.ambiguous", id=prefix, n=len(candidates), candidates=listed + more)
        self.candidates = tuple(candidates)


def find_among(facts: Sequence[Fact], prefix: str) -> Fact:
    """The one of these facts whose id is this, or begins so; `fact-` may be missing.

    Raises:
        FactNotFound: there is none.
        FactAmbiguous: there are several.
    """
    wanted = prefix.strip().removeprefix("#")
    exact = [fact for fact in facts if fact.id == wanted]
    starts = (wanted, _PREFIX + wanted)
    found = exact or ([fact for fact in facts if fact.id.startswith(starts)] if wanted else [])
    if not found:
        raise FactNotFound("memory.not_found", id=visible(wanted))
    if len(found) > 1:
        raise FactAmbiguous(visible(wanted), found)
    return found[0]


def _quoted(fact: Fact) -> str:
    text = one_line(fact.content)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
