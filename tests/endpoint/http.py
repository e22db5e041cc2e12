"""HTTP/1.1 on asyncio streams, as much as a model server needs: keep-alive, chunks, hang-ups."""

import asyncio
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

MAX_HEAD = 64 * 1024
MAX_BODY = 64 * 1024 * 1024


class BadRequestError(Exception):
    """What came is no HTTP/1.1 request."""


class FinishedError(Exception):
    """The connection is over: the step itself cut it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def keep_alive(self) -> bool:
        """Whether another request may follow on the same connection."""
        return self.headers.get("connection", "").lower() != "close"


class Connection:
    """One client's connection: reads requests, writes answers, notices when it is gone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._early = bytearray()

    async def request(self) -> Request | None:
        """The next request, or None when the client ended the connection.

        Raises:
            BadRequestError: what came is no HTTP/1.1.
        """
        head = await self._until(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")[:-2]
        try:
            method, path, version = first.split(" ")
        except ValueError:
            raise BadRequestError(f"request line {first!r}") from None
        if version != "HTTP/1.1":
            raise BadRequestError(f"version {version!r}")
        headers: dict[str, str] = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise BadRequestError(f"header {line!r}")
            headers[name.lower()] = value.strip()
        if "host" not in headers:
            raise BadRequestError("no Host header")
        return Request(method, path, headers, await self._body(headers))

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = bytearray()
            while size := _number(await self._line(), 16):
                body += await self._exactly(size)
                await self._line()
            while await self._line():
                pass
            return bytes(body)
        length = _number(headers.get("content-length", "0").encode(), 10)
        if length > MAX_BODY:
            raise BadRequestError(f"body of {length} bytes")
        return await self._exactly(length)

    async def gone(self) -> None:
        """Returns when the client hangs up; what it sends early is kept for the next request."""
        while True:
            try:
                data = await self._reader.read(65_536)
            except ConnectionError:
                return
            if not data:
                return
            self._early += data

    async def send(
        self, code: int, body: bytes, headers: Mapping[str, str], *, close: bool = False
    ) -> None:
        """Sends a whole answer; HEAD and 204 aren't needed here."""
        extra = {"connection": "close"} if close else {}
        self._head(code, {**headers, **extra, "content-length": str(len(body))}, body)
        await self._writer.drain()

    async def begin(self, code: int, headers: Mapping[str, str]) -> None:
        """Sends the head of an answer whose body comes in chunks."""
        self._head(code, {**headers, "transfer-encoding": "chunked"}, b"")
        await self._writer.drain()

    async def chunk(self, data: bytes, *, last: bool = False) -> None:
        """Sends a chunk, with the end of the body in the same write when it is the last."""
        piece = b"%x\r\n%s\r\n" % (len(data), data) if data else b""
        if last:
            piece += b"0\r\n\r\n"
        self._writer.write(piece)
        await self._writer.drain()

    async def raw(self, data: bytes) -> None:
        """Sends bytes as they are: the caller writes the HTTP itself."""
        self._writer.write(data)
        await self._writer.drain()

    def reset(self) -> None:
        """Cuts the connection with an RST (SO_LINGER of zero seconds)."""
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """Ends the connection with a FIN, after what was written."""
        self._writer.close()

    def _head(self, code: int, headers: Mapping[str, str], body: bytes) -> None:
        try:
            phrase = HTTPStatus(code).phrase
        except ValueError:
            phrase = "Unknown"
        lines = [f"HTTP/1.1 {code} {phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    async def _more(self) -> bool:
        try:
            data = await self._reader.read(65_536)
        except ConnectionError:
            return False
        self._early += data
        return bool(data)

    async def _until(self, mark: bytes) -> bytes | None:
        while (at := self._early.find(mark)) < 0:
            if len(self._early) > MAX_HEAD:
                raise BadRequestError("endless head")
            if not await self._more():
                if self._early:
                    raise BadRequestError("the head broke off")
                return None
        end = at + len(mark)
        data = bytes(self._early[:end])
        del self._early[:end]
        return data

    async def _line(self) -> bytes:
        line = await self._until(b"\r\n")
        if line is None:
            raise BadRequestError("the body broke off")
        return line[:-2]

    async def _exactly(self, size: int) -> bytes:
        while len(self._early) < size:
            if not await self._more():
                raise BadRequestError("the body broke off")
        data = bytes(self._early[:size])
        del self._early[:size]
        return data


def _number(digits: bytes, base: int) -> int:
    try:
        number = int(digits, base)
    except ValueError:
        number = -1
    if number < 0:
        raise BadRequestError(f"length {digits!r}")
    return number
