"""A recorded session, in our own messages, whatever wrote it down.

It always makes a valid history: what a recording lacks or has twice is put right while it is read
(`building`), and told.
"""

import re
from dataclasses import dataclass
from typing import Literal

from app.conversation.messages import Message
from app.errors import HaimaError
from app.memory.small_talk import asks_nothing

Format = Literal["haima", "openai", "claude", "codex", "sweagent"]
"""Who wrote it: Haima, anyone in OpenAI's chat format, Claude Code, Codex, SWE-agent."""

SkipReason = Literal[
    "unreadable", "unknown", "broken", "empty", "orphan", "repeated", "sidechain", "meta"
]
"""Why something was left out: no JSON; of a kind nobody knows; of a known kind, but without what
belongs to it; with nothing in it; a result that answers no call; said before; of a sub-agent; the
recorder's own (its summaries, its remarks)."""

Repair = Literal["closed", "renamed"]
"""What was put right: a call without a result got a note in its place; an id stood there twice."""


class RecordingError(HaimaError):
    """A recording can't be had."""

    code = "recording"


class NoSuchRecording(RecordingError):  # noqa: N818
    """There is no such file."""

    code = "not_found"


@dataclass(frozen=True, slots=True)
class Counted:
    """How often something was left out or put right."""

    what: SkipReason | Repair
    count: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """One message.

    Attributes:
        message: as it was said.
        at: when, ISO 8601; "" where that isn't recorded.
        spoken: of a user's message: a person said it; False for what the recorder put there.
        ok: of a result: the call did what was asked, as far as that is recorded.
    """

    message: Message
    at: str = ""
    spoken: bool = False
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Recording:
    """A session.

    Attributes:
        source: the file's name, or the session's id.
        format: who wrote it.
        title: its own, else the first line of what the user asked for first.
        entries: the messages in order; `History.check` takes them.
        skipped: what was left out, by reason.
        repaired: what was put right.
        model: the last that answered; "" where it isn't recorded.
        window: tokens of its window, where it is recorded.
        root: the project's folder, where it is recorded, else the likeliest; "" for none.
        past_missing: the ledger that holds the beginning of a fork, which wasn't found: what was
            said there is missing, and the measures are those of the rest; "" for none.
    """

    source: str
    format: Format
    title: str
    entries: tuple[Recorded, ...]
    skipped: tuple[Counted, ...] = ()
    repaired: tuple[Counted, ...] = ()
    model: str = ""
    window: int | None = None
    root: str = ""
    past_missing: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        """All of them."""
        return tuple(entry.message for entry in self.entries)

    @property
    def steps(self) -> tuple[int, ...]:
        """Where the assistant's messages stand: before each of them a request went out."""
        return tuple(
            at for at, entry in enumerate(self.entries) if entry.message.role == "assistant"
        )

    @property
    def left_out(self) -> int:
        """How much was left out, for whatever reason."""
        return sum(one.count for one in self.skipped)

    @property
    def goal(self) -> Message | None:
        """What the user asked for first; None where nobody asked for anything."""
        users = [entry for entry in self.entries if entry.message.role == "user"]
        spoken = [entry.message for entry in users if entry.spoken]
        asked = (one for one in spoken if not asks_nothing(one.text))
        return next(asked, next(iter(spoken), users[0].message if users else None))


_BOILERPLATE = re.compile(
    r"\s*(?:# AGENTS\.md|<environment_context|<user_instructions|<permissions|Caveat: "
    r"|<command-|<local-command|<bash-|<system-reminder|<turn_aborted|<task-notification"
    r"|<INSTRUCTIONS|<user_shell_command|<subagent_notification|<skill>|\[Request interrupted"
    r"|This session is being continued from a previous conversation"
    r"|/clear\b|/model\b|/mode\b|Unknown skill)",
    re.IGNORECASE,
)
"""How messages begin that an agent's program puts into the user's mouth (REPLAY, "goal kept")."""


def is_spoken(text: str) -> bool:
    """Whether a person said it."""
    return bool(text.strip()) and _BOILERPLATE.match(text) is None
