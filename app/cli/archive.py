"""The archive, opened for one command."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from app.cli.place import Place

if TYPE_CHECKING:
    from app.archive.database import Database
    from app.cli.console import Console


@asynccontextmanager
async def opened(console: "Console", place: Place) -> "AsyncIterator[Database]":
    """The database, with all that lies in the ledgers; what was put right is told on stderr.

    Looking makes nothing: where no session has left anything, an empty one elsewhere serves.

    Raises:
        HaimaError: it can't be opened, or can't take in what it lacks.
    """
    from app.archive.database import Database

    with ExitStack() as stack:
        path, ledgers = place.paths.database, place.paths.ledgers
        if not path.exists() and not ledgers.is_dir():
            path = Path(stack.enter_context(TemporaryDirectory())) / path.name
        database = await Database.open(path, ledgers)
        try:
            await database.catch_up()
            if database.trouble is not None:
                raise database.trouble
            for repair in database.repairs:
                console.say(repair.sentence(console.words))
            yield database
        finally:
            await database.close()
