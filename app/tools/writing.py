"""What `write_file` and `edit_file` share: the place, the diff, the write itself."""

import os
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from app.boundary import visible
from app.errors import HaimaError
from app.events import Finding, Risk
from app.project import ProjectError
from app.storage import StorageError, write_atomic
from app.storage.off_loop import to_the_end
from app.tools.base import A, ApprovalScope, Preview, Tool, ToolOutput
from app.tools.diff import Difference

_GIT = ".git"


@dataclass(frozen=True, slots=True)
class Plan:
    """A write that can be done.

    Attributes:
        path: resolved.
        before: what lies there, None: nothing.
        after: what shall lie there.
        change: between the two.
        text: the result when it is done.
    """

    path: Path
    before: bytes | None
    after: bytes
    change: Difference
    text: str


class FileWriter(Tool[A]):
    """A tool that puts a new content at one path."""

    risk: ClassVar[Risk] = "write"

    @abstractmethod
    def plan(self, arguments: A) -> Plan | ToolOutput:
        """What would be written; a failed result where nothing can be. Blocks."""

    def scope(self, arguments: A) -> ApprovalScope | None:
        """The files right in the same folder; git's own files are asked for every time."""
        try:
            path = self.context.project.resolve(self.subject(arguments))
        except ProjectError:
            return None
        folder = self.context.project.relative(path.parent)
        if path == self.context.project.root or _is_git(folder, path.name):
            return None
        label = visible("*" if folder == "." else f"{folder}/*")
        return ApprovalScope("folder", (folder,), label)

    async def preview(self, arguments: A) -> Preview | ToolOutput:
        """The diff, and what is unusual about the place."""
        plan = await to_the_end(lambda: self.plan(arguments))
        if isinstance(plan, ToolOutput):
            return plan
        if plan.before == plan.after:
            return ToolOutput(plan.text)
        return Preview(diff=plan.change.lines, findings=self._findings(plan.path))

    async def run(self, arguments: A) -> ToolOutput:
        """Writes, as a whole or not at all; a cancel waits for the write to be over."""
        return await to_the_end(lambda: self._write(arguments))

    def place(self, given: str) -> Path | ToolOutput:
        """Where a path given by the model leads, if a file can be written there."""
        context = self.context
        try:
            path = context.project.resolve(given)
        except ProjectError as error:
            return context.failed_by(error)
        if context.project.is_state(path):
            return context.failed("tool_result.state", path=given)
        if path.is_dir():
            return context.failed("tool_result.write_folder", path=given)
        blocked = next((step for step in path.parents if step.exists()), path)
        if not blocked.is_dir():
            shown = context.project.relative(blocked)
            return context.failed("tool_result.parent_is_file", path=given, parent=shown)
        if path.exists() and not os.access(path, os.W_OK):
            return context.failed("tool_result.read_only", path=given)
        return path

    def _write(self, arguments: A) -> ToolOutput:
        plan = self.plan(arguments)
        if isinstance(plan, ToolOutput):
            return plan
        if plan.before == plan.after:
            return ToolOutput(plan.text)
        try:
            self._put(plan)
        except HaimaError as error:
            return self.context.failed_by(error)
        return ToolOutput(
            plan.text,
            added=plan.change.added,
            removed=plan.change.removed,
            diff=plan.change.lines,
        )

    def _put(self, plan: Plan) -> None:
        try:
            plan.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError.from_os(plan.path, error) from error
        # A link put in place since the path was resolved would lead the write astray.
        self.context.project.check_unchanged(plan.path)
        mode = self.context.new_file_mode if plan.before is None else None
        write_atomic(plan.path, plan.after, mode, expected=plan.before)

    def _findings(self, path: Path) -> tuple[Finding, ...]:
        project, words = self.context.project, self.context.words
        folder = project.relative(path.parent)
        if _is_git(folder, path.name):
            text = words("risk.git_files_text")
            return (Finding(label=words("risk.git_files"), text=text, severity="warn"),)
        return ()


def _is_git(folder: str, name: str) -> bool:
    """Whether a file is git's own: hooks and configuration there can run programs."""
    return any(part.casefold() == _GIT for part in (*folder.split("/"), name))
