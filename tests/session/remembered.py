"""Facts in a session's memory, put there as another program would."""

import json
import os
from itertools import count
from pathlib import Path
from typing import Any

from app.conversation.messages import IdFactory
from app.session.session import Session
from tests.endpoint import Endpoint
from tests.session.support import Recorded

Entry = dict[str, Any]

OPENING = (
    "Clues from earlier sessions, not facts: each may be out of date; "
    "files and the user's words win."
)


def entry(name: str, content: str, project: Path | None = None, **metadata: str) -> Entry:
    """A fact as it stands in the file, of 20 November 2026; without a project a global one."""
    where = {"scope": "project", "project": os.path.realpath(project)} if project else {}
    return {
        "id": name,
        "content": content,
        "type": "FACT",
        "timestamp": "2026-11-20T12:00:00Z",
        "lastVerifiedAt": "2026-11-20T12:00:00Z",
        "metadata": {"source": "fact", **({"scope": "global"} | where), **metadata},
        "tokenCount": 10,
    }


def ids(letter: str) -> IdFactory:
    """Ids that are unlike those of another process."""
    numbers = count(1)
    return lambda: f"{letter}{next(numbers):011}"


def facts_file(tmp_path: Path) -> Path:
    """The file of the sessions that `make_session` makes there."""
    return tmp_path / "haima" / "memory" / "long_term_memory.json"


def put_facts(tmp_path: Path, *entries: Entry) -> Path:
    """Writes the whole file."""
    path = facts_file(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(entries), ensure_ascii=False), encoding="utf-8")
    return path


def last_said(endpoint: Endpoint) -> str:
    """The user's newest message, as the server got it."""
    asked = [one for one in endpoint.requests[-1]["messages"] if one["role"] == "user"]
    return str(asked[-1]["content"])


async def say(session: Session, endpoint: Endpoint, text: str) -> str:
    """Sends a message; gives it as the server got it."""
    assert (await session.run(text)).ok
    return last_said(endpoint)


def notices(recorded: Recorded) -> list[str]:
    """What was told about the memory."""
    told = recorded.of("notice")
    return [one.text for one in told if getattr(one, "code", "") == "memory"]  # type: ignore[attr-defined]
