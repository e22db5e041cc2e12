"""`haima thresholds` and `haima usage`: figures, as a text or as records."""

from argparse import Namespace
from typing import TYPE_CHECKING

from app.cli.codes import OK
from app.cli.place import Place, prepare

if TYPE_CHECKING:
    from app.cli.console import Console


def thresholds(console: "Console", place: Place, options: Namespace) -> int:
    """Prints the marks of the window asked for, or in use beside the four usual ones.

    Raises:
        ConfigError: a wrong setting.
    """
    from app.session.learned import LearnedLimits
    from app.session.marks import MarksReport

    settings = prepare(console, place).settings
    asked = settings.model.window if place.flags["model.window"] else None
    report = MarksReport(settings, asked, LearnedLimits(place.paths.limits_file))
    if options.json:
        console.print_records(report.records())
    else:
        console.print(report.text(console.words))
    return OK


def usage(console: "Console", place: Place, options: Namespace) -> int:
    """Prints what the calls of all conversations of this project came to, model by model.

    Raises:
        HaimaError: the archive can't be read.
    """
    import asyncio

    from app.cli.archive import opened
    from app.session.project_usage import project_usage, usage_records
    from app.session.usage import usage_text

    async def read() -> "UsageSums":
        async with opened(console, place) as database:
            return await project_usage(database, place.project.root)

    sums = asyncio.run(read())
    if options.json:
        console.print_records(usage_records(sums))
    else:
        console.print(usage_text(sums, console.words) + "\n")
    return OK


if TYPE_CHECKING:
    from app.session.usage import UsageSums
