"""Pictures from the prompt to the wire, the ledger, the archive and back (FIELD 69)."""

import base64
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.conversation.images import Sight, picture
from app.conversation.messages import ImagePart
from app.events import PicturesLeft
from app.llm.dialects import UNKNOWN, dialect_for
from app.llm.sight import sight_for
from app.paths import Paths
from app.ports import ModelRequest
from app.session.incoming import pastes_of
from app.session.restore import Resume
from tests.endpoint.script import Call, Say
from tests.endpoint.server import Endpoint
from tests.llm.support import model_at
from tests.session.support import Recorded, ScriptedModel, call, make_session, says

pytestmark = pytest.mark.usefixtures("closing")

PNG = b"\x89PNG\r\n\x1a\n"
SHOT = PNG + bytes(range(256)) * 40
BASE64 = base64.b64encode(SHOT).decode()


class Seeing(ScriptedModel):
    """A scripted model that sees pictures."""

    sight = Sight(user=True, results=True, known=True)


class Reading(ScriptedModel):
    """One that takes them from the user only."""

    sight = Sight(user=True, known=True)


def made(tmp_path: Path, model: ScriptedModel, **more: Any) -> Recorded:
    recorded = make_session(tmp_path, model, allowance="read", **more)
    (recorded.root / "shot.png").write_bytes(SHOT)
    return recorded


def urls(request: ModelRequest) -> list[str]:
    """The data of the pictures in a request."""
    return [
        part["image_url"]["url"].partition(",")[2]
        for message in request.messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


async def test_a_mentioned_picture_goes_to_the_model_and_is_told(tmp_path: Path) -> None:
    model = Seeing(says("A cat."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("What is in @shot.png?")
    (request,) = model.requests
    assert urls(request) == [BASE64]
    content = request.messages[-1]["content"]
    assert isinstance(content, list)
    assert content[0] == {"type": "text", "text": "What is in @shot.png?"}
    (started,) = recorded.of("turn_started")
    assert started.model_dump()["images"] == ("shot.png 10 KB",)
    assert started.model_dump()["text"] == "What is in @shot.png?"
    await recorded.session.close()


async def test_a_model_that_sees_none_gets_the_text_and_the_user_a_sentence(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(says("I can't see it."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("What is in @shot.png?")
    assert model.requests[0].messages[-1]["content"] == "What is in @shot.png?"
    (notice,) = recorded.of("notice")
    told = notice.model_dump()
    assert told["code"] == "image"
    assert told["text"].startswith("shot.png is not attached: it is not known whether scripted")
    await recorded.session.close()


async def test_at_the_next_turn_it_is_text_and_the_break_is_there_only(tmp_path: Path) -> None:
    looks = says("", call("read_file", path="shot.png"))
    model = Seeing(looks, says("A cat."), says("Still one."), says("Yes."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("Look at @shot.png and read it")
    assert [len(urls(request)) for request in model.requests] == [1, 2]
    roles = [message["role"] for message in model.requests[1].messages]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    await recorded.session.run("Sure?")
    third = model.requests[2].messages
    assert urls(model.requests[2]) == []
    assert str(third[1]["content"]).startswith("Look at @shot.png and read it\n[The image shot.png")
    assert 'read_file(path="shot.png") shows it again' in str(third[3]["content"])
    (left,) = recorded.of("pictures_left")
    assert isinstance(left, PicturesLeft)
    assert (left.count, len(left.messages)) == (2, 2)
    assert left.tokens_before > left.tokens_after
    told = [one.tokens for one in recorded.contexts]
    place = told.index(left.tokens_after)
    assert told[place - 1] == left.tokens_before, "the gauge follows at once"
    await recorded.session.run("Really?")
    assert model.requests[3].messages[: len(third)] == third, "one break, not one at each turn"
    assert recorded.of("pictures_left") == [left], "and said once"
    await recorded.session.close()


async def test_reading_the_reference_shows_the_picture_as_it_was(tmp_path: Path) -> None:
    model = Seeing(says("A cat."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("@shot.png?")
    (ref,) = (m.id for m in recorded.session.history if m.role == "user")
    (recorded.root / "shot.png").write_bytes(PNG + b"another")
    model.answers += [list(says("", call("read_history", ref=ref))), list(says("A cat."))]
    await recorded.session.run("And before?")
    assert urls(model.requests[-2]) == []
    assert urls(model.requests[-1]) == [BASE64]
    assert "[image shot.png 10 KB]" in str(model.requests[-1].messages[-2]["content"])
    await recorded.session.close()


async def test_without_eyes_for_results_reading_gives_text(tmp_path: Path) -> None:
    model = Reading(says("", call("read_file", path="shot.png")), says("I can't."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("Read shot.png")
    assert urls(model.requests[1]) == []
    assert "ask the user to attach it with @shot.png" in str(
        model.requests[1].messages[-1]["content"]
    )
    await recorded.session.close()


@pytest.mark.parametrize("turns", [1, 3])
async def test_ledger_and_archive_hold_the_bytes_once(tmp_path: Path, turns: int) -> None:
    model = Seeing(*(says("ok") for _ in range(turns)))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("@shot.png?")
    for _ in range(turns - 1):
        await recorded.session.run("more")
    paths, chain = Paths(recorded.home), recorded.session.chain
    await recorded.session.close()
    assert paths.ledger(chain).read_text().count(BASE64) == 1
    connection = sqlite3.connect(paths.database)
    try:
        rows = 0
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                rows += sum(str(value).count(BASE64) for value in row)
    finally:
        connection.close()
    assert rows == 1


async def test_a_resumed_session_sees_what_it_saw(tmp_path: Path) -> None:
    recorded = made(tmp_path, Seeing(says("A cat."), says("ok")))
    await recorded.session.open()
    await recorded.session.run("@shot.png?")
    node, history = recorded.session.node, recorded.session.history.messages
    await recorded.session.close()
    model = Seeing(says("Yes."))
    again = made(tmp_path, model)
    await again.session.open(Resume(node))
    assert again.session.history.messages == history
    shot = again.session.history.messages[1].parts[1]
    assert shot == picture("shot.png", SHOT)
    assert isinstance(shot, ImagePart)
    await again.session.run("Sure?")
    assert urls(model.requests[0]) == []
    await again.session.close()


async def test_the_export_names_pictures(tmp_path: Path) -> None:
    model = Seeing(says("", call("read_file", path="shot.png")), says("A cat."))
    recorded = made(tmp_path, model)
    await recorded.session.open()
    await recorded.session.run("@shot.png?")
    text = (await recorded.session.export()).read_text()
    await recorded.session.close()
    assert text.count("[image shot.png 10 KB]") == 3  # the user's; the result's text, its picture
    assert BASE64[:40] not in text


async def test_thirty_screenshots_in_one_turn_at_a_strict_endpoint(tmp_path: Path) -> None:
    """FIELD 69: each request is below the limit, and the newest picture is always seen."""
    steps = [Say(calls=(Call("read_file", {"path": f"{n}.png"}),)) for n in range(30)]
    async with Endpoint([*steps, Say("Done."), Say("Bye.")], "openai") as endpoint:
        recorded = make_session(
            tmp_path, model_at(endpoint.base_url, name="gpt-4o"), allowance="read"
        )
        for number in range(30):
            (recorded.root / f"{number}.png").write_bytes(PNG + bytes([number]) * 2_000_000)
        await recorded.session.open()
        await recorded.session.run("Read all")
        assert endpoint.violations == []
        newest = endpoint.requests[30]["messages"][-1]["content"]
        assert "29.png 2.0 MB" in newest[-2]["text"]
        assert newest[-1]["type"] == "image_url"
        await recorded.session.run("Thanks")
        assert endpoint.violations == []
        assert all(
            isinstance(message["content"], str) for message in endpoint.requests[31]["messages"]
        )
        await recorded.session.close()


async def test_kimis_two_mebibytes_hold_over_a_turn_that_reads_many(tmp_path: Path) -> None:
    """PROVIDERS 1.4."""
    kimi = dialect_for("https://api.kimi.com/coding/v1", "kimi-for-coding")
    steps = [
        Say(calls=(Call("read_file", {"path": f"{n}.png"}),), reasoning="hm") for n in range(4)
    ]
    async with Endpoint([*steps, Say("Done.")], "kimi") as endpoint:
        model = model_at(endpoint.base_url, name="kimi-for-coding", dialect=kimi)
        recorded = make_session(tmp_path, model, allowance="read")
        for number in range(4):
            (recorded.root / f"{number}.png").write_bytes(PNG + bytes([number]) * 900_000)
        await recorded.session.open()
        await recorded.session.run("Read all")
        assert endpoint.violations == []
        newest = endpoint.requests[4]["messages"][-1]["content"]
        assert [part["type"] for part in newest] == ["text", "image_url"]
        await recorded.session.close()


async def test_an_endpoint_that_wants_turns_gets_text_for_results(tmp_path: Path) -> None:
    """PROVIDERS 1.7: no user message may follow a result at Hunyuan."""
    steps = [Say(calls=(Call("read_file", {"path": "shot.png"}),)), Say("Done.")]
    async with Endpoint(steps, "hunyuan") as endpoint:
        model = model_at(endpoint.base_url, name="hunyuan-vision")
        model.sight = sight_for("hunyuan-vision", UNKNOWN, "on")
        recorded = make_session(tmp_path, model, allowance="read")
        (recorded.root / "shot.png").write_bytes(SHOT)
        await recorded.session.open()
        await recorded.session.run("Read shot.png; here it is too: @shot.png")
        assert endpoint.violations == []
        said = endpoint.requests[1]["messages"]
        assert [part["type"] for part in said[1]["content"]] == ["text", "image_url"]
        assert "takes images from the user only" in said[-1]["content"]
        await recorded.session.close()


async def test_a_long_paste_is_spelt_out_in_the_message(tmp_path: Path) -> None:
    model = ScriptedModel(says("I see."))
    recorded = made(tmp_path, model)
    session = recorded.session
    await session.open()
    mark = await pastes_of(lambda: session.parts).keep("line\n" * 9_000, session.chain)
    await session.run(f"Why? {mark}")
    text = str(model.requests[0].messages[-1]["content"])
    assert text.startswith("Why? [Pasted text, whole in a file: 45,000 characters, 9,000 lines.")
    assert len(text) < 3_500
    await session.close()


async def test_a_paste_that_is_gone_is_told_and_the_message_sent(tmp_path: Path) -> None:
    recorded = made(tmp_path, ScriptedModel(says("I see.")))
    await recorded.session.open()
    await recorded.session.run("Why? [pasted: .haima/pastes/abc/001-paste.txt, 5 characters]")
    assert [event.model_dump()["code"] for event in recorded.of("notice")] == ["paste_gone"]
    await recorded.session.close()
