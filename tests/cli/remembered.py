"""A home in which things are remembered: the file of memories, as another program wrote it."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.paths import Paths
from app.project import Project

HERE, EVERYWHERE, GUESS, OLD, THERE = (
    "fact-1a2b3c4d",
    "fact-1a9f0000",
    "fact-2c000000",
    "fact-3d000000",
    "fact-4e000000",
)


class Remembered:
    """The memories of a user who has worked before: three here, one global, one elsewhere."""

    def __init__(self) -> None:
        self.home = Path(os.environ["HOME"])
        self.file = Paths(self.home / ".haima").home / "memory" / "long_term_memory.json"
        self.project = str(Project(self.home).root)
        self.write(
            (
                self.fact(HERE, "项目使用 JDK 17", days=2, note="kept"),
                self.fact(EVERYWHERE, "The user prefers short answers", days=3, scope="global"),
                self.fact(GUESS, "The tests need a running Redis", days=1, pending="true"),
                self.fact(OLD, "Releases are cut on Fridays", days=31),
                self.fact(THERE, "The other project uses JDK 8", days=1, project="/elsewhere"),
            )
        )

    def fact(
        self,
        name: str,
        content: str,
        *,
        days: float,
        scope: str = "project",
        project: str = "",
        pending: str = "",
        note: str = "",
    ) -> dict[str, Any]:
        """An entry of the file, confirmed some days ago."""
        # Ages are told against the real present.
        at = datetime.now(UTC) - timedelta(days=days, minutes=5)
        stamp = at.isoformat().replace("+00:00", "Z")
        metadata = {"source": "fact", "scope": scope}
        if scope == "project":
            metadata["project"] = project or self.project
        if pending:
            metadata["verification_pending"] = pending
        entry: dict[str, Any] = {
            "id": name,
            "content": content,
            "type": "FACT",
            "timestamp": stamp,
            "lastVerifiedAt": stamp,
            "metadata": metadata,
            "tokenCount": 7,
        }
        return entry | ({"note": note} if note else {})

    def write(self, entries: Sequence[dict[str, Any]]) -> None:
        """Another program writes the file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(entries, ensure_ascii=False, indent=2), encoding="utf-8")

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What stands in the file now."""
        found: list[dict[str, Any]] = json.loads(self.file.read_bytes())
        return found

    @property
    def contents(self) -> list[str]:
        """The texts in it."""
        return [entry["content"] for entry in self.entries]
