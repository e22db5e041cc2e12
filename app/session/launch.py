"""What the command line found out before a screen or a run begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.config import Settings
from app.errors import HaimaError
from app.paths import Paths
from app.project import Project
from app.text import Words

SLOW = 2.0
"""Seconds to find a session after which it is said that earlier ones are being read (FIELD 37)."""

StartKind = Literal["begin", "resume", "continue", "fork"]


@dataclass(frozen=True, slots=True)
class StartRequest:
    """Where the conversation is to begin, as it was asked for; nothing is looked up yet.

    Attributes:
        kind: a new one; that session; the project's newest one; another branch of that session.
        node_prefix: the beginning of the session's id ("resume", "fork").
        message: the beginning of the id of the message to fork at; "": at the end.
    """

    kind: StartKind = "begin"
    node_prefix: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything that is known at the start.

    Attributes:
        settings: after all layers.
        project: the folder to work in; with `demo` the scratch copy takes its place later.
        paths: Haima's home.
        words: in the user's language.
        environ: the process's environment.
        demo: `--demo` was given.
        start: where the conversation begins.
        notices: what the user should hear, in no language yet.
    """

    settings: Settings
    project: Project
    paths: Paths
    words: Words
    environ: Mapping[str, str]
    demo: bool = False
    start: StartRequest = StartRequest()
    notices: tuple[HaimaError, ...] = ()
