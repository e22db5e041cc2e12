"""What every tool is made of: arguments, what it needs, what it gives back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from app.boundary import visible
from app.config import mask
from app.errors import HaimaError
from app.events import DiffLine, Finding, Risk
from app.project import Project
from app.text import Key, Words
from app.tools.truncate import Cut, cut

RESULT_LIMIT = 32_000
"""Characters of a result's bare content (DESIGN 4, `offload`)."""

COMMAND_LIMIT = 8_000
"""The same for a command's output (DESIGN 4, `offload`, shell)."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call gave.

    Attributes:
        text: the result as the model gets it, remarks included, without tags.
        ok: it did what was asked.
        reason: why it failed, in one line for the card; "" when `ok`.
        raw: the bare content's bytes, whole, where `text` holds a content that can be cut (DESIGN,
            "Limits of tier 1"); None for results that are short by nature.
        characters: length of the bare content in code points, before it was cut; None: of `text`.
        added, removed: lines, for edits and writes.
        diff: what an edit or a write changed.
    """

    text: str
    ok: bool = True
    reason: str = ""
    raw: bytes | None = None
    characters: int | None = None
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()

    @property
    def size(self) -> int:
        """Length of the bare content in code points."""
        return len(self.text) if self.characters is None else self.characters


@dataclass(frozen=True, slots=True)
class ApprovalScope:
    """What "always this session" covers.

    Attributes:
        kind: files of one folder, commands with the same first words, or one host.
        value: the folder relative to the project, the words, the host.
        label: how it is shown, `git status *`.
    """

    kind: str
    value: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, looked at before the user is asked.

    Attributes:
        diff: what a write would change.
        findings: risks, worst first.
        marked: dangerous stretches of the subject, (start, end) in code points.
    """

    diff: tuple[DiffLine, ...] = ()
    findings: tuple[Finding, ...] = ()
    marked: tuple[tuple[int, int], ...] = ()


class Arguments(BaseModel):
    """Arguments of a tool: nothing unknown; numbers may come as text, unset ones as null or ""."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", coerce_numbers_to_str=True, hide_input_in_errors=True
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_unset(cls, values: dict[str, object]) -> dict[str, object]:
        """Takes out optional arguments that a model filled in with nothing."""
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {
            name: value
            for name, value in values.items()
            if not (name in optional and (value is None or value == ""))
        }


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What tools need of the world.

    Attributes:
        project: where they work, and the fence.
        words: the language of results.
        environ: the environment commands start from.
        credentials: Haima's own; never part of a result or of a command's environment.
        command_timeout: seconds a command may run unless the model asks for another time.
        new_file_mode: permissions of files that are made (the user's umask applied).
        ripgrep: the program, or None: the search falls back to Python.
    """

    project: Project
    words: Words
    environ: Mapping[str, str]
    credentials: tuple[str, ...]
    command_timeout: int
    new_file_mode: int
    ripgrep: Path | None

    def shown(self, text: str) -> str:
        """Foreign text as it may be sent and shown."""
        return visible(mask(text, self.credentials))

    def failed(self, key: Key, /, *, reason: Key | None = None, **values: object) -> ToolOutput:
        """A failed result that says what to do; the card shows `reason`, else the first line."""
        text = self.shown(self.words(key, **values))
        short = self.words(reason, **values) if reason else text.partition("\n")[0]
        return ToolOutput(text, ok=False, reason=self.shown(short))

    def failed_by(self, error: HaimaError) -> ToolOutput:
        """A failed result from an error's sentence."""
        sentence = self.shown(error.sentence(self.words))
        return ToolOutput(sentence, ok=False, reason=sentence)

    def shortened(self, content: str, limit: int, note: Key, **values: object) -> str:
        """A content within `limit`: whole, or head and tail with `note` between them."""
        # Credentials first: one that the cut went through would no longer be found.
        content = mask(content, self.credentials)
        piece = cut(content, limit)
        if piece is None:
            return self.shown(content)
        return self.around(piece, self.words(note, **cut_values(piece), **values))

    def around(self, piece: Cut, note: str) -> str:
        """Head and tail with a note between them."""
        return f"{self.shown(piece.head)}\n{note}\n{self.shown(piece.tail)}"


def cut_values(piece: Cut) -> dict[str, object]:
    """What notes about a cut may name."""
    return {
        "characters": f"{piece.characters:,}",
        "first": piece.first,
        "last": piece.last,
        "total": f"{piece.total:,}",
    }


A = TypeVar("A", bound=Arguments)


class Tool(ABC, Generic[A]):
    """A tool of the agent. What it tells the model stands in the words, section `tool`."""

    name: ClassVar[str]
    risk: ClassVar[Risk]
    editable: ClassVar[bool] = False
    """Whether the user may change the subject before the call runs."""

    arguments: type[A]

    def __init__(self, context: ToolContext) -> None:
        self.context = context

    @abstractmethod
    def subject(self, arguments: A) -> str:
        """The one argument a card shows: a path, a command, a pattern."""

    @abstractmethod
    async def run(self, arguments: A) -> ToolOutput:
        """Does it. Failures of the call are results; what is raised is a fault of Haima."""

    def scope(self, arguments: A) -> ApprovalScope | None:  # noqa: ARG002
        """What "always this session" would cover; None: this is asked every time."""
        return None

    async def preview(self, arguments: A) -> Preview | ToolOutput:  # noqa: ARG002
        """Looks at what the call would do; an output where it can only fail."""
        return Preview()

    def with_subject(self, arguments: A, subject: str) -> A:  # noqa: ARG002
        """The arguments with the subject as the user changed it."""
        return arguments
