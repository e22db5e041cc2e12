"""The archive behind a session: opened once, asked where a chain comes from, closed at the end."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from app.archive.database import Connection, Database
from app.archive.ledger import Ledger
from app.archive.rows import read_rows
from app.archive.sessions import get_node
from app.archive.titles import title_shown
from app.archive.usage import calls_of
from app.errors import HaimaError
from app.ports import ChatModel, Publish
from app.project import GitState
from app.session.chain import Chain
from app.session.context import SessionContext
from app.session.elsewhere import SessionOpenElsewhere
from app.session.launch import StartRequest
from app.session.opening import open_ledger
from app.session.parts import Parts
from app.session.remembering import Remembering
from app.session.restore import Begin, Origin, Start, find_origin, resolve
from app.session.usage import UsageSums, sum_calls, sum_usage


class NoArchive(HaimaError):  # noqa: N818
    """Earlier sessions can't be had: the database can't be used."""

    code = "database"


class Chains:
    """Opens chains, new ones and earlier ones.

    Without a usable database the session goes on, its ledger is the truth; only what was before is
    out of reach.
    """

    def __init__(
        self,
        publish: Publish,
        context: SessionContext,
        remembering: Remembering,
        report: Callable[[HaimaError], None],
    ) -> None:
        """Opens nothing yet.

        Args:
            publish: gets the agent's events.
            context: follows what goes out, and says how much fits.
            remembering: the memory.
            report: hears of trouble with the database, and of what was put right in it.
        """
        self._publish = publish
        self._context = context
        self._remembering = remembering
        self._report = report
        self._database: Database | None = None
        self._refused: HaimaError | None = None
        self._catching: asyncio.Task[object] | None = None

    @property
    def database(self) -> Database:
        """The archive.

        Raises:
            HaimaError: it can't be used; says why.
        """
        if self._database is None:
            raise self._refused or NoArchive("session.no_archive")
        return self._database

    async def prepare(self, parts: Parts) -> None:
        """Opens the database; what it lacks is taken in beside everything else."""
        if self._database is not None:
            return
        paths = parts.paths
        try:
            self._database = await Database.open(
                paths.database, paths.ledgers, report=self._report, now=parts.clock.now
            )
        except HaimaError as error:
            self._refused = error
            self._report(error)
        else:
            self._catching = asyncio.create_task(self._database.catch_up())

    async def find(self, request: StartRequest, parts: Parts) -> Start | None:
        """What the command line asks for; None: `--continue`, and there is nothing yet.

        Raises:
            HaimaError: there is no such session, or none can be had.
        """
        await self.prepare(parts)
        if request.kind == "begin":
            return Begin()
        await self.caught_up()
        return await resolve(request, self.database, parts.project.root)

    async def open(
        self, start: Start, parts: Parts, model: ChatModel, git: GitState | None
    ) -> Chain:
        """A chain that is open, with all that its ledger holds.

        Raises:
            SessionOpenElsewhere: another process has it open.
            HaimaError: there is no such session, or none can be had; the ledger can't be opened.
        """
        origin = await self._origin(start, parts)
        ledger = open_ledger(origin, parts)
        try:
            if origin.begun and ledger.seq > origin.last_seq:
                origin = await self._read_again(start, parts, ledger)
            return Chain(
                parts,
                model,
                self._publish,
                git,
                self._context,
                self._remembering,
                origin=origin,
                ledger=ledger,
                database=self._database,
            )
        except BaseException:
            ledger.close()
            raise

    async def _origin(self, start: Start, parts: Parts) -> Origin:
        """What the chain that is asked for is opened with."""
        await self.prepare(parts)
        if isinstance(start, Begin):
            return await find_origin(start, None, parts.words, parts.new_id)
        await self.caught_up()
        return await find_origin(start, self.database, parts.words, parts.new_id)

    async def _read_again(self, start: Start, parts: Parts, ledger: Ledger) -> Origin:
        """The origin with rows that weren't there when it was read; the lock is ours now.

        A last row may only now have got its line end; another process had the last word perhaps.

        Raises:
            HaimaError: the database can't take them in, or another process just forked the node.
        """
        await self.database.catch_up()
        origin = await self._origin(start, parts)
        if origin.ledger != ledger.name:
            raise SessionOpenElsewhere(origin.parent or origin.node)
        if origin.last_seq < ledger.seq:
            raise self.database.trouble or NoArchive("session.no_archive")
        return origin

    async def title(self, node: str) -> str:
        """What a session is called; "" where it has no title, or isn't known."""
        if self._database is None or self._database.trouble is not None:
            return ""
        return await self._database.run(lambda connection: _title(connection, node))

    async def usage(self, chain: str, ledger: Path) -> UsageSums:
        """What the calls of a chain came to.

        Args:
            chain: its id.
            ledger: what is read where the database can't be used.

        Raises:
            HaimaError: nothing can be read.
        """
        if self._database is None or self._database.trouble is not None:
            return await asyncio.to_thread(lambda: sum_usage(read_rows(ledger)))
        return await self._database.run(
            lambda connection: sum_calls(calls_of(connection, chain=chain))
        )

    async def close(self) -> None:
        """Closes the database; what it still lacks is taken in at the next start."""
        if self._catching is not None:
            self._catching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._catching
        if self._database is not None:
            await self._database.close()

    async def caught_up(self) -> None:
        """Waits until the database has all that the ledgers have."""
        if self._catching is not None:
            await asyncio.shield(self._catching)


def _title(connection: Connection, node: str) -> str:
    found = get_node(connection, node)
    return "" if found is None else title_shown(connection, found)
