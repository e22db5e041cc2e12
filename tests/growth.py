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
    prepared: Callable[[int], Callable[[], object]],
    small: int,
    large: int,
    repeats: int = 3,
    enough: float = GENEROUS,
) -> float:
    """How many times the CPU time of the small work the large one takes.

    The fastest of each counts. The large one, most of the time, is not done again where the ratio
    is low enough already: it could only become lower. Else both go on in turns: what disturbs a
    machine disturbs both.

    Args:
        prepared: makes the work of a size ready, uncounted; what it gives is done once.
        small: a size; its work should take a tenth of a millisecond or more.
        large: a larger one.
        repeats: how often the small one is done, and the large one at most.
        enough: a ratio below this is not looked at again; at most what the test demands.
    """

    def cost(size: int) -> float:
        work = prepared(size)
        begun = time.process_time()
        work()
        return time.process_time() - begun

    least = max(min(cost(small) for _ in range(repeats)), 1e-6)
    most = cost(large)
    for _ in range(repeats - 1):
        if most / least < enough:
            break
        least = max(min(least, cost(small)), 1e-6)
        most = min(most, cost(large))
    return most / least


def on_texts(
    work: Callable[[str], object], text: Callable[[int], str]
) -> Callable[[int], Callable[[], object]]:
    """Work on a text of a size, for `growth`; each text is another one, for some are remembered."""
    numbers = itertools.count()

    def prepared(size: int) -> Callable[[], object]:
        given = f"{text(size)} {'q' * next(numbers)}"
        return lambda: work(given)

    return prepared
