"""The one module that imports openai: sends a request, gives the bytes that come back.

Imported late (see `late`).

The request goes out by `AsyncOpenAI.post`, not by `chat.completions.create`, which walks through
all messages to rename fields that need no renaming: 1.9 s of a blocked event loop at 10,000
messages against 0.02 s (measured with openai 3.57). The body is read as bytes: what openai's own
decoder loses or trips over stands in `sse`.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

import httpx2
import openai

from app.llm.classify import classify
from app.llm.errors import BrokenStream, CallError
from app.llm.http import connection_error, no_certificates
from app.llm.place import Place
from app.llm.waits import Timeouts, asked_wait


class Transport:
    """A pool of connections to one endpoint; retries nothing."""

    def __init__(self, place: Place, timeouts: Timeouts, now: Callable[[], datetime]) -> None:
        self._place = place
        self._timeouts = timeouts
        self._now = now
        self._headers = _headers(place)
        self._client = openai.AsyncOpenAI(
            api_key=place.key or "none",
            base_url=place.base_url,
            max_retries=0,
            http_client=httpx2.AsyncClient(
                timeout=httpx2.Timeout(
                    connect=timeouts.connect,
                    read=timeouts.idle,
                    write=timeouts.write,
                    pool=timeouts.connect,
                ),
                follow_redirects=False,  # a redirected POST becomes a GET
                trust_env=not place.on_this_machine,  # no proxy to this machine
                verify=no_certificates() if place.in_the_clear else True,
            ),
        )

    async def send(self, body: dict[str, object]) -> AsyncGenerator[bytes, None]:
        """Posts a chat request and gives the body of the answer as it arrives.

        Ending the generator, or cancelling whoever waits for it, closes the connection.

        Raises:
            CallError: no connection, a status other than 2xx, or a body that breaks off.
        """
        with self._translating():
            stream = await self._client.post(
                "/chat/completions",
                cast_to=object,
                body=body,
                options={"headers": self._headers},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
        try:
            with self._translating():
                async for piece in stream.response.aiter_bytes():
                    if piece:
                        yield piece
        finally:
            await stream.close()

    async def close(self) -> None:
        """Closes all connections."""
        await self._client.close()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Turns what openai and httpx2 raise into errors of ours.

        The original is left out of the traceback: its text may hold the key.
        """
        try:
            yield
        except Exception as error:
            if (ours := self._translate(error)) is None:
                raise
            raise ours from None

    def _translate(self, error: Exception) -> CallError | None:
        if isinstance(error, openai.APIStatusError):
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            return classify(
                error.status_code,
                error.body,
                place=self._place,
                wait=asked_wait(headers, self._now()),
                location=headers.get("location", ""),
            )
        ours = connection_error(error, self._place, self._timeouts)
        return BrokenStream() if ours is None and isinstance(error, openai.OpenAIError) else ours


def _headers(place: Place) -> dict[str, str | openai.Omit]:
    """Headers that differ from openai's, which takes some from the environment.

    The key is the one of this endpoint, whatever `OPENAI_CUSTOM_HEADERS` says; organization and
    project are nobody else's business.
    """
    headers: dict[str, str | openai.Omit] = {
        "Authorization": f"Bearer {place.key}" if place.key else openai.omit
    }
    if place.host != "api.openai.com":
        headers["OpenAI-Organization"] = headers["OpenAI-Project"] = openai.omit
    return headers
