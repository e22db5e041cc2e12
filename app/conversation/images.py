"""Pictures: what is one, what it weighs, what it costs, and what a model's endpoint takes of them.

A picture is kept as a data URL in its message, once in each ledger. It goes out in a message of the
user: in the one it was attached to, or, where a tool gave it, in one after the results of its step,
as no provider takes pictures in results (PROVIDERS 1.7).
"""

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.conversation.messages import ImagePart, Part
from app.conversation.window import RULES, Rules
from app.text.sizes import human_size

_DATA = "data:"

_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""How pictures begin that models take (published signatures); WebP has its name further in."""

_LONGEST = 80
"""Characters of an address where it is told."""

SIGNATURE = 16
"""Bytes of a file that tell its kind."""

Unseen = Literal["blind", "unknown"]
"""Why a model gets no pictures: it takes none; nobody knows whether it does."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a model at its endpoint takes of pictures.

    Attributes:
        user: pictures in the user's messages.
        results: pictures after the results of tools.
        known: whether that is known, or set; else it is a cautious guess.
        body: bytes of a whole request.
    """

    user: bool = False
    results: bool = False
    known: bool = False
    body: int = RULES.body

    @property
    def unseen(self) -> Unseen:
        """Why there are none, where there are none."""
        return "blind" if self.known else "unknown"

    def room(self, rules: Rules = RULES) -> int:
        """Bytes that the pictures of a request may have together, as they are sent."""
        parts, whole = rules.pictures
        return self.body * parts // whole

    def largest(self, rules: Rules = RULES) -> int:
        """Bytes of the largest file that is taken as a picture."""
        return min(rules.picture, (self.room(rules) - 100) // 4 * 3)


BLIND = Sight()
"""Of a model of which nothing is known."""


def image_kind(data: bytes) -> str | None:
    """The media type of a picture that models take, by how it begins; None: it is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS if data.startswith(start)), None)


def picture(name: str, data: bytes) -> ImagePart | None:
    """A file's picture; None: it is none that models take. Megabytes take milliseconds.

    Args:
        name: the file, relative to the project's root.
        data: all its bytes.
    """
    kind = image_kind(data[:SIGNATURE])
    if kind is None:
        return None
    return ImagePart(f"{_DATA}{kind};base64,{base64.b64encode(data).decode('ascii')}", name=name)


def is_data(url: str) -> bool:
    """Whether it is a data URL in Base64 as `picture` makes them: nothing in it needs escaping."""
    return url.startswith("data:image/") and ";base64," in url[:64] and url.isascii()


def file_bytes(part: ImagePart) -> int:
    """The size of the picture's file; 0 for an address."""
    if not part.url.startswith(_DATA):
        return 0
    return sent_bytes(part) * 3 // 4 - part.url[-2:].count("=")


def sent_bytes(part: ImagePart) -> int:
    """How much of a request the picture takes, without what stands around it."""
    _, comma, data = part.url.partition(",")
    return len(data) if comma and part.url.startswith(_DATA) else len(part.url)


def image_tokens(part: ImagePart, rules: Rules = RULES) -> int:
    """What a picture costs, about: the first usage corrects it."""
    most, least, per = rules.image
    if not part.url.startswith(_DATA):
        return rules.image_address
    return min(most, max(least, file_bytes(part) // per))


def pictures(parts: Iterable[Part]) -> tuple[ImagePart, ...]:
    """The pictures among parts."""
    return tuple(part for part in parts if isinstance(part, ImagePart))


def told(part: ImagePart) -> str:
    """A picture in few words, in any language: `shot.png 1.2 MB`; not yet safe to show."""
    if not part.url.startswith(_DATA):
        return part.name or part.url[:_LONGEST]
    return " ".join(filter(None, (part.name, human_size(file_bytes(part)))))
