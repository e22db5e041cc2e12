"""Earlier messages of the open chain, for the agent and for the user: from the archive."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from app.archive.database import Database
from app.archive.message_search import Hit, search_messages, search_rows
from app.archive.originals import Original, find_original, find_texts, original_in, texts_in
from app.archive.rows import Row, read_rows
from app.conversation.meter import Meter
from app.conversation.window import Thresholds, quoted_tokens
from app.errors import HaimaError

_log = logging.getLogger(__name__)


class ChainOriginals:
    """Finds messages of one chain: in the database, else in its ledgers."""

    def __init__(
        self,
        chain: str,
        *,
        database: Database | None,
        ledgers: tuple[Path, ...],
        meter: Meter,
        marks: Callable[[], Thresholds],
    ) -> None:
        """Looks at nothing yet.

        Args:
            chain: the chain's id.
            database: of the archive; None: it can't be used.
            ledgers: where the chain was written, oldest first.
            meter: counts tokens.
            marks: of the window as it is now.
        """
        self._chain = chain
        self._database = database
        self._ledgers = ledgers
        self._meter = meter
        self._marks = marks

    @property
    def budget(self) -> int:
        """Tokens that one quotation may have."""
        return quoted_tokens(self._marks().window)

    def tokens(self, text: str) -> int:
        """The tokens of a text, as the meter estimates them."""
        return self._meter.text_tokens(text)

    async def find(self, ref: str) -> Original | None:
        """A message of the chain as it first came; None where there is none.

        Args:
            ref: its id, or that of the call it answers.

        Raises:
            StorageError: no archive can be read.
        """
        database = self._database
        if database is not None and database.trouble is None:
            try:
                found = await database.run(lambda one: find_original(one, self._chain, ref))
            except HaimaError:
                _log.exception("the archive can't be asked; the ledgers are read")
            else:
                if found is not None:
                    return found
        # What the database could not take in yet stands in the ledger.
        return await asyncio.to_thread(lambda: original_in(self._rows(), ref))

    async def search(self, query: str) -> Sequence[Hit]:
        """Messages of the chain that hold all words of a query, the newest first; a few.

        Raises:
            StorageError: no archive can be read.
        """
        database = self._database
        if database is not None and database.trouble is None:
            try:
                return await database.run(lambda one: search_messages(one, self._chain, query))
            except HaimaError:
                _log.exception("the archive can't be asked; the ledgers are read")
        return await asyncio.to_thread(lambda: search_rows(self._rows(), query))

    async def texts(self, refs: Sequence[str]) -> Mapping[str, str]:
        """What messages said when they first came, by their ids; those that can be read.

        Raises:
            StorageError: no archive can be read.
        """
        database, found = self._database, dict[str, str]()
        if database is not None and database.trouble is None:
            try:
                found = await database.run(lambda one: find_texts(one, self._chain, refs))
            except HaimaError:
                _log.exception("the archive can't be asked; the ledgers are read")
        if left := [ref for ref in refs if ref not in found]:
            found |= await asyncio.to_thread(lambda: texts_in(self._rows(), left))
        return found

    def _rows(self) -> Iterator[Row]:
        for path in self._ledgers:
            yield from read_rows(path)
