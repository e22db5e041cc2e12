"""What the command line found out before a screen or a run begins."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.config import Settings
from app.errors import HaimaError
from app.paths import Paths
from app.project import Project
from app.text import Words


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
        notices: what the user should hear, in no language yet.
    """

    settings: Settings
    project: Project
    paths: Paths
    words: Words
    environ: Mapping[str, str]
    demo: bool = False
    notices: tuple[HaimaError, ...] = ()
