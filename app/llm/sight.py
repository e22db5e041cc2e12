"""Whether a model sees pictures, and how large a request may be: settings, model table, dialect."""

import re
from typing import Literal, Protocol, runtime_checkable

from app.conversation.images import BLIND, Sight
from app.llm.dialects import Dialect
from app.llm.model_table import find_model
from app.ports import ChatModel

Images = Literal["auto", "on", "off"]
"""`model.images`: as the table says (what it doesn't know, sees none); yes; no."""

_TAKES_TURNS = re.compile(
    r"mistral|ministral|magistral|pixtral|devstral|codestral|hunyuan|(^|/)hy\d", re.I
)
"""Models whose endpoints take no user message right after results (PROVIDERS 1.7)."""


@runtime_checkable
class Sighted(Protocol):
    """A model that knows whether it sees pictures."""

    @property
    def sight(self) -> Sight:
        """What it takes."""
        ...


def sight_of(model: ChatModel) -> Sight:
    """What a model takes of pictures; none, where it doesn't say (the demo, scripted ones)."""
    return model.sight if isinstance(model, Sighted) else BLIND


def sight_for(model: str, dialect: Dialect, images: Images = "auto") -> Sight:
    """What a model at an endpoint takes.

    Args:
        model: its name.
        dialect: of the endpoint.
        images: what is set.
    """
    facts = find_model(model)
    sees = images == "on" or (images == "auto" and facts is not None and facts.images)
    known = images != "auto" or facts is not None
    results = sees and not _TAKES_TURNS.search(model)
    return Sight(user=sees, results=results, known=known, body=dialect.body)
