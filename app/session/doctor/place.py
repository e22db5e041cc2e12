"""The project: its root, git, documents and settings, and what searches it."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from app.config import check_file, read_toml
from app.paths import Paths, project_config
from app.project import Project, git_state
from app.session.doctor.asking import ask
from app.session.doctor.kept import short
from app.session.doctor.report import Finding, State
from app.session.documents import read_documents
from app.text import Words
from app.tools.toolbox import find_ripgrep


async def root(project: Project, environ: Mapping[str, str], words: Words) -> list[Finding]:
    """Where the agent may read and write."""
    state: State = "ok"
    note, cure = words("doctor.fenced"), ""
    if not await asyncio.to_thread(os.access, project.root, os.R_OK | os.X_OK):
        state, note, cure = "fail", "", words("doctor.root_unreadable")
    elif project.root in {Path(project.root.anchor), Project(Path(environ.get("HOME", "/"))).root}:
        state, cure = "warn", words("doctor.root_home")
    return [
        Finding(
            check="root",
            state=state,
            label=words("doctor.root"),
            value=project.place(environ),
            note=note,
            cure=cure,
        )
    ]


async def git(project: Project, environ: Mapping[str, str], words: Words) -> list[Finding]:
    """The work tree's state, as the header shows it."""
    state: State = "ok"
    if shutil.which("git", path=environ.get("PATH", os.defpath)) is None:
        state, value = "unsure", words("doctor.git_missing")
    elif (found := await git_state(project.root, environ)) is None:
        value = words("doctor.git_none")
    else:
        changes = words("doctor.git_changes", n=found.changes)
        value = words("doctor.comma").join((found.branch, changes))
    return [Finding(check="git", state=state, label="git", value=value)]


async def documents(project: Project, paths: Paths, words: Words) -> list[Finding]:
    """What goes into the system message."""
    found = await asyncio.to_thread(read_documents, project, paths.home, words)
    names = words("doctor.comma").join(document.path for document in found.documents)
    characters = sum(len(document.text) for document in found.documents)
    said = [notice.text for notice in found.notices]
    return [
        Finding(
            check="documents",
            state="warn" if said else "ok",
            label=words("doctor.documents"),
            value=names or words("doctor.documents_none"),
            note=words("doctor.characters", n=f"{characters:,}") if names else "",
            cure=said[0] if said else "",
            details=tuple(said[1:]),
        )
    ]


async def settings(project: Project, paths: Paths, words: Words) -> list[Finding]:
    """The project's own settings, of which few keys count."""
    path = project_config(project.root)
    if path.resolve() == paths.config_file.resolve():
        return []
    label = words("doctor.project_settings")
    shown = ".haima/config.toml"
    errors = await asyncio.to_thread(check_file, path, project=True)
    if errors:
        said = [error.sentence(words) for error in errors]
        # A key that isn't applied does no harm; anything else keeps Haima from starting here.
        harmless = all(error.key == "config.project_key" for error in errors)
        return [
            Finding(
                check="project_settings",
                state="warn" if harmless else "fail",
                label=label,
                value=shown,
                cure=said[0],
                details=tuple(said[1:]),
            )
        ]
    sections = sorted(await asyncio.to_thread(read_toml, path))
    value = words("doctor.project_settings_none")
    if sections:
        value = words("doctor.project_settings_found", path=shown, sections=", ".join(sections))
    return [
        Finding(
            check="project_settings",
            state="ok",
            label=label,
            value=value,
            note=words("doctor.allowed_only") if sections else "",
        )
    ]


async def search(environ: Mapping[str, str], words: Words) -> list[Finding]:
    """What `search_files` uses."""
    found = find_ripgrep(environ)
    version = (await ask(environ, str(found), "--version")).partition("\n")[0] if found else ""
    return [
        Finding(
            check="search",
            state="ok",
            label=words("doctor.search"),
            value=version or words("doctor.search_own"),
            note=short(found, environ) if found and version else words("doctor.search_slower"),
        )
    ]
