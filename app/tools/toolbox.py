"""All tools of a session: what is offered to the model, and calls made ready to run."""

import difflib
import json
import os
import shutil
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from app.config import ToolSettings
from app.config.secrets import secrets_among
from app.conversation.images import BLIND, Sight
from app.errors import HaimaError
from app.events import ApprovalQuestion, Risk
from app.ports import ToolSchema
from app.project import Project
from app.text import Key, Words
from app.tools.base import ApprovalScope, Arguments, Preview, Tool, ToolContext, ToolOutput
from app.tools.edit_file import EditFile
from app.tools.list_dir import ListDir
from app.tools.read_file import ReadFile
from app.tools.read_history import Originals, ReadHistory
from app.tools.save_memory import MemoryAccess, SaveMemory
from app.tools.schema import example, problems, tool_schema
from app.tools.search import SearchFiles
from app.tools.search_memory import SearchMemory
from app.tools.shell import ExecuteCommand
from app.tools.update_todo import UpdateTodo
from app.tools.work_access import WorkAccess
from app.tools.write_file import WriteFile

TOOLS: tuple[type[Tool[Any]], ...] = (
    ReadFile,
    WriteFile,
    EditFile,
    ListDir,
    SearchFiles,
    ExecuteCommand,
)


class BadCall(HaimaError):  # noqa: N818 (it says what was given, not what failed)
    """A call that can't be run as it was written.

    Attributes:
        text: the result the model gets: what was wrong and what to send.
    """

    code = "bad_call"

    def __init__(self, key: Key, /, *, words: Words, **values: object) -> None:
        super().__init__(key, **values)
        self.text = self.sentence(words)


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call whose arguments were understood.

    Attributes:
        implementation: the tool.
        parsed: its arguments.
        original: the subject as the model wrote it, where the user changed it, else None.
        settled: the result, where it is known that the call can only fail.
    """

    implementation: Tool[Any]
    parsed: Arguments
    original: str | None = None
    settled: ToolOutput | None = None

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.implementation.name

    @property
    def free(self) -> bool:
        """Whether it may always run."""
        return self.implementation.free

    @property
    def risk(self) -> Risk:
        """What it may do."""
        return self.implementation.risk

    @property
    def words(self) -> Words:
        """The language of its results."""
        return self.implementation.context.words

    @property
    def subject(self) -> str:
        """The one argument a card shows."""
        return self.implementation.subject(self.parsed)

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments that were given, as JSON values."""
        return self.parsed.model_dump(exclude_unset=True)

    @property
    def concurrent(self) -> bool:
        """Whether it may run beside others: it only reads, and what they tell is nothing to it."""
        return self.risk == "read" and not self.implementation.alone

    @property
    def scope(self) -> ApprovalScope | None:
        """What "always this session" would cover; None: nothing, it is asked every time."""
        return self.implementation.scope(self.parsed)

    def with_subject(self, text: str) -> "PreparedCall":
        """The call with its subject as the user changed it; the same one where nothing changed."""
        if not self.implementation.editable or text == self.subject:
            return self
        parsed = self.implementation.with_subject(self.parsed, text)
        return replace(self, parsed=parsed, original=self.original or self.subject, settled=None)

    def with_result(self, output: ToolOutput) -> "PreparedCall":
        """The call with a result that is already known; `run` does nothing but give it."""
        return replace(self, settled=output)

    async def preview(self) -> Preview | ToolOutput:
        """What it would do; an output where it can only fail, so that nobody need be asked."""
        return self.settled or await self.implementation.preview(self.parsed)

    def question(self, call_id: str, preview: Preview) -> ApprovalQuestion:
        """What the user is asked."""
        context = self.implementation.context
        return ApprovalQuestion(
            id=call_id,
            tool=self.tool,
            risk=self.risk,
            subject=self.subject,
            place=context.project.place(context.environ),
            marked=preview.marked,
            findings=preview.findings,
            scope=self.scope.label if self.scope else "",
            diff=preview.diff,
            editable=self.implementation.editable,
        )

    async def run(self) -> ToolOutput:
        """Does it. Cancelling ends everything the call started.

        No credential of Haima's is in what comes back. Of a call that the user changed, the second
        line says what ran.
        """
        output = self.settled or await self.implementation.run(self.parsed)
        if self.original is not None:
            note = self.words("tool_result.command_changed", command=self.subject)
            output = output.with_remark(note)
        return output.masked(self.implementation.context.credentials)


class Toolbox:
    """The tools of one session."""

    def __init__(
        self,
        project: Project,
        words: Words,
        environ: Mapping[str, str],
        settings: ToolSettings,
        credentials: Iterable[str] = (),
        originals: Originals | None = None,
        sight: Callable[[], Sight] = lambda: BLIND,
        memory: MemoryAccess | None = None,
        work: WorkAccess | None = None,
    ) -> None:
        """Makes the tools.

        Args:
            project: where they work.
            words: the language of descriptions and results, fixed for the session: schemas are
                part of what the provider caches.
            environ: what commands inherit, without Haima's credentials.
            settings: which tools are left out, the time limit of commands.
            credentials: Haima's own; placeholders such as `not-needed` don't count.
            originals: quotes earlier messages; None: that tool isn't offered.
            sight: what the model takes of pictures, at the moment.
            memory: what is remembered across sessions; None: those tools aren't offered.
            work: what is known of the work; None: nothing is.
        """
        self._words = words
        context = ToolContext(
            project=project,
            words=words,
            environ=environ,
            credentials=secrets_among(credentials),
            command_timeout=settings.command_timeout,
            new_file_mode=0o666 & ~_umask(),
            ripgrep=find_ripgrep(environ),
            sight=sight,
        )
        tools: list[Tool[Any]] = [kind(context) for kind in TOOLS]
        if memory is not None:
            tools += [SaveMemory(context, memory), SearchMemory(context, memory)]
        if originals is not None:
            tools.append(ReadHistory(context, originals, work))
        if work is not None:
            tools.append(UpdateTodo(context, work))
        self._tools = {tool.name: tool for tool in tools if tool.name not in settings.exclude}

    @cached_property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """The tools as they are offered, always in the same order and words."""
        return tuple(
            tool_schema(tool.name, tool.arguments, self._words) for tool in self._tools.values()
        )

    def prepare(self, name: str, arguments: str) -> PreparedCall:
        """Makes a call ready.

        Args:
            name: the tool, as the model spelt it.
            arguments: a JSON object as text, as the model sent it.

        Raises:
            BadCall: no such tool, or arguments it can't be run with.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise self._unknown(name)
        values = self._object(tool, arguments)
        try:
            return PreparedCall(tool, tool.arguments.model_validate(values))
        except ValidationError as error:
            raise self._bad(
                tool, "bad_call.arguments", problems=problems(error, tool.arguments, self._words)
            ) from None

    def _object(self, tool: Tool[Any], arguments: str) -> dict[str, object]:
        """The arguments as an object; none at all is an empty one."""
        try:
            values = json.loads(arguments or "{}", strict=False)
            if isinstance(values, str):  # some models encode twice
                values = json.loads(values, strict=False)
        except ValueError as error:
            raise self._bad(tool, "bad_call.not_json", reason=str(error)) from None
        except RecursionError:
            raise self._bad(tool, "bad_call.not_object") from None
        if not isinstance(values, dict):
            raise self._bad(tool, "bad_call.not_object")
        for field, value in values.items():
            if isinstance(value, str) and _has_lone_surrogate(value):
                raise self._bad(tool, "bad_call.surrogate", field=field)
        return values

    def _bad(self, tool: Tool[Any], key: Key, **values: object) -> BadCall:
        send = example(tool.arguments, self._words)
        return BadCall(key, words=self._words, tool=tool.name, example=send, **values)

    def _unknown(self, name: str) -> BadCall:
        wanted = name.rpartition(".")[2].lower()
        close = difflib.get_close_matches(wanted, self._tools, n=2, cutoff=0.6)
        return BadCall(
            "bad_call.unknown_similar" if close else "bad_call.unknown",
            words=self._words,
            tool=name,
            similar=self._words("bad_call.or").join(close),
            tools=", ".join(self._tools) or "—",
        )


def find_ripgrep(environ: Mapping[str, str]) -> Path | None:
    """The search program: the packaged one beside the interpreter, else one on the path."""
    packaged = shutil.which("rg", path=sysconfig.get_path("scripts"))
    found = packaged or shutil.which("rg", path=environ.get("PATH", os.defpath))
    return Path(found) if found else None


def _umask() -> int:
    """The process's umask; it can only be read by setting it."""
    mask_ = os.umask(0o077)
    os.umask(mask_)
    return mask_


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
