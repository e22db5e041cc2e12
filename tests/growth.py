"""How the cost of work grows with its size: a ratio within one run, so that no machine is too slow.

Ten times the size costs some ten times as much where the work is linear, a hundred times where it
is quadratic: `GENEROUS` stands between them.
"""

import itertools
import time
from collections.abc import Callable

GENEROUS = 35.0
"""For ten times the size: far above linear, far below quadratic."""


def growth(
    prepared: Callable[[int], Callable[[], object]], small: int, large: int, repeats: int = 3
) -> float:
    """How many times the CPU time of the small work the large one takes.

    Both are done in turns, and the fastest of each counts: what disturbs a machine disturbs both.

    Args:
        prepared: makes the work of a size ready, uncounted; what it gives is done once.
        small: a size; its work should take a tenth of a millisecond or more.
        large: a larger one.
        repeats: how often.
    """
    best = {small: float("inf"), large: float("inf")}
    for _ in range(repeats):
        for size, least in best.items():
            work = prepared(size)
            begun = time.process_time()
            work()
            best[size] = min(least, time.process_time() - begun)
    return best[large] / max(best[small], 1e-6)


def on_texts(
    work: Callable[[str], object], text: Callable[[int], str]
) -> Callable[[int], Callable[[], object]]:
    """Work on a text of a size, for `growth`; each text is another one, for some are remembered."""
    numbers = itertools.count()

    def prepared(size: int) -> Callable[[], object]:
        given = f"{text(size)} {'q' * next(numbers)}"
        return lambda: work(given)

    return prepared
