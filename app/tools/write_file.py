"""`write_file`: a whole file, new or in place of another."""

from typing import Annotated

from pydantic import Field

from app.project import ProjectError
from app.tools.base import Arguments, ToolOutput
from app.tools.diff import difference
from app.tools.text_file import LARGEST, binary_kind, too_large
from app.tools.writing import FileWriter, Plan


class WriteFileArguments(Arguments):
    """The content is written as it is given, line ends and all."""

    path: Annotated[str, Field(min_length=1)]
    content: str


class WriteFile(FileWriter[WriteFileArguments]):
    """Writes a file of the project, its folders too."""

    name = "write_file"
    arguments = WriteFileArguments

    def subject(self, arguments: WriteFileArguments) -> str:
        """The path."""
        return arguments.path

    def plan(self, arguments: WriteFileArguments) -> Plan | ToolOutput:
        """Compares the content with what lies there."""
        path = self.place(arguments.path)
        if isinstance(path, ToolOutput):
            return path
        before: bytes | None = None
        try:
            with self.context.project.open(path) as file:
                before = file.read(LARGEST + 1)
        except FileNotFoundError:
            pass
        except ProjectError as error:
            return self.context.failed_by(error)
        except OSError as error:
            return self.context.failed(
                "tool_result.unreadable", path=arguments.path, problem=error.strerror
            )
        if before is not None and len(before) > LARGEST:
            return too_large(self.context, path, arguments.path)
        after = arguments.content.encode("utf-8")
        change = difference(_comparable(before), arguments.content)
        return Plan(path, before, after, change, self._text(arguments, before, after))

    def _text(self, arguments: WriteFileArguments, before: bytes | None, after: bytes) -> str:
        words = self.context.words
        if before == after:
            return words("tool_result.write_same", path=arguments.path)
        count = arguments.content.count("\n") + (not arguments.content.endswith("\n"))
        if before is None:
            return words("tool_result.created", path=arguments.path, n=count)
        return words("tool_result.written", path=arguments.path, n=count)


def _comparable(before: bytes | None) -> str:
    """What lay there as text for a diff; nothing for a binary file."""
    if before is None or binary_kind(before) is not None:
        return ""
    return before.decode("utf-8", "backslashreplace")
