"""Long conversations, and models that summarise them well or badly, over real HTTP."""

import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.config import CompactionSettings, ModelSettings, Settings
from app.config.model import AuxiliarySettings
from app.conversation.wire import to_wire
from app.llm.client import OpenAIModel
from app.session.restore import Begin, Resume, Start
from app.session.session import Session
from app.text import Words
from tests.endpoint import Call, Endpoint, Raw, Say, Status, Tokens
from tests.endpoint.script import Body, Step
from tests.endpoint.server import estimate
from tests.session.support import Recorded, TestClock, make_session

HEADINGS = (
    "## Goal and success criteria",
    "## Requirements and decisions",
    "## Done, with evidence",
    "## Open problems and next steps",
)

_ASKS = ("[Haima] This message is not from the user", "You write the summary that takes")


def summary(*lines: str) -> str:
    """A summary that passes: a line under each heading."""
    said = [*lines, "one", "two", "three", "four"][: len(HEADINGS)]
    return "\n\n".join(f"{head}\n- {line}" for head, line in zip(HEADINGS, said, strict=True))


def asks_for_summary(body: Body) -> bool:
    """Whether a request is one for a summary."""
    messages = body["messages"]
    looked_at = (messages[0], *messages[-3:])  # a repair stands behind the answer that was wrong
    return any(mark in str(one["content"]) for one in looked_at for mark in _ASKS)


def prose(topic: str, characters: int) -> str:
    """A text on a topic, never twice the same line."""
    lines: list[str] = []
    while sum(map(len, lines)) < characters:
        lines.append(f"{topic} line {len(lines)}: what was found there and why it matters\n")
    return "".join(lines)


class Summariser:
    """The scripted side: an answer to everything, and to requests for a summary what it is told.

    Attributes:
        answers: what the next requests for a summary get, in order; then `good`.
        talk: what other requests get.
        asked: the requests for a summary.
        said: the other requests.
    """

    def __init__(self, *answers: Step | Callable[[Body], Step]) -> None:
        self.answers = list(answers)
        self.good: Callable[[Body], Step] = lambda body: Say(summary(), usage=counted(body, 80))
        self.talk: Callable[[Body], Step] = lambda body: Say("Noted.", usage=counted(body, 3))
        self.asked: list[Body] = []
        self.said: list[Body] = []

    def __call__(self, body: Body) -> Step:
        if not asks_for_summary(body):
            self.said.append(body)
            return self.talk(body)
        self.asked.append(body)
        if not self.answers:
            return self.good(body)
        step = self.answers.pop(0)
        return step(body) if callable(step) else step


def at_length(body: Body, characters: int = 4_000) -> Say:
    """A long answer."""
    topic = f"answer {len(body['messages'])}"
    return Say(prose(topic, characters), chunk=characters, usage=counted(body, characters // 4))


def counted(body: Body, completion: int) -> Tokens:
    """Usage as the server counts a prompt."""
    return Tokens(estimate(body), completion)


@asynccontextmanager
async def talking(
    tmp_path: Path,
    script: Callable[[Body], Step],
    *,
    window: int = 16_600,
    dialect: str = "openai",
    compaction: CompactionSettings | None = None,
    limit: int | None = None,
    auxiliary: AuxiliarySettings | None = None,
    start: Start = Begin(),  # noqa: B008 - frozen
    **more: Any,
) -> AsyncIterator[tuple[Recorded, Endpoint]]:
    """An open session at a strict server.

    Args:
        tmp_path: where its files are.
        script: the scripted side.
        window: tokens, as it is set.
        dialect: of the server.
        compaction: `[compaction]`.
        limit: tokens that the server takes; None: whatever.
        auxiliary: `[model.auxiliary]`.
        start: where the conversation begins.
        more: for `make_session`.
    """
    async with Endpoint(script, dialect, window=limit) as endpoint:
        model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
        settings = Settings(
            model=ModelSettings(window=window, auxiliary=auxiliary or AuxiliarySettings()),
            compaction=compaction or CompactionSettings(),
        )
        recorded = make_session(tmp_path, model, settings=settings, **more)
        await recorded.session.open(start)
        try:
            yield recorded, endpoint
        finally:
            await recorded.session.close()
            await model.close()


@asynccontextmanager
async def filled(
    tmp_path: Path, script: Callable[[Body], Step], turns: int = 7
) -> AsyncIterator[tuple[Recorded, Endpoint]]:
    """As `talking`, but going on with a session in which so many turns of `fill` were said.

    They are said once in a test process, in a session of its own, and resumed in each test.
    Sessions know their project's folder, so each copy lies where the first one lay.
    """
    place = tmp_path.parent / f"filled-session-{turns}"
    kept = place.with_name(f"{place.name}-kept")
    shutil.rmtree(place, ignore_errors=True)
    if kept not in _FILLED:
        place.mkdir()
        async with talking(place, Summariser()) as (recorded, _):
            await fill(recorded.session, turns)
            node = recorded.session.node
        place.rename(kept)
        _FILLED[kept] = node
    shutil.copytree(kept, place)
    start = Resume(_FILLED[kept])
    async with talking(place, script, start=start, new_id=Ids()) as (recorded, endpoint):
        yield recorded, endpoint


_FILLED: dict[Path, str] = {}
"""The nodes of the sessions that lie in these folders."""


def request(session: Session) -> str:
    """The next request's messages, byte for byte."""
    return json.dumps(to_wire(session.history, session.history.recovery), ensure_ascii=False)


def reads(path: str) -> Say:
    """Reads a file."""
    return Say(calls=[Call("read_file", {"path": path})])


async def fill(session: Session, turns: int, characters: int = 4_000, topic: str = "topic") -> None:
    """Turns with a long message of the user each."""
    for number in range(turns):
        await session.run(prose(f"{topic} {number}", characters))


def texts(body: Body) -> Iterator[str]:
    """What the messages of a request say, in order."""
    for message in body["messages"]:
        content = message.get("content")
        if isinstance(content, str):
            yield content
        for part in content if isinstance(content, list) else ():
            yield str(part.get("text", ""))


def why(recorded: Recorded) -> str:
    """How the last summary ended."""
    told = recorded.of("summary_rejected", "summarized")
    return repr(told[-1]) if told else ""


FAILURES: dict[str, Step] = {
    "empty": Say(""),
    "blank": Say(" \n\t\n"),
    "no headings": Say("All went well, nothing to add."),
    "only headings": Say("\n\n".join(HEADINGS)),
    "wrong order": Say("\n".join(f"{head}\n- x" for head in reversed(HEADINGS))),
    "too long": Say(summary("y" * 9_000)),
    "calls a tool": Say(calls=[Call("read_file", {"path": "a.py"})]),
    "cut off": Say(summary()[:100], finish="length"),
    "withheld": Say(summary(), finish="content_filter"),
    "400": Status(400, {"error": {"message": "no such thing", "type": "invalid_request_error"}}),
    "401": Status(401, {"error": {"message": "wrong key", "type": "authentication_error"}}),
    "429": Status(429, {"error": {"message": "slow down", "type": "rate_limit_exceeded"}}),
    "500": Status(500, {"error": {"message": "broken", "type": "server_error"}}),
    "overflow": Status(
        400,
        {
            "error": {
                "message": "This model's maximum context length is 9000 tokens.",
                "type": "invalid_request_error",
                "code": "context_length_exceeded",
            }
        },
    ),
    "broken stream": Raw([b"data: {not json\n\n"]),
}


def rows(ledger: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of a ledger that say something of the history."""
    return [row for row in ledger if row["kind"] != "usage"]


def data_of(row: dict[str, object]) -> dict[str, object]:
    data = row["data"]
    assert isinstance(data, dict)
    return data


class Ids:
    """Ids of another process."""

    def __init__(self, number: int = 0xA00000000000) -> None:
        self.number = number

    def __call__(self) -> str:
        self.number += 1
        return f"{self.number:012x}"
