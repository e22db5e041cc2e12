"""Pictures that the user's message mentions: `@shot.png`, `@"my shot.png"`.

Only files of the project: the fence holds for what the user types too, as a mention may come from a
paste. The mention itself stays in the text. What isn't attached is said, and why.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.boundary import visible
from app.conversation.images import (
    SIGNATURE,
    Sight,
    image_kind,
    picture,
    sent_bytes,
)
from app.conversation.messages import ImagePart
from app.project import OutsideProject, Project, ProjectError
from app.text import Key, Words
from app.text.sizes import human_size

_AT = re.compile(r"(?:^|(?<=[\s(\[{<\"'`,;:=])|(?<=[^\x00-\x7f]))[@＠]", re.MULTILINE)
"""Where a mention begins: not after a letter (an address is none); as the prompt has it."""

_END = re.compile(r"\.(?:png|jpe?g|gif|webp)(?![A-Za-z0-9_]|\.[A-Za-z0-9])", re.IGNORECASE)
_LONGEST = 400
_MOST_ENDS = 4
"""How many endings after an `@` are tried: names may hold spaces and dots."""

_MOST = 100
"""Mentions of one message that are looked at."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What came of the mentions.

    Attributes:
        pictures: in the order of the mentions, each once.
        refused: a sentence for each that isn't attached.
    """

    pictures: tuple[ImagePart, ...] = ()
    refused: tuple[str, ...] = ()


def image_mentions(text: str) -> Iterator[tuple[str, ...]]:
    """For each mention that may be a picture the paths it may mean, likeliest first."""
    if _END.search(text) is None:
        return
    for at in _AT.finditer(text):
        rest = text[at.end() : at.end() + _LONGEST].partition("\n")[0]
        if rest[:1] == '"':
            quoted = rest[1:].partition('"')[0]
            if _END.search(quoted):
                yield (quoted,)
            continue
        ends = [found.end() for found in _END.finditer(rest)][:_MOST_ENDS]
        if ends and "@" not in rest[: ends[0]]:
            yield tuple(rest[:end] for end in ends)


def attach(text: str, project: Project, sight: Sight, words: Words, *, model: str) -> Attached:
    """Reads the pictures that a message mentions. Blocks.

    Args:
        text: as the user wrote it.
        project: the fence.
        sight: what the model takes.
        words: for what is refused.
        model: its name.
    """
    maker = _Attaching(project, sight, words, model)
    for number, paths in enumerate(image_mentions(text)):
        if number >= _MOST:
            break
        maker.take(paths)
    return Attached(tuple(maker.pictures.values()), tuple(dict.fromkeys(maker.refused)))


class _Attaching:
    """Collects the pictures of one message."""

    def __init__(self, project: Project, sight: Sight, words: Words, model: str) -> None:
        self.pictures: dict[Path, ImagePart] = {}
        self.refused: list[str] = []
        self._project = project
        self._sight = sight
        self._words = words
        self._model = model
        self._room = sight.room()

    def take(self, paths: Iterable[str]) -> None:
        """Attaches the first of these that is there."""
        for path in paths:
            try:
                resolved = self._project.resolve(path)
                there = resolved.is_file()
            except OutsideProject:
                if " " not in path:
                    self._refuse("image.outside", path, root=self._project.root)
                continue
            except (ProjectError, OSError):
                continue
            if there:
                if resolved not in self.pictures:
                    self._attach(path, resolved)
                return

    def _attach(self, path: str, resolved: Path) -> None:
        sight = self._sight
        try:
            with self._project.open(resolved) as file:
                if image_kind(file.read(SIGNATURE)) is None:
                    return
                size, most = file.seek(0, 2), sight.largest()
                if not sight.user:
                    key: Key = "image.blind" if sight.unseen == "blind" else "image.unknown"
                    self._refuse(key, path, model=visible(self._model))
                    return
                if size > most:
                    told = {"size": human_size(size), "most": human_size(most)}
                    self._refuse("image.large", path, **told)
                    return
                file.seek(0)
                made = picture(self._project.relative(resolved), file.read(size))
        except ProjectError as error:
            self._refuse("image.unreadable", path, problem=error.sentence(self._words))
            return
        except OSError as error:
            self._refuse("image.unreadable", path, problem=error.strerror)
            return
        if made is None:  # it changed in this moment
            return
        if sent_bytes(made) > self._room:
            self._refuse("image.many", path)
            return
        self._room -= sent_bytes(made)
        self.pictures[resolved] = made

    def _refuse(self, key: Key, path: str, **values: object) -> None:
        self.refused.append(self._words(key, path=visible(path), **values))
