"""`haima doctor`: what works, what doesn't, and what to do; `--rebuild` makes the database anew.

`--memory` looks at the memories only, and sends nothing.
"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from app.cli.codes import FAILED, OK
from app.cli.place import Place

if TYPE_CHECKING:
    from app.cli.console import Console


def doctor(console: "Console", place: Place, options: Namespace) -> int:
    """Prints the report; 1 where something doesn't work. Wrong settings are a finding."""
    if options.rebuild:
        return rebuild(console, place, options)
    import asyncio
    import shutil

    from app.session.doctor import TerminalFacts, run_checks

    columns, rows = shutil.get_terminal_size((100, 24))
    report = asyncio.run(
        run_checks(
            environ=place.environ,
            paths=place.paths,
            project=place.project,
            words=console.words,
            flags=place.flags,
            facts=TerminalFacts(columns, rows) if sys.stdout.isatty() else None,
            only="memory" if options.memory else "",
        )
    )
    if options.json:
        console.print_records(report.records())
    else:
        console.print(report.text(console.words, width=columns, ascii_only=console.ascii_only))
    return FAILED if report.failed else OK


def rebuild(console: "Console", place: Place, options: Namespace) -> int:
    """Makes the database anew from the ledgers; 1 where it wasn't as the ledgers say.

    Raises:
        HaimaError: it can't be done; the database is as before.
    """
    import asyncio

    from app.archive.verify import Rebuilt, rebuild_and_compare
    from app.cli.archive import opened
    from app.cli.rebuilt import rebuilt_records, rebuilt_text

    async def work() -> Rebuilt:
        async with opened(console, place) as database:
            return await rebuild_and_compare(database)

    found = asyncio.run(work())
    if options.json:
        console.print_records(rebuilt_records(found))
    else:
        console.print(rebuilt_text(found, console.words))
    return FAILED if found.differences else OK
