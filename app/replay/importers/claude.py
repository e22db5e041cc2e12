"""Claude Code's transcripts: a line a block of a message, or something of the program's own.

What the model streamed as one message stands on several lines with the same `message.id`. Lines of
sub-agents (`isSidechain`), the program's remarks (`isMeta`) and the summaries of its own
compactions are left out: what they stand for is in the file. A line may come twice, where a session
was gone on with.
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
        value.get("type") in _SAID
        and isinstance(value.get("message"), dict)
        and not value.keys().isdisjoint({"uuid", "sessionId", "parentUuid", "isSidechain"})
        for value in first
    )


def read(values: Iterable[Value], into: Builder) -> None:
    """Reads it."""
    seen: set[str] = set()
    for value in values:
        if value is None:
            into.skip("unreadable")
            continue
        kind, line = value.get("type"), text_of(value, "uuid")
        if kind == "summary":
            into.title = into.title or text_of(value, "summary")
        if kind not in _SAID:
            if kind not in _BESIDE:
                into.skip("unknown")
        elif line and line in seen:
            into.skip("repeated")
        elif value.get("isSidechain") is True:
            into.skip("sidechain")
        elif any(value.get(name) is True for name in _OWN):
            into.skip("meta")
        else:
            seen.add(line)
            into.root = into.root or text_of(value, "cwd")
            _say(value, into)


_OWN = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


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
