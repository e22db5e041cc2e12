"""Plays one step of a script on a connection."""

import asyncio
import json
from collections.abc import Sequence

from tests.endpoint import sse
from tests.endpoint.dialects import Dialect
from tests.endpoint.http import Connection, FinishedError
from tests.endpoint.script import Body, Close, Gate, Pause, Piece, Raw, Reset, Say, Status

_JSON = {"content-type": "application/json"}
_STREAM = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


async def status(connection: Connection, step: Status) -> None:
    """A whole answer with its own status."""
    headers: dict[str, str] = {}
    if isinstance(step.body, bytes):
        data = step.body
    elif isinstance(step.body, str):
        data, headers = step.body.encode(), {"content-type": "text/plain; charset=utf-8"}
    else:
        data, headers = json.dumps(step.body, ensure_ascii=False).encode(), _JSON
    await connection.send(step.code, data, {**headers, **step.headers})


async def whole(
    connection: Connection, say: Say, ids: Sequence[str], body: Body, dialect: Dialect
) -> None:
    """The answer to a request without `stream`."""
    if say.hold is not None:
        await say.hold.wait()
    await status(connection, Status(200, sse.whole(say, ids, body["model"], dialect)))


async def stream(
    connection: Connection, say: Say, ids: Sequence[str], body: Body, dialect: Dialect
) -> None:
    """A streamed answer; its end goes out with the last event, so that nobody leaves between."""
    asked = (body.get("stream_options") or {}).get("include_usage", False)
    await connection.begin(200, _STREAM)
    if say.hold is not None and say.hold_after == 0:
        await say.hold.wait()
    pieces = 0
    for data, is_content in sse.stream(say, ids, body["model"], dialect, include_usage=asked):
        await connection.chunk(sse.event(data))
        if not is_content:
            continue
        pieces += 1
        if say.pause:
            await asyncio.sleep(say.pause)
        if say.hold is not None and pieces == say.hold_after:
            await say.hold.wait()
    await connection.chunk(sse.DONE, last=True)


async def raw(connection: Connection, step: Raw) -> None:
    """An answer byte for byte.

    Raises:
        FinishedError: the step ended the connection.
    """
    if step.head:
        await connection.begin(step.code, step.headers)
    for piece in step.pieces:
        await _piece(connection, piece, framed=step.head)
    if not step.head:
        connection.close()
        raise FinishedError
    await connection.chunk(b"", last=True)


async def _piece(connection: Connection, piece: Piece, *, framed: bool) -> None:
    match piece:
        case Pause(seconds):
            await asyncio.sleep(seconds)
        case Gate(event):
            await event.wait()
        case Reset():
            connection.reset()
            raise FinishedError
        case Close():
            connection.close()
            raise FinishedError
        case data if framed:
            await connection.chunk(data)
        case data:
            await connection.raw(data)
