"""What becomes of the user's text on its way into the history: long pastes, pictures."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from app.conversation.messages import Part, TextPart
from app.events import Notice
from app.llm.sight import sight_of
from app.ports import ChatModel
from app.session.attaching import attach
from app.session.parts import Parts
from app.session.pastes import Pastes


@dataclass(frozen=True, slots=True)
class Incoming:
    """The parts of a message of the user's.

    Attributes:
        parts: its text and its pictures.
        notices: what isn't in it, and why.
    """

    parts: tuple[Part, ...]
    notices: tuple[Notice, ...]


async def incoming(text: str, chain: str, parts: Parts, model: ChatModel) -> Incoming:
    """Spells out the pastes of a message, and attaches the pictures it mentions.

    Args:
        text: as it stood in the prompt; blank text isn't sent.
        chain: the one it is sent in.
        parts: of the session.
        model: that answers.
    """
    words = parts.words
    pastes = _pastes(parts)
    spelt, gone = await pastes.spelt_out(text, chain)
    found = await asyncio.to_thread(
        attach, text, parts.project, sight_of(model), words, model=model.name
    )
    said = [
        *(Notice(code=error.code, text=error.sentence(words), severity="warn") for error in gone),
        *(Notice(code="image", text=sentence, severity="warn") for sentence in found.refused),
    ]
    return Incoming((TextPart(spelt), *found.pictures), tuple(said))


def pastes_of(parts: Callable[[], Parts]) -> Pastes:
    """The pastes of a session's project, for the prompt; its words and credentials may change."""

    def mask(text: str) -> str:
        return parts().settings.mask(text)

    return Pastes(parts().project, words=lambda: parts().words, mask=mask)


def _pastes(parts: Parts) -> Pastes:
    return Pastes(parts.project, words=lambda: parts.words, mask=parts.settings.mask)
