"""Opens the ledger a chain is written to."""

from app.archive.ledger import Ledger
from app.errors import HaimaError
from app.session.elsewhere import SessionOpenElsewhere
from app.session.parts import Parts
from app.session.restore import Origin
from app.storage import Locked


class LedgerShort(HaimaError):  # noqa: N818
    """A session's ledger has lost rows since it was read, or is gone: nothing may follow them."""

    code = "ledger"


def open_ledger(origin: Origin, parts: Parts) -> Ledger:
    """A node's ledger; the file of a new one comes with the first row.

    Raises:
        SessionOpenElsewhere: another process has it open.
        LedgerShort: rows of it are gone.
        StorageError: it can't be opened.
    """
    try:
        ledger = Ledger.open(parts.paths.ledger(origin.ledger), now=parts.clock.now)
    except Locked as error:
        raise SessionOpenElsewhere(origin.node) from error
    if ledger.seq < origin.last_seq:
        ledger.close()
        raise LedgerShort("session.ledger_short", node=origin.node[:4], path=ledger.path)
    return ledger
