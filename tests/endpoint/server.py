"""The server: real HTTP on a free loopback port, one step of a script for each request."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.endpoint import play, sse
from tests.endpoint.dialects import DIALECTS, Dialect, Fault
from tests.endpoint.http import BadRequestError, Connection, FinishedError, Request
from tests.endpoint.script import Answer, Body, Raw, Say, Script, Status, Step
from tests.endpoint.strict import UnreadableError, faults, parse_body, window_faults

_WAIT = 10.0
"""Seconds a test waits for something to arrive here before it is told that it didn't."""


def estimate(body: Body) -> int:
    """A crude count of a prompt's tokens: a quarter of its characters."""
    counted = {name: body.get(name) for name in ("messages", "tools")}
    return len(json.dumps(counted, ensure_ascii=False)) // 4


class Endpoint:
    """A scripted provider. Use as `async with Endpoint(script) as endpoint`.

    Attributes:
        requests: bodies of the chat requests that were JSON objects, refused ones included.
        headers: their headers, names in lower case.
        violations: what had to be refused and never should have come, `rule: text`.
        refusals: the same, and what a client may meet once (a field this provider doesn't take,
            an overflow).
        model_requests: how often the list of models was asked for.
        connections: how many connections were opened.
        hangups: how often a client hung up before its answer was complete.
    """

    def __init__(
        self,
        script: Script = (),
        dialect: str = "openai",
        *,
        models: Sequence[str | Body] | Status = ("scripted",),
        api_key: str | None = None,
        prefix_check: bool = False,
        window: int | None = None,
        count: Callable[[Body], int] = estimate,
        routes: Mapping[str, Status] | None = None,
    ) -> None:
        """Prepares a server; it listens once entered.

        Args:
            script: a step for each accepted chat request, or a function of its body.
            dialect: whose strictness (see `DIALECTS`); `-` stands for `_` too.
            models: what `GET /v1/models` lists: names, whole entries, or a failure.
            api_key: the only key that is accepted; None: any, or none.
            prefix_check: the messages of a request must begin with all of the previous request's,
                and the tools be the same, unless `announce_break` was called.
            window: tokens of prompt and answer together that are accepted.
            count: counts a prompt's tokens, for `window`.
            routes: other answers, by "GET /api/tags".
        """
        self.requests: list[Body] = []
        self.headers: list[Mapping[str, str]] = []
        self.violations: list[str] = []
        self.refusals: list[str] = []
        self.model_requests = 0
        self.connections = 0
        self.hangups = 0
        self._script = script
        self._dialect: Dialect = DIALECTS[dialect.replace("-", "_")]
        self._models = models
        self._api_key = api_key
        self._prefix_check = prefix_check
        self._window = window
        self._count = count
        self._routes = routes or {}
        self._step = 0
        self._calls = 0
        self._previous: list[str] | None = None
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._port = 0

    @property
    def base_url(self) -> str:
        """Where it is, as a client is told: `http://127.0.0.1:…/v1`."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The same without `/v1`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def left(self) -> int:
        """Steps of the script that no request used."""
        return 0 if callable(self._script) else len(self._script) - self._step

    def announce_break(self) -> None:
        """The next request may begin differently: a compaction, a `/clear`."""
        self._previous = None

    async def request_count(self, count: int, timeout: float = _WAIT) -> None:
        """Waits until so many chat requests have come.

        Raises:
            TimeoutError: they didn't.
        """
        await self._until(lambda: len(self.requests) >= count, f"{count} requests", timeout)

    async def hung_up(self, count: int = 1, timeout: float = _WAIT) -> None:
        """Waits until clients have hung up so often in the middle of an answer.

        Raises:
            TimeoutError: they didn't.
        """
        await self._until(lambda: self.hangups >= count, f"{count} hang-ups", timeout)

    async def _until(self, done: Callable[[], bool], what: str, timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                while not done():
                    await self._changed.wait()
        except TimeoutError:
            seen = f"{len(self.requests)} requests, {self.hangups} hang-ups"
            raise TimeoutError(f"waited {timeout} s for {what}; saw {seen}") from None

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is None:
            return
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self.connections += 1
        connection = Connection(reader, writer)
        try:
            while request := await connection.request():
                if not await self._watched(connection, request) or not request.keep_alive:
                    break
        except BadRequestError as error:
            self._note(f"http: {error}")
            await connection.send(400, b"", {}, close=True)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            connection.close()

    async def _watched(self, connection: Connection, request: Request) -> bool:
        """Answers one request; False when the connection is over."""
        answer = asyncio.ensure_future(self._answer(connection, request))
        watch = asyncio.ensure_future(connection.gone())
        try:
            await asyncio.wait({answer, watch}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                answer.result()
                return True
            self.hangups += 1
            self._tell()
            return False
        except FinishedError:
            return False
        except ConnectionError:
            self.hangups += 1
            self._tell()
            return False
        finally:
            for task in (answer, watch):
                task.cancel()
            await asyncio.wait({answer, watch})

    async def _answer(self, connection: Connection, request: Request) -> None:
        path = urlsplit(request.path).path
        route = f"{request.method} {path}"
        if route in self._routes:
            await play.status(connection, self._routes[route])
        elif self._api_key is not None and not self._may_enter(request):
            await self._error(connection, 401, "Incorrect API key provided.", "invalid_api_key")
        elif route == "POST /v1/chat/completions":
            await self._chat(connection, request)
        elif route == "GET /v1/models":
            await self._list_models(connection)
        else:
            await self._error(connection, 404, f"Unknown request URL: {route}.", "unknown_url")

    def _may_enter(self, request: Request) -> bool:
        return request.headers.get("authorization") == f"Bearer {self._api_key}"

    async def _list_models(self, connection: Connection) -> None:
        self.model_requests += 1
        if isinstance(self._models, Status):
            await play.status(connection, self._models)
            return
        entries = [
            {"id": entry, "object": "model", "created": sse.CREATED, "owned_by": "tests"}
            if isinstance(entry, str)
            else entry
            for entry in self._models
        ]
        await play.status(connection, Status(200, {"object": "list", "data": entries}))

    async def _chat(self, connection: Connection, request: Request) -> None:
        try:
            body = parse_body(request.body)
        except UnreadableError as error:
            await self._refuse(connection, error.broken)
            return
        self.requests.append(body)
        self.headers.append(request.headers)
        self._tell()
        broken = next(faults(request.body, body, self._dialect), None)
        if broken is None and self._window is not None:
            broken = next(window_faults(body, self._count(body), self._window), None)
        if broken is not None:
            await self._refuse(connection, broken)
            return
        self._check_prefix(body)
        await self._play(connection, self._next(body), body)

    def _check_prefix(self, body: Body) -> None:
        """Compares with the last accepted request; it is answered, as a provider would."""
        if not self._prefix_check:
            return
        lines = [json.dumps(body.get("tools"))]
        lines += [json.dumps(message) for message in body["messages"]]
        before, self._previous = self._previous, lines
        if before is not None and lines[: len(before)] != before:
            pairs = enumerate(zip(before, lines, strict=False))
            at = next((i for i, (old, new) in pairs if old != new), len(lines))
            place = "the tools" if at == 0 else f"message {at - 1}"
            self._note(f"prefix: {place} differs from request {len(self.requests) - 1}")

    def _note(self, text: str, *, negotiable: bool = False) -> None:
        self.refusals.append(text)
        if not negotiable:
            self.violations.append(text)

    async def _refuse(self, connection: Connection, broken: Fault) -> None:
        dialect = self._dialect
        self._note(f"{broken.rule}: {dialect.text(broken)}", negotiable=broken.negotiable)
        await play.status(connection, Status(dialect.status(broken), dialect.error(broken)))

    def _next(self, body: Body) -> Step:
        """The step for this request; a script that is used up or fails is a violation."""
        if callable(self._script):
            step: Step | Answer = self._script
        elif self._step < len(self._script):
            step = self._script[self._step]
            self._step += 1
        else:
            return self._broken(f"script: no step is left for request {len(self.requests)}")
        try:
            return step(body) if callable(step) else step
        except Exception as error:
            return self._broken(f"script: {type(error).__name__}: {error}")

    def _broken(self, text: str) -> Status:
        self._note(text)
        return Status(500, {"error": {"message": text, "type": "server_error"}})

    async def _play(self, connection: Connection, step: Step, body: Body) -> None:
        if isinstance(step, Status):
            await play.status(connection, step)
        elif isinstance(step, Raw):
            await play.raw(connection, step)
        elif body.get("stream"):
            await play.stream(connection, step, self._ids(step), body, self._dialect)
        else:
            await play.whole(connection, step, self._ids(step), body, self._dialect)

    def _ids(self, say: Say) -> list[str]:
        """An id for each call: its own, or a new one."""
        ids = []
        for call in say.calls:
            self._calls += 1
            ids.append(f"call_{self._calls:024d}" if call.id is None else call.id)
        return ids

    async def _error(self, connection: Connection, code: int, text: str, name: str) -> None:
        error = {"message": text, "type": "invalid_request_error", "param": None, "code": name}
        await play.status(connection, Status(code, {"error": error}))
