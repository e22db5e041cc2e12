"""Where a command works, and with which settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from app.cli.console import Console
    from app.paths import Paths
    from app.project import Project
    from app.session.launch import Launch, StartRequest


@dataclass(frozen=True, slots=True)
class Place:
    """What a command knows of the world.

    Attributes:
        environ: the process's environment.
        paths: Haima's home.
        project: the folder to work in.
        flags: settings given as options, by their names; None: not given.
    """

    environ: Mapping[str, str]
    paths: "Paths"
    project: "Project"
    flags: Mapping[str, str | None]


def find_place(options: "Namespace", environ: Mapping[str, str]) -> Place:
    """The place the options and the working folder name.

    Raises:
        PathsError: there is no home.
        ProjectError: `--project` names no folder.
    """
    from app.paths import Paths, haima_home
    from app.project import Project, find_project_root

    root = _folder(options.project) if options.project else find_project_root(Path.cwd())
    return Place(
        environ=environ,
        paths=Paths(haima_home(environ)),
        project=Project(root),
        flags={
            "model.name": options.model,
            "model.base_url": options.base_url,
            "model.window": options.window,
            "ui.language": options.lang,
            "ui.theme": options.theme,
        },
    )


def prepare(
    console: "Console",
    place: Place,
    *,
    demo: bool = False,
    start: "StartRequest | None" = None,
) -> "Launch":
    """Reads the settings; words, mask and log follow them from here on.

    Raises:
        ConfigError: a wrong setting.
    """
    from app.config import load_settings
    from app.session.launch import Launch, StartRequest
    from app.session.logs import start_log
    from app.text import Words

    settings = load_settings(
        environ=place.environ,
        paths=place.paths,
        project_root=place.project.root,
        flags=place.flags,
    )
    if settings.ui.language is not None:
        console.words = Words(settings.ui.language)
    console.mask = settings.mask
    start_log(place.paths.log_file, settings.mask)
    return Launch(
        settings=settings,
        project=place.project,
        paths=place.paths,
        words=console.words,
        environ=dict(place.environ),
        demo=demo,
        start=start or StartRequest(),
    )


def _folder(text: str) -> Path:
    """The folder `--project` names.

    Raises:
        ProjectError: it is none.
    """
    from app.project import ProjectError

    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise ProjectError("cli.no_folder", path=text)
    return folder
