"""`haima thresholds`: the marks of the window in use beside those of the four usual ones."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rich.cells import cell_len

from app.config import Settings
from app.conversation.window import PRESETS, Thresholds, Window, WindowSource, thresholds
from app.errors import HaimaError
from app.llm.connect import normalise_base_url
from app.llm.model_table import find_model
from app.session.learned import LearnedLimits
from app.session.window import window_of
from app.text import Key, Words

_COLUMNS: Sequence[tuple[Key, str]] = (
    ("thresholds.head_window", "window"),
    ("thresholds.head_clear", "clear"),
    ("thresholds.head_precompute", "precompute"),
    ("thresholds.head_warn", "warn"),
    ("thresholds.head_summary", "summary"),
    ("thresholds.head_min_gain", "min_gain"),
    ("thresholds.head_memory", "memory"),
)
_SOURCES: dict[WindowSource, Key] = {
    "learned": "thresholds.from_learned",
    "flag": "thresholds.from_flag",
    "environment": "thresholds.from_environment",
    "config": "thresholds.from_config",
    "table": "thresholds.from_table",
    "default": "thresholds.from_default",
}
"""What can be known without asking anyone."""


class MarksReport:
    """The marks as text and as records; nobody is asked.

    Attributes:
        window: the one in use, or the one asked for.
        rows: its marks first, then those of the four usual windows, unless one was asked for.
    """

    def __init__(
        self,
        settings: Settings,
        asked: int | None = None,
        limits: LearnedLimits | None = None,
    ) -> None:
        """For the settings that hold.

        Args:
            settings: after all layers.
            asked: the window asked for (`--window`): that one alone, whatever the model.
            limits: what endpoints told of their windows.

        Raises:
            BadAddress: `model.base_url` is none.
        """
        self._model, address = settings.model.name, settings.model.base_url
        self._asked = asked
        if asked is not None:
            self.window = Window(asked, "flag")
        else:
            base_url = normalise_base_url(address) if address else ""
            learned = _learned(limits, base_url, self._model) if limits and base_url else None
            self.window = window_of(self._model, base_url, settings, learned=learned)
        first = self.window.effective
        others = () if asked is not None else (size for size in PRESETS if size != first)
        set_ = settings.compaction
        self.rows: tuple[Thresholds, ...] = tuple(
            thresholds(size, clear_at=set_.clear_at, min_gain=set_.min_gain)
            for size in (first, *others)
        )

    def records(self) -> Iterator[dict[str, object]]:
        """A record a window, for `--json`; `source` only on the one in use."""
        for number, marks in enumerate(self.rows):
            source = self.window.source if number == 0 else None
            yield {"type": "thresholds", **asdict(marks), "in_use": number == 0, "source": source}

    def text(self, words: Words) -> str:
        """The table, with a line on where the first row's window is from."""
        rows = [[words(key) for key, _ in _COLUMNS]]
        rows += [[f"{getattr(marks, name):,}" for _, name in _COLUMNS] for marks in self.rows]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(
                " " * (width - cell_len(cell)) + cell
                for cell, width in zip(row, widths, strict=True)
            )
            for row in rows
        )
        return "\n".join((*self._about(words), "", *lines)) + "\n"

    def _about(self, words: Words) -> Iterator[str]:
        learned = self.window.source == "learned"
        size = f"{self.window.effective if learned else self.window.size:,}"
        if self._asked is not None:
            yield words("thresholds.asked", window=size)
            return
        facts = find_model(self._model)
        source = words(_SOURCES[self.window.source], model=facts.name if facts else "")
        yield words("thresholds.here", window=size, source=source)
        if (limit := self.window.max_input) is not None and limit < self.window.size:
            yield words("thresholds.longest", limit=f"{limit:,}")


def _learned(limits: LearnedLimits, base_url: str, model: str) -> int | None:
    """What was learned of the model's window; what is wrong with the file is the doctor's."""
    try:
        known = limits.find(base_url, model)
    except HaimaError:
        return None
    return known.limit if known else None
