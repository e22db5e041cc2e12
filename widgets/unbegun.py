"""Work for a worker that makes its coroutine only as it begins."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec

_P = ParamSpec("_P")


def unbegun(
    work: Callable[_P, Coroutine[Any, Any, object]], *given: _P.args, **more: _P.kwargs
) -> Any:
    """What `run_worker` takes in place of a coroutine.

    A worker that is dropped before its first step (another one of its group, the end of the app)
    would leave the coroutine behind, and Python a warning on the screen.
    """
    return partial(work, *given, **more)
