"""Files to look at: the viewer over whatever screen is open, the log, the user's editor."""

import asyncio
from pathlib import Path

from app.boundary import visible
from app.screens.viewer import ViewerScreen
from app.session.launch import Launch
from app.text import Words
from app.view.file_source import FileSource, Source
from app.workbench.app import Workbench
from app.workbench.editor import edit_file
from widgets.requests import EditFile, OpenFile, OpenLog, Request
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen


class Files:
    """Opens them."""

    def __init__(self, app: Workbench, launch: Launch) -> None:
        self._app = app
        self._launch = launch

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it has nothing to do with files."""
        match request:
            case OpenFile():
                self.open(request.path, request.line)
            case OpenLog():
                self.open_log()
            case EditFile():
                work = unbegun(self._edit, request.path, request.line)
                self._app.run_worker(work, group="editor", exclusive=True, exit_on_error=False)
            case _:
                return False
        return True

    def open(self, path: Path, line: int | None = None) -> None:
        """A file in the viewer; the line can be a guess."""
        self._app.run_worker(unbegun(self._open, path, line), group="file", exit_on_error=False)

    def open_log(self) -> None:
        """The log in the viewer, or why there is none."""
        work = unbegun(self._open, self._launch.paths.log_file, _AT_THE_END, is_log=True)
        self._app.run_worker(work, group="file", exit_on_error=False)

    def show(self, source: Source, line: int | None = None) -> None:
        """A source in the viewer: a file, or a text in memory."""
        app = self._app
        screen = app.screen
        if isinstance(screen, WorkScreen):
            viewer = ViewerScreen(app.look, screen.state, source, at_line=line, clock=app.seconds)
            app.push_screen(viewer)
        else:
            source.close()

    async def _open(self, path: Path, line: int | None, *, is_log: bool = False) -> None:
        words, name = self._app.words, self._name(path)
        try:
            source = await asyncio.to_thread(FileSource, path, name)
        except OSError as error:
            if is_log and isinstance(error, FileNotFoundError):
                said = words("viewer.no_log_text", path=visible(name))
                self._app.toast("viewer.no_log", said)
            else:
                said = words(
                    "viewer.not_opened_text", path=visible(name), reason=_why(error, words)
                )
                self._app.toast("viewer.not_opened", said, "warn")
        else:
            self.show(source, line)

    async def _edit(self, path: Path, line: int) -> None:
        if not await edit_file(self._app, path, line, self._launch.environ):
            words = self._app.words
            self._app.toast("chat.editor_failed", words("chat.editor_failed_text"), "warn")

    def _name(self, path: Path) -> str:
        """A path as people write it: inside the project from its root, else from their home."""
        home = self._launch.environ.get("HOME", "")
        for folder, lead in ((self._launch.project.root, ""), (Path(home), "~/")):
            if home or not lead:
                try:
                    return f"{lead}{path.relative_to(folder).as_posix()}"
                except ValueError:
                    continue
        return str(path)


_AT_THE_END = 1 << 60
"""What went wrong last stands last."""


def _why(error: OSError, words: Words) -> str:
    """Why a file can't be opened."""
    if isinstance(error, FileNotFoundError):
        return words("viewer.missing")
    if isinstance(error, PermissionError):
        return words("viewer.not_allowed")
    return visible(error.strerror or "") if error.errno else words("viewer.not_plain")
