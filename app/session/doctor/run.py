"""Runs all checks side by side; one that fails by itself becomes a finding, never an end."""

import asyncio
import platform
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from app.boundary import visible
from app.config import ConfigError, Settings, load_settings, mask
from app.config.secrets import secrets_among
from app.errors import HaimaError
from app.paths import Paths
from app.project import Project
from app.session.about import haima_version
from app.session.doctor import archive, endpoint, kept, place, remembered, terminal
from app.session.doctor.endpoint import Probe
from app.session.doctor.report import GROUPS, Finding, Group, GroupId, Report
from app.session.doctor.terminal import TerminalFacts
from app.text import Key, Words

_LONGEST = 90.0
"""Seconds for one check; the test request has tighter limits of its own."""

_TITLES: Mapping[GroupId, Key] = {
    "model": "doctor.group_model",
    "kept": "doctor.group_kept",
    "terminal": "doctor.group_terminal",
    "project": "doctor.group_project",
}


@dataclass(frozen=True, slots=True)
class _Check:
    """Something to look at: where its findings stand, its name, and what finds them."""

    group: GroupId
    name: str
    find: Callable[[], Awaitable[list[Finding]]]


async def run_checks(
    *,
    environ: Mapping[str, str],
    paths: Paths,
    project: Project,
    words: Words,
    flags: Mapping[str, str | None] | None = None,
    facts: TerminalFacts | None = None,
    probe: Probe | None = None,
    in_use: Settings | None = None,
    only: str = "",
    monotonic: Callable[[], float] = time.monotonic,
) -> Report:
    """Examines everything; changes nothing, and sends one tiny request to the model.

    Args:
        environ: the environment.
        paths: the home.
        project: the folder Haima was started in.
        words: the language of the findings.
        flags: from the command line, as for `load_settings`.
        facts: what the caller knows of the terminal; None: there is none.
        probe: makes the test request; the real one by default.
        in_use: settings that a session holds; the endpoint is asked with them.
        only: the one check to make, by its name; "" makes all.
        monotonic: seconds that only go forward.
    """
    begun = monotonic()
    settings, wrong = _settings(environ, paths, project, flags)
    checks = (
        _Check("model", "endpoint", lambda: endpoint.reachable(in_use or settings, words, probe)),
        _Check("model", "auxiliary", lambda: endpoint.auxiliary(in_use or settings, words, probe)),
        _Check("model", "limit", lambda: endpoint.learned(in_use or settings, paths, words)),
        _Check("kept", "home", lambda: kept.home(paths, environ, words)),
        _Check(
            "kept",
            "settings",
            lambda: kept.settings(paths, project, environ, words, settings, wrong),
        ),
        _Check("kept", "ledger", lambda: kept.ledgers(paths, environ, words)),
        _Check("kept", "database", lambda: archive.database(paths, environ, words)),
        _Check("kept", "memory", lambda: remembered.memories(paths, project, environ, words)),
        _Check("kept", "locks", lambda: archive.locks(paths, words)),
        _Check("terminal", "python", lambda: terminal.python(words)),
        _Check("terminal", "colours", lambda: terminal.colours(environ, facts, words)),
        _Check("terminal", "widths", lambda: terminal.widths(facts, words)),
        _Check("terminal", "tmux", lambda: terminal.tmux(environ, words)),
        _Check("project", "root", lambda: place.root(project, environ, words)),
        _Check("project", "git", lambda: place.git(project, environ, words)),
        _Check("project", "documents", lambda: place.documents(project, paths, words)),
        _Check("project", "project_settings", lambda: place.settings(project, paths, words)),
        _Check("project", "search", lambda: place.search(environ, words)),
    )
    chosen = [check for check in checks if only in {"", check.name}]
    found = await asyncio.gather(*(_guarded(check, words) for check in chosen))
    credentials = _credentials(in_use or settings, environ)

    def shown(text: str) -> str:
        return visible(mask(text, credentials))

    groups = []
    for group in GROUPS:
        findings = tuple(
            finding.changed(shown)
            for check, its in zip(chosen, found, strict=True)
            if check.group == group
            for finding in its
        )
        if findings:
            groups.append(Group(id=group, title=words(_TITLES[group]), findings=findings))
    return Report(
        groups=tuple(groups),
        haima=haima_version(),
        python=platform.python_version(),
        seconds=max(0.0, monotonic() - begun),
    )


def _settings(
    environ: Mapping[str, str],
    paths: Paths,
    project: Project,
    flags: Mapping[str, str | None] | None,
) -> tuple[Settings | None, ConfigError | None]:
    """The settings, or what is wrong with them."""
    try:
        loaded = load_settings(environ=environ, paths=paths, project_root=project.root, flags=flags)
    except ConfigError as error:
        return None, error
    return loaded, None


def _credentials(settings: Settings | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be shown; also where the settings are wrong."""
    known = settings.credentials if settings is not None else ()
    variables = (text for name, text in environ.items() if name.endswith("API_KEY"))
    return secrets_among((*known, *variables))


async def _guarded(check: _Check, words: Words) -> list[Finding]:
    """The findings of one check; its own failure, whatever it is, is one."""
    try:
        async with asyncio.timeout(_LONGEST):
            return await check.find()
    except TimeoutError:
        value = words("doctor.no_end", seconds=f"{_LONGEST:.0f}")
    except HaimaError as error:
        value = error.sentence(words)
    except Exception as error:
        value = words("doctor.check_failed", problem=f"{type(error).__name__}: {error}")
    return [Finding(check=check.name, state="unsure", label=check.name, value=value)]
