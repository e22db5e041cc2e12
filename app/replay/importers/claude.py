"""Claude Code's transcripts: a line a block of a message, or something of the program's own.

What the model streamed as one message stands on several lines with the same `message.id`. What the
user typed while the agent was at work stands in an `attachment` alone. Lines of sub-agents
(`isSidechain`; in a file of its own a sub-agent is the one that is read), the program's remarks
(`isMeta`) and the summaries of its own compactions are left out: what they stand for is in the
file. A line may come twice, where a session was gone on with. A branch that the user left by going
back is read like the rest: it was sent.
"""

from collections.abc import Iterable
from typing import cast

from app.memory.name_tables import words
from app.replay.building import Builder
from app.replay.importers.blocks import read_content, text_of
from app.replay.importers.lines import Value

_SAID = frozenset({"user", "assistant"})

_BESIDE = words(
    "system summary file-history-snapshot file-history-delta queue-operation progress attachment "
    "bash_progress permission-mode mode last-prompt ai-title custom-title agent-name agent-color "
    "tag pr-link result worktree-state content-replacement bridge-session fork-context-ref"
)
"""Kinds of lines that hold nothing that was said."""


def detect(first: list[dict[str, object]]) -> bool:
    """Whether a file is of this format, by its first objects."""
    return any(
        text_of(value, "type") in _SAID
        and isinstance(value.get("message"), dict)
        and not value.keys().isdisjoint({"uuid", "sessionId", "parentUuid", "isSidechain"})
        for value in first
    )


def read(values: Iterable[Value], into: Builder) -> None:
    """Reads it."""
    seen: set[str] = set()
    agent: str | None = None
    for value in values:
        if value is None:
            into.skip("unreadable")
            continue
        kind, line = text_of(value, "type"), text_of(value, "uuid")
        if kind == "summary":
            into.title = into.title or text_of(value, "summary")
        queued = _queued(value) if kind == "attachment" else None
        if kind not in _SAID and queued is None:
            if kind not in _BESIDE:
                into.skip("unknown")
            continue
        aside = text_of(value, "agentId") if value.get("isSidechain") is True else None
        agent = (aside or "") if agent is None else agent
        if line and line in seen:
            into.skip("repeated")
        elif aside is not None and (not agent or aside != agent):
            into.skip("sidechain")
        elif any(value.get(name) is True for name in _OWN):
            into.skip("meta")
        else:
            seen.add(line)
            into.root = into.root or text_of(value, "cwd")
            if queued is None:
                _say(value, into)
            else:
                into.user(queued, text_of(value, "timestamp"))


_OWN = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def _queued(value: dict[str, object]) -> str | None:
    """What was typed while the agent was at work, as it was sent; None: another attachment."""
    given = value.get("attachment")
    if not isinstance(given, dict) or given.get("type") != "queued_command":
        return None
    return read_content(given.get("prompt")).text or None


def _say(value: dict[str, object], into: Builder) -> None:
    message = value.get("message")
    if not isinstance(message, dict):
        into.skip("broken")
        return
    told, at = cast("dict[str, object]", message), text_of(value, "timestamp")
    content = read_content(told.get("content"))
    for _ in range(content.unknown):
        into.skip("unknown")
    if value.get("type") == "assistant":
        model = text_of(told, "model")
        into.model = into.model if model.startswith("<") else model or into.model
        key = text_of(told, "id") or text_of(value, "uuid")
        into.assistant(content.text, content.calls, at, key=key)
        return
    for given in content.results:
        into.result(given.call, given.text, at, ok=given.ok)
    if content.text.strip():
        into.user(content.text, at)
    elif not content.results and not content.unknown:
        into.skip("empty")
