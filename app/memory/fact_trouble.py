"""What was wrong with the files of the memory, as sentences."""

from pathlib import Path

from app.errors import HaimaError
from app.memory.fact_file import FlawKind
from app.memory.fact_outcomes import FactReport
from app.text import Key, Words

_KINDS: dict[FlawKind, Key] = {
    "empty": "memory.flaw_empty",
    "null": "memory.flaw_null",
    "root": "memory.flaw_root",
    "corrupt": "memory.flaw_corrupt",
    "encoding": "memory.flaw_encoding",
    "bad_entry": "memory.flaw_bad_entry",
    "doubled_id": "memory.flaw_doubled_id",
}


class FactTrouble(HaimaError):  # noqa: N818
    """Something in the file of facts is broken; what could be read is there.

    Attributes:
        report: what.
        path: the file.
    """

    code = "memory"

    def __init__(self, report: FactReport, path: Path) -> None:
        super().__init__("memory.damaged", path=path)
        self.report = report
        self.path = path

    def sentence(self, words: Words) -> str:
        """What is wrong, how much could be read, and where the old content lies."""
        report = self.report
        text = words(
            "memory.damaged",
            path=self.path,
            flaws=flaws_in_words(report, words),
            n=report.facts,
        )
        if report.from_memory:
            text += words("memory.kept_here", n=report.from_memory)
        if report.failure is not None:
            text += words("memory.no_copy", reason=report.failure.sentence(words))
        elif report.backup is not None:
            text += words("memory.copy", path=report.backup)
        return text


def flaws_in_words(report: FactReport, words: Words) -> str:
    """What is wrong, in a few words each."""
    return words("fact.list").join(words(_KINDS[flaw.kind], n=flaw.count) for flaw in report.flaws)


class InboxTrouble(HaimaError):  # noqa: N818
    """The inbox was broken; it begins anew, a copy of the old content lies beside it."""

    code = "memory"


def inbox_trouble(path: Path) -> InboxTrouble:
    """The inbox's file was broken."""
    return InboxTrouble("memory.inbox_damaged", path=path)
