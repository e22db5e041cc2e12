"""What is imported late and in a thread: openai costs 0.75 s, httpx2 a tenth of it.

See LIBRARIES, "Start-up rules". Nothing else imports `transport` or `http`.
"""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from app.llm.errors import CallError
from app.llm.place import Place
from app.llm.waits import Timeouts

if TYPE_CHECKING:
    from app.llm.http import Answer
    from app.llm.transport import Transport


async def warm() -> None:
    """Imports openai, so that the first request needn't wait for it."""
    await asyncio.to_thread(_load_transport)


async def transport(place: Place, timeouts: Timeouts, now: Callable[[], datetime]) -> "Transport":
    """A pool of connections to an endpoint; connects to nothing yet."""
    return await asyncio.to_thread(lambda: _load_transport()(place, timeouts, now))


async def get(url: str, place: Place, timeouts: Timeouts) -> "Answer":
    """A page, as `http.get` gives it.

    Raises:
        CallError: no connection, no answer in time, or one that breaks off.
    """
    loaded = _load_get.cache_info().currsize  # then a thread would only cost its start
    load = _load_get() if loaded else await asyncio.to_thread(_load_get)
    return await load(url, place, timeouts)


async def page(url: str, place: Place, patience: float) -> object:
    """The body of a page, None where there is none within so many seconds."""
    timeouts = Timeouts(connect=patience, idle=patience)
    try:
        async with asyncio.timeout(patience):
            answer = await get(url, place, timeouts)
    except (CallError, TimeoutError):
        return None
    return answer.body if answer.status == 200 else None


def _load_transport() -> "type[Transport]":
    from app.llm.transport import Transport  # noqa: PLC0415

    return Transport


@cache
def _load_get() -> Callable[[str, Place, Timeouts], Coroutine[object, object, "Answer"]]:
    from app.llm.http import get as http_get  # noqa: PLC0415

    return http_get
