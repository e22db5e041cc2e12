"""What earlier sessions left in the home: ledgers, written row by row as Haima writes them."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart
from app.paths import Paths
from app.project import Project

ID, FORK, OTHER, ELSEWHERE = "7f3a9c01d2e4", "8e10000000aa", "2b77000000aa", "3c1e000000aa"
"""The sessions of the fixture `kept`."""


class Kept:
    """The home of a user who has worked before."""

    def __init__(self, home: Path | None = None, project: Path | None = None) -> None:
        """In the test's own home; the project is the folder tests run `haima` in."""
        self.paths = Paths(home or Path(os.environ["HOME"]) / ".haima")
        self.project = str(Project(project or Path(os.environ["HOME"])).root)
        self._layouts: dict[str, list[str]] = {}
        self._chains: dict[str, str] = {}

    def talk(
        self,
        node: str,
        *prompts: str,
        project: str | None = None,
        days: float = 0,
        usage: Mapping[str, object] | None = None,
    ) -> str:
        """A conversation of its own: each prompt is answered, some days ago."""
        self._chains[node] = node
        system = Message(f"{node[:4]}00", "system", (TextPart("You are an agent."),))
        self._layouts[node] = [system.id]
        start = NodeStart(
            chain=node,
            project=self.project if project is None else project,
            model="deepseek-v3.2",
            version="0.1.0",
            branch="main",
            layout=(LayoutEntry(system.id),),
            messages=(system,),
        )
        self._write(node, start, prompts, days, usage)
        return node

    def fork(self, node: str, parent: str, turn: int, *prompts: str, days: float = 0) -> str:
        """Another branch of a conversation after one of its turns, in a ledger of its own."""
        chain = self._chains[node] = self._chains[parent]
        kept = self._layouts[parent][: 1 + 2 * turn]
        self._layouts[node] = list(kept)
        start = NodeStart(
            chain=chain,
            parent=parent,
            relation="fork",
            project=self.project,
            model="deepseek-v3.2",
            layout=tuple(map(LayoutEntry, kept)),
            fork_at=kept[-1],
            fork_turn=turn,
        )
        self._write(node, start, prompts, days, None)
        return node

    def summary(self, node: str, parent: str, *prompts: str) -> str:
        """The conversation goes on after a summary, in the same ledger."""
        chain = self._chains[node] = self._chains[parent]
        self._layouts[node] = self._layouts[parent][:1]
        start = NodeStart(
            chain=chain,
            parent=parent,
            relation="summary",
            project=self.project,
            model="deepseek-v3.2",
            layout=tuple(map(LayoutEntry, self._layouts[node])),
        )
        self._write(node, start, prompts, 0, None, chain)
        return node

    def ledger(self, name: str) -> Path:
        """A ledger's file."""
        return self.paths.ledger(name)

    def _write(
        self,
        node: str,
        start: NodeStart,
        prompts: tuple[str, ...],
        days: float,
        usage: Mapping[str, object] | None,
        ledger: str = "",
    ) -> None:
        # Ages are told against the real present.
        moment = datetime.now(UTC) - timedelta(days=days, minutes=5)

        def now() -> datetime:
            nonlocal moment
            moment += timedelta(seconds=1)
            return moment

        with Ledger.open(self.ledger(ledger or node), now=now) as rows:
            rows.append("node", start.to_data(), node=node)
            for number, prompt in enumerate(prompts, start=1):
                question = Message(f"{node[:4]}{number:02}aa", "user", (TextPart(prompt),))
                answer = Message(
                    f"{node[:4]}{number:02}bb", "assistant", (TextPart(f"Answer to {prompt}"),)
                )
                for message in (question, answer):
                    rows.append("message", {"message": message_to_json(message)}, node=node)
                    self._layouts[node].append(message.id)
                figures = {"message": answer.id, "model": "deepseek-v3.2", **(usage or TOLD)}
                rows.append("usage", figures, node=node)


TOLD: Mapping[str, object] = {
    "prompt": 1_000,
    "cached": 400,
    "completion": 50,
    "reasoning": 0,
    "cost": 0.25,
}
"""What the provider told of each answer."""
