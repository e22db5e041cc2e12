"""Homes beside one checkout, processes that die where a test wants it, and what must hold then."""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Self

from app.archive.compare import compare
from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.load import LoadedNode, load_node
from app.archive.rebuild import rebuild
from app.archive.rebuilding import build
from app.archive.recorder import Recorder
from app.archive.rows import BadLine, Row, read_rows
from app.archive.sessions import newest_node
from app.paths import Paths
from app.text import Key, Words
from tests.endpoint import Endpoint
from tests.endpoint.http import Connection, Request
from tests.endpoint.script import Body, Script
from tests.scenarios.plugged import NOON, Plug, ticking
from tests.scenarios.support import Place, Ran, at

EN = Words("en")


class Wire(Endpoint):
    """An endpoint that keeps the bytes of each request too.

    Attributes:
        bodies: as they came.
    """

    def __init__(self, script: Script = (), dialect: str = "openai", **more: Any) -> None:
        super().__init__(script, dialect, **more)
        self.bodies: list[bytes] = []

    async def _chat(self, connection: Connection, request: Request) -> None:
        self.bodies.append(request.body)
        await super()._chat(connection, request)


class Home(Place):
    """A home of its own beside a checkout that others use too: requests can be compared.

    Attributes:
        paths: what is where in it.
    """

    def __init__(self, checkout: Path, home: Path) -> None:
        self.root = checkout
        self.home = home
        self.paths = Paths(home)

    def copy(self, name: str) -> Self:
        """A home that begins as this one was left, beside the same checkout."""
        home = self.home.with_name(name)
        shutil.copytree(self.home, home)
        return type(self)(self.root, home)

    async def plugged(
        self, endpoint: Endpoint, plug: Plug, *arguments: str, stdin: str = ""
    ) -> Ran:
        """`haima run` with everything allowed."""
        command = ("run", *at(endpoint), "--allow", "all", *arguments)
        return await self.haima(*command, stdin=stdin, environ=plug.environ())

    async def converse(
        self, endpoint: Endpoint, plug: Plug, prompts: Sequence[str], between: Callable[[], object]
    ) -> None:
        """One process that gets a prompt a line; `between` is called when it waits for the next."""
        command = ("run", *at(endpoint), "--allow", "all", "--json", "--lines")
        process = await self.start(*command, environ=plug.environ())
        for number, prompt in enumerate(prompts):
            if number:
                between()
            process.stdin.write(prompt.encode() + b"\n")
            while b'"turn_finished"' not in (line := await process.stdout.readline()):
                assert line
        await process.communicate(b"")
        assert process.returncode == 0

    @asynccontextmanager
    async def recording(self, when: str = NOON) -> AsyncIterator[Recorder]:
        """What writes to its newest node, for states that nothing a user does makes yet."""
        database = await Database.open(self.paths.database, self.paths.ledgers)
        await database.catch_up()

        def newest(connection: sqlite3.Connection) -> LoadedNode:
            found = newest_node(connection, str(self.root))
            assert found is not None
            return load_node(connection, found.id, EN)

        node = await database.run(newest)
        with Ledger.open(self.paths.ledger(node.ledger), now=ticking(when)) as ledger:
            yield Recorder(
                node.history,
                ledger,
                node.node.id,
                waiting=node.waiting,
                standings=node.standings,
                files=node.files,
                projection=database,
            )
        await database.close()

    def lines(self) -> list[dict[str, Any]]:
        """The whole rows of its only ledger; half a line at the end apart."""
        (ledger,) = self.ledgers
        whole, _, _ = ledger.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in whole.splitlines()]


def encode(value: object) -> bytes:
    """JSON as the client writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def with_messages(body: bytes, messages: Sequence[Body]) -> bytes:
    """The same request with other messages."""
    return encode({**json.loads(body), "messages": list(messages)})


def note_of(call: Body, key: Key = "agent.interrupted_earlier") -> Body:
    """The result that closes a call that a killed process had begun, as it is sent."""
    name = call["function"]["name"]
    content = f'<tool_result tool="{name}" trust="untrusted-data">\n{EN(key)}\n</tool_result>'
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


def all_rows(home: Path) -> list[Row]:
    """The rows of all ledgers; none may be bad, or doubled."""
    bad: list[BadLine] = []
    rows = [
        row
        for path in sorted(Paths(home).ledgers.glob("*.jsonl"))
        for row in read_rows(path, bad.append)
    ]
    assert bad == []
    return rows


def loaded(home: Path, node: str) -> LoadedNode:
    """A node as the database has it."""
    with closing(sqlite3.connect(Paths(home).database, isolation_level=None)) as connection:
        return load_node(connection, node, EN)


def nodes(home: Path) -> list[str]:
    """The ids of all nodes of the database."""
    with closing(sqlite3.connect(Paths(home).database)) as connection:
        return [str(id_) for (id_,) in connection.execute("SELECT id FROM nodes ORDER BY id")]


def agree(home: Path) -> None:
    """Ledgers, database and what is rebuilt of the ledgers say the same, nothing twice.

    Each ledger counts without gap from 1; an id is there once; the database, table by table, is the
    one that the ledgers alone come to; every node's history is the one its rows come to.
    """
    paths, rows = Paths(home), all_rows(home)
    for ledger in {row.ledger for row in rows}:
        numbers = [row.seq for row in rows if row.ledger == ledger]
        assert numbers == list(range(1, len(numbers) + 1))
    ids = [str(message["id"]) for row in rows for message in said_in(row)]
    assert [id_ for id_, times in Counter(ids).items() if times > 1] == []
    fresh = home / "fresh.db"
    fresh.unlink(missing_ok=True)
    build(fresh, paths.ledgers)
    assert compare(paths.database, fresh) == ()
    for node in nodes(home):
        here, there = loaded(home, node), rebuild(rows, node, EN)
        assert here.history.messages == there.history.messages
        assert here.history.recovery == there.history.recovery
        assert here.standings == there.standings
        assert here.files == there.files
        assert here.paused == there.paused
        assert here.waiting == there.waiting
        assert (here.skipped, here.lost, there.skipped, there.lost) == (0, (), (), ())


def said_in(row: Row) -> list[dict[str, Any]]:
    """The messages that a row brings."""
    if row.kind == "message":
        one = row.data["message"]
        return [one] if isinstance(one, dict) else []
    if row.kind in {"node", "splice"}:
        found = row.data["messages"]
        return list(found) if isinstance(found, list) else []
    return []
