"""Words of Chinese text, by jieba: its dictionary is read once, late, and never on the loop.

jieba would print to stderr, and keep its dictionary under a name anybody may write to in the
temporary folder (`jieba.cache`, read with marshal): so we build the dictionary ourselves.
"""

import asyncio
import logging
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Cut: TypeAlias = Callable[[str], list[str]]
"""Parts of a run of Chinese; together they are the run."""


class Words:
    """The words of Chinese text; the dictionary is read at the first need, about a second.

    Safe from any thread. Where jieba cannot be read, single characters serve, and `trouble` says
    why: a fact must not fail to be saved for the want of a dictionary.
    """

    def __init__(self, read: Callable[[], Cut]) -> None:
        """Keeps how the dictionary is read; reads nothing yet."""
        self._read = read
        self._lock = threading.Lock()
        self._cut: Cut | None = None
        self._thread: threading.Thread | None = None
        self.trouble = ""

    @property
    def ready(self) -> bool:
        """Whether words come at once."""
        return self._cut is not None

    def __call__(self, text: str) -> list[str]:
        """The words of a run of Chinese. Blocks for a second if the dictionary is not read yet."""
        return self.load()(text)

    def load(self) -> Cut:
        """Reads the dictionary, once; others that ask meanwhile wait for it."""
        if self._cut is None:
            with self._lock:
                if self._cut is None:
                    self._cut = self._first()
        return self._cut

    def start(self) -> None:
        """Begins to read in the background, if nobody has; returns at once."""
        if self._cut is None and self._thread is None:
            self._thread = threading.Thread(target=self.load, name="jieba", daemon=True)
            self._thread.start()

    async def loaded(self) -> None:
        """Waits until words come at once, without holding the loop."""
        if self._cut is None:
            await asyncio.to_thread(self.load)

    def _first(self) -> Cut:
        try:
            return self._read()
        except (ImportError, OSError, ValueError) as error:
            self.trouble = f"{type(error).__name__}: {error}"
            return characters


def characters(text: str) -> list[str]:
    """Each character by itself: what there is without a dictionary."""
    return list(text)


def read_jieba() -> Cut:
    """The words of jieba, from its own dictionary.

    Raises:
        ImportError, OSError, ValueError: jieba or its dictionary cannot be read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes, pkg_resources: jieba is of 2020
        import jieba  # noqa: PLC0415 - 0.1 s, and only where Chinese is compared

    logging.getLogger(jieba.__name__).setLevel(logging.CRITICAL)
    words = jieba.Tokenizer()
    with (Path(jieba.__file__).parent / jieba.DEFAULT_DICT_NAME).open("rb") as lines:
        words.FREQ, words.total = words.gen_pfdict(lines)
    words.initialized = True
    return lambda text: list(words.cut(text))


jieba_words = Words(read_jieba)
"""The one dictionary of the process (40 MB): `jieba_words.start()` once the first paint is done."""
