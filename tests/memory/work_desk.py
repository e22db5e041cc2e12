"""Short ways to tell a worklog what was called."""

import json
from collections.abc import Callable

from app.conversation.messages import ToolCall
from app.conversation.work import EntityKind, Stamp, Touch, Work
from app.memory.work_touches import no_stamp
from app.memory.worklog import Worklog

ROOT = "/home/lin/proj"
AT = "2026-11-30T09:00:00Z"

Did = tuple[str, str]
"""A name and what was done."""


def call(tool: str, arguments: str = "", /, **values: object) -> ToolCall:
    return ToolCall("c", tool, arguments or json.dumps(values))


def told(
    tool: str,
    arguments: str = "",
    /,
    *,
    result: str = "",
    ok: bool = True,
    log: Worklog | None = None,
    stamp: Callable[[str], Stamp | None] = no_stamp,
    **values: object,
) -> Work:
    """What a call adds to a worklog, a new one if none is given."""
    log = Worklog(ROOT) if log is None else log
    return log.of_result(call(tool, arguments, **values), result, ok=ok, stamp=stamp)


def ran(command: str, result: str = "", *, ok: bool = True, log: Worklog | None = None) -> Work:
    return told("execute_command", result=result, ok=ok, log=log, command=command)


def of(work: Work, kind: EntityKind) -> list[Touch]:
    return [touch for touch in work.touches if touch.kind == kind]


def files(work: Work) -> list[Did]:
    """The files that went well, with what was done."""
    return [(touch.name, touch.action) for touch in of(work, "file") if touch.ok]


def names(work: Work, kind: EntityKind) -> list[str]:
    return [touch.name for touch in of(work, kind)]


class Session:
    """Calls one after another, applied."""

    def __init__(self, log: Worklog | None = None) -> None:
        self.log = Worklog(ROOT) if log is None else log
        self.rows: list[tuple[str, Work]] = []

    def user(self, text: str) -> Work:
        return self._add(self.log.of_user(f"u{len(self.rows)}", text), result=False)

    def call(self, tool: str, *, result: str = "", ok: bool = True, **values: object) -> Work:
        self.log.next_step()
        arguments = json.dumps(values)
        return self._add(told(tool, arguments, result=result, ok=ok, log=self.log))

    def run(self, command: str, result: str = "", *, ok: bool = True) -> Work:
        return self.call("execute_command", result=result, ok=ok, command=command)

    def _add(self, work: Work, *, result: bool = True) -> Work:
        at = f"2026-11-30T{9 + len(self.rows) // 3600:02d}:{len(self.rows) // 60 % 60:02d}:"
        at += f"{len(self.rows) % 60:02d}Z"
        self.rows.append((at, work))
        self.log.apply(work, at=at, result=result)
        return work
