"""What every tool is made of: arguments, what it needs, what it gives back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from app.boundary import visible
from app.config import mask, mask_bytes
from app.conversation.content import Content
from app.conversation.images import BLIND, Sight
from app.conversation.messages import ImagePart
from app.conversation.truncate import Cut
from app.conversation.window import RULES
from app.conversation.work import NOTHING, Work
from app.errors import HaimaError
from app.events import DiffLine, Finding, Risk
from app.project import Project
from app.text import Key, Words

RESULT_LIMIT = RULES.offload[0]
"""Characters of a result's bare content that are shown when none of it goes to a file."""

COMMAND_LIMIT = RULES.offload_shell[0]
"""The same for a command's output."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call gave.

    A content that may be long stands in a frame: what the tool says before it (the exit code) and
    after it (remarks). Something else can be put into the frame in its place (`framed`).

    Attributes:
        text: the result as the model gets it, frame and remarks included, without tags; a content
            that is too long has lost its middle.
        ok: it did what was asked.
        reason: why it failed, in one line for the card; "" when `ok`.
        before, after: the beginning and the end of `text` that are the tool's own words.
        content: the bare content, whole (DESIGN, "Limits of tier 1"); None for results that are
            short by nature, and for a stretch of a file, which stays in the context.
        characters: length of the bare content as shown, where `content` doesn't tell it.
        shorter: the same with at most so many characters of its content, ending with the call that
            goes on; None where there is no such thing. It takes milliseconds.
        added, removed: lines, for edits and writes.
        diff: what an edit or a write changed.
        pictures: what is shown to the model beside the text.
        work: what it adds to the worklog, beside what the call itself tells.
    """

    text: str
    ok: bool = True
    reason: str = ""
    before: str = ""
    after: str = ""
    content: Content | None = None
    characters: int | None = None
    shorter: "Callable[[int], ToolOutput] | None" = field(default=None, repr=False, compare=False)
    added: int = 0
    removed: int = 0
    diff: tuple[DiffLine, ...] = ()
    pictures: tuple[ImagePart, ...] = ()
    work: Work = NOTHING

    @property
    def raw(self) -> bytes | None:
        """The bare content's bytes, whole."""
        return None if self.content is None else self.content.raw

    @property
    def size(self) -> int:
        """Length of the bare content in code points, before it was cut."""
        if self.characters is not None:
            return self.characters
        return len(self.text) if self.content is None else self.content.characters

    def framed(self, text: str) -> str:
        """`text` in the place of the content, in the frame."""
        apart = not text or text.endswith("\n") or not self.after or self.after[0] == "\n"
        between = "" if apart else "\n"
        return f"{self.before}{text}{between}{self.after}"

    def with_remark(self, remark: str) -> "ToolOutput":
        """The output with a remark as its second line."""
        if self.before:
            first, _, rest = self.before.partition("\n")
            before = f"{first}\n{remark}\n{rest}"
            return replace(self, before=before, text=before + self.text[len(self.before) :])
        first, _, rest = self.text.partition("\n")
        return replace(self, text=f"{first}\n{remark}\n{rest}")

    def masked(self, credentials: tuple[str, ...]) -> "ToolOutput":
        """The output without credentials; its content has none by `ToolContext.content`."""
        shorter = self.shorter

        def masked_shorter(characters: int) -> ToolOutput:
            assert shorter is not None  # noqa: S101 - else it isn't handed out
            return shorter(characters).masked(credentials)

        return replace(
            self,
            text=mask(self.text, credentials),
            reason=mask(self.reason, credentials),
            before=mask(self.before, credentials),
            after=mask(self.after, credentials),
            shorter=None if shorter is None else masked_shorter,
            diff=tuple(
                line.model_copy(update={"text": mask(line.text, credentials)}) for line in self.diff
            ),
        )


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
        sight: what the model takes of pictures, at the moment.
    """

    project: Project
    words: Words
    environ: Mapping[str, str]
    credentials: tuple[str, ...]
    command_timeout: int
    new_file_mode: int
    ripgrep: Path | None
    sight: Callable[[], Sight] = lambda: BLIND

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

    def content(self, raw: bytes, *, start: int = 0) -> Content:
        """A result's content, measured; credentials are replaced. Off the loop.

        Args:
            raw: its bytes.
            start: how many of them are a byte order mark.
        """
        # Credentials first: one that a cut went through would no longer be found.
        return Content.of(mask_bytes(raw, self.credentials), start=start)

    def within(self, content: Content, limit: int, note: Key, **values: object) -> str:
        """A content within `limit`: whole, or head and tail with `note` between them."""
        piece = content.cut(limit)
        if piece is None:
            return self.shown(content.text())
        return self.around(piece, self.words(note, **cut_values(piece), **values))

    def listed(self, lines: str, notes: list[str], note: Key) -> ToolOutput:
        """A list as a result: its lines within the limit, then remarks."""
        content = self.content(lines.encode("utf-8", "backslashreplace"))
        text = self.within(content, RESULT_LIMIT, note)
        after = "\n".join(["", *notes] if text else notes)
        return ToolOutput(text + after, after=after, content=content)

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
    free: ClassVar[bool] = False
    """Whether it may always run: it touches only the conversation or the memory (DESIGN 5)."""
    alone: ClassVar[bool] = False
    """Whether no other call of its step runs beside it: it builds on what those before it told."""

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
