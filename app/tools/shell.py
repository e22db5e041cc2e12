"""`execute_command`: a command in the project's folder, with a time limit."""

import asyncio
import re
import shutil
import signal
from typing import Annotated

from pydantic import Field

from app.conversation.content import Content
from app.conversation.truncate import clip
from app.conversation.window import RULES
from app.events import Finding
from app.text import Key
from app.tools.base import (
    COMMAND_LIMIT,
    ApprovalScope,
    Arguments,
    Preview,
    Tool,
    ToolOutput,
)
from app.tools.command_words import prefix
from app.tools.environment import command_environment
from app.tools.process import Ended, run_process
from app.tools.reading_commands import reader_of
from app.tools.risks import LONGEST_READ, Risks, risks_of

MOST_BYTES = RULES.result_bytes
"""Of a command's output; then it is stopped."""

LONGEST_TIME = 600
"""Seconds a command may ask for (issue 2, "Commands")."""

_REASON_LIMIT = 120
_TELLING = re.compile(
    r"\b(error|errors|fatal|failed|failure|failures|exception|panic|traceback|denied)\b"
    r"|not found|no such file|错误|失败|异常",
    re.IGNORECASE,
)


class ExecuteCommandArguments(Arguments):
    """Times over the longest are taken for the longest."""

    command: Annotated[str, Field(min_length=1)]
    timeout: Annotated[int, Field(ge=1)] | None = None


class ExecuteCommand(Tool[ExecuteCommandArguments]):
    """Runs a command with `bash -c`, or `sh -c` where there is no bash."""

    name = "execute_command"
    risk = "command"
    editable = True
    arguments = ExecuteCommandArguments

    def subject(self, arguments: ExecuteCommandArguments) -> str:
        """The command."""
        return arguments.command

    def with_subject(
        self, arguments: ExecuteCommandArguments, subject: str
    ) -> ExecuteCommandArguments:
        """The call with another command."""
        return arguments.model_copy(update={"command": subject})

    def scope(self, arguments: ExecuteCommandArguments) -> ApprovalScope | None:
        """Commands with the same first two words; none for compound or dangerous ones.

        A program that only reads in the project is covered whatever it is to read there.
        """
        if len(arguments.command) > LONGEST_READ or self._risks(arguments).dangerous:
            return None
        if reader := reader_of(arguments.command, self.context.project.root):
            return ApprovalScope("prefix", (reader,), f"{reader} *")
        words = prefix(arguments.command)
        if not words:
            return None
        label = " ".join(words) + (" *" if len(words) > 1 else "")
        return ApprovalScope("prefix", words, label)

    async def preview(self, arguments: ExecuteCommandArguments) -> Preview | ToolOutput:
        """What is risky about it, as far as it can be read from the command."""
        if "\0" in arguments.command:
            return self.context.failed("tool_result.command_nul")
        words, risks = self.context.words, self._risks(arguments)
        findings = tuple(
            Finding(
                label=words(risk.label),
                text=self.context.shown(clip(" ".join(risk.text.split()), _REASON_LIMIT)),
                severity=risk.severity,
            )
            for risk in risks.found
        )
        return Preview(findings=findings, marked=risks.marked)

    async def run(self, arguments: ExecuteCommandArguments) -> ToolOutput:
        """Runs it; cancelling ends it and all it started."""
        context = self.context
        if "\0" in arguments.command:
            return context.failed("tool_result.command_nul")
        limit = min(arguments.timeout or context.command_timeout, LONGEST_TIME)
        environ = command_environment(context.environ, context.credentials)
        environ["PWD"] = str(context.project.root)
        shell = shutil.which("bash", path=environ.get("PATH")) or "sh"
        pieces: list[bytes] = []
        size = 0

        def take(piece: bytes) -> bool:
            nonlocal size
            pieces.append(piece)
            size += len(piece)
            return size < MOST_BYTES

        try:
            ended = await run_process(
                [shell, "-c", arguments.command],
                folder=context.project.root,
                environ=environ,
                consume=take,
                limit=limit,
            )
        except (OSError, ValueError) as error:
            return context.failed("tool_result.command_start", problem=error)
        return await asyncio.to_thread(self._output, pieces, ended, limit)

    def _output(self, pieces: list[bytes], ended: Ended, limit: int) -> ToolOutput:
        """The result: first line the exit code, then remarks, then the output."""
        words = self.context.words
        content = self.context.content(b"".join(pieces)[:MOST_BYTES])
        head, reason = self._ending(ended, content, limit)
        if ended.leftovers and ended.code is not None:
            head.append(words("tool_result.command_leftovers"))
        shown = self.context.within(content, COMMAND_LIMIT, "tool_result.command_cut")
        before = "\n".join([*head, ""])
        return ToolOutput(
            before + (shown or words("tool_result.command_silent")),
            ok=not reason,
            reason=reason,
            before=before,
            content=content,
        )

    def _ending(self, ended: Ended, content: Content, limit: int) -> tuple[list[str], str]:
        """The first lines of the result, and why it failed."""
        words = self.context.words
        if ended.code is None and ended.timed_out:
            return [words("tool_result.exit_timeout", n=limit, most=LONGEST_TIME)], words(
                "tool_result.exit_timeout_short", n=limit
            )
        if ended.code is None:
            return [words("tool_result.exit_full")], words("tool_result.exit_full_short")
        if ended.code < 0:
            name = _signal_name(-ended.code)
            code = words("tool_result.exit_signal", code=128 - ended.code, name=name)
            return [code], words("tool_result.exit_signal_short", name=name)
        code = words("tool_result.exit_code", code=ended.code)
        if ended.code == 0:
            return [code], ""
        telling = self.context.shown(clip(_telling_line(content), _REASON_LIMIT))
        key: Key = "tool_result.exit_reason" if telling else "tool_result.exit_reason_silent"
        return [code], words(key, code=ended.code, line=telling)

    def _risks(self, arguments: ExecuteCommandArguments) -> Risks:
        return risks_of(arguments.command, self.context.project.root)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _telling_line(content: Content) -> str:
    """The line that says most about a failure: the first that names one, else the last."""
    ending = content.ending(COMMAND_LIMIT * 4)
    lines = [line.rstrip() for line in ending.split("\n") if line.strip()]
    named = next((at for at, line in enumerate(lines) if _TELLING.search(line)), len(lines) - 1)
    if lines and lines[named].lstrip().startswith("Traceback "):
        # Python says what happened in the first line after it that isn't indented.
        raised = (at for at in range(named + 1, len(lines)) if not lines[at][0].isspace())
        named = next(raised, named)
    return lines[named].strip() if lines else ""
