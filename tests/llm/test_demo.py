"""The demo's model: what it answers to what, how it streams, and its sample project."""

import asyncio
import re
import shutil
from contextlib import aclosing
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from app.conversation.messages import WireMessage
from app.llm.demo import PACE, PROJECT, DemoModel, copy_demo_project, pieces
from app.llm.demo_log import LOG as LOG_FILE
from app.ports import ModelRequest, ReasoningDelta, Reply, TextDelta
from app.text import LANGUAGES, Language, Words
from tests.llm.demo_talk import (
    FIX,
    LOG,
    LOOK,
    SAMPLE,
    SHOW,
    Talk,
    asked,
    run_stream,
    suggestion,
)
from tests.llm.support import FakeClock


@pytest.mark.parametrize(
    ("said", "number", "language"),
    [
        ("  fix the FAILING test\nin this project!! ", FIX, "en"),
        ("Ｆｉｘ the failing test in this project。", FIX, "en"),
        ("修好这个项目里没通过的测试！", FIX, "zh"),
        ("先四处看看,再告诉我你的上下文里有什么", LOOK, "zh"),
        ("1", FIX, "zh"),
        ("2.", LOOK, "zh"),
        ("查一查昨夜的日志里出了什么问题。", LOG, "zh"),
        ("３", LOG, "zh"),
        ("4", SHOW, "en"),
    ],
)
async def test_a_suggestion_is_known_in_either_language(
    said: str, number: int, language: Language
) -> None:
    """Each is answered in the language it was asked in; a bare number in the demo's own."""
    reply = await Talk(language if len(said) == 1 else "zh", spoken=said).reply()
    assert reply == await Talk(language, spoken=suggestion(number, language)).reply()


async def test_an_answer_ends_at_the_limit_that_is_asked_for() -> None:
    model = DemoModel("en", clock=FakeClock(), pace=0)
    request = ModelRequest(({"role": "user", "content": "Write me a poem"},), max_tokens=5)
    *_, reply = [chunk async for chunk in model.stream(request)]
    assert isinstance(reply, Reply)
    assert (len(list(pieces(reply.text))), reply.truncated) == (5, True)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("said", ["Write me a poem", "帮我重构", "5", "Fix the failing test", "?"])
async def test_to_anything_else_it_says_what_it_is(language: Language, said: str) -> None:
    reply = await Talk(language, spoken=said).reply()
    assert reply.calls == ()
    for number in range(4):
        assert suggestion(number, language) in reply.text
    assert "OpenAI" in reply.text
    assert {"en": "not a model", "zh": "不是模型"}[language] in reply.text


async def test_a_request_without_a_user_gets_the_same_answer() -> None:
    assert (await Talk().reply()).text == (await Talk(spoken="Hello").reply()).text


async def test_every_suggestion_can_be_sent_right_after_another() -> None:
    talk = Talk(spoken=suggestion(SHOW))
    assert (await talk.reply()).calls == ()
    talk.say(suggestion(FIX))
    assert asked(await talk.reply()) == ["list_dir", "read_file"]


async def test_a_tool_that_is_switched_off_is_named() -> None:
    reply = await Talk(tools=("read_file", "list_dir"), spoken=suggestion(LOOK)).reply()
    assert reply.calls == ()
    assert "`search_files`" in reply.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_looking_around_reads_side_by_side_and_counts_what_it_got(
    language: Language,
) -> None:
    talk = Talk(language, spoken=suggestion(LOOK, language))
    first = await talk.reply()
    assert asked(first) == ["list_dir", "search_files", "read_file", "read_file", "read_file"]
    hits = (
        "orders/models.py:7: class Line:\norders/models.py:16: class Order:\norders/stock.py:8: x"
    )
    end = await talk.reply("orders/", hits, "readme", "models", "stock")
    assert end.calls == ()
    assert "| `orders/models.py` | 2 |\n| `orders/stock.py` | 1 |" in end.text
    sent = talk.messages[:-1]
    results = [str(message["content"]) for message in sent if message["role"] == "tool"]
    characters = sum(len(str(message["content"])) for message in sent)
    for figure in (len(sent), f"{characters:,}", f"{sum(map(len, results)):,}", len(results)):
        assert f" {figure} " in end.text
    assert "`/clear`" in end.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_long_answer_has_a_bit_of_everything(language: Language) -> None:
    reply = await Talk(language, spoken=suggestion(SHOW, language)).reply()
    assert reply.calls == ()
    assert reply.text.count("\n") > 40
    for mark in ("# ", "## ", "\n| ", "|--:|", "\n> ", "```python\n", "\n1. ", "\n- [x] ", "*"):
        assert mark in reply.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_long_answer_claims_is_true(language: Language) -> None:
    text = Words(language)("demo.show")
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, {})
    rows = re.findall(r"\| (\d+) \| (\d+) \|", text)
    half_up = [int(Decimal(n).quantize(Decimal(1), ROUND_HALF_UP)) for n in ("154.5", "155.5")]
    claimed = [half_up, [round(154.5), round(155.5)], [int(154.5), int(155.5)]]
    assert [tuple(map(str, row)) for row in claimed] == rows


@pytest.mark.parametrize("language", LANGUAGES)
def test_pieces_are_small_and_lose_nothing(language: Language) -> None:
    text = Words(language)("demo.show")
    streamed = list(pieces(text))
    assert "".join(streamed) == text
    assert all(len(piece.strip()) <= 8 for piece in streamed)
    assert list(pieces("")) == []


async def test_it_speaks_at_the_pace_it_was_given() -> None:
    clock = FakeClock()
    model = DemoModel("en", clock=clock, pace=PACE)
    messages: tuple[WireMessage, ...] = ({"role": "user", "content": "hello"},)
    chunks = await run_stream(model, ModelRequest(messages))
    assert clock.slept == [PACE] * len(chunks)


async def test_it_can_be_stopped_at_any_piece() -> None:
    clock = FakeClock()
    model = DemoModel("en", clock=clock, pace=PACE)
    messages: tuple[WireMessage, ...] = ({"role": "user", "content": "4"},)
    async with aclosing(model.stream(ModelRequest(messages))) as stream:
        assert isinstance(await anext(stream), ReasoningDelta)
        clock.held = True
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_without_pace_others_still_get_their_turn() -> None:
    seen = 0

    async def count() -> None:
        nonlocal seen
        while True:
            seen += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count())
    messages: tuple[WireMessage, ...] = ({"role": "user", "content": "hello"},)
    chunks = await run_stream(DemoModel("en", clock=FakeClock(), pace=0), ModelRequest(messages))
    counting.cancel()
    assert sum(isinstance(chunk, TextDelta) for chunk in chunks) > 50
    assert seen >= len(chunks)


def test_each_copy_of_the_sample_is_new_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed sample has compiled files beside it; they aren't copied."""
    shutil.copytree(SAMPLE, tmp_path / "installed" / "demo_project")
    compiled = tmp_path / "installed" / "demo_project" / "orders" / "__pycache__"
    compiled.mkdir(exist_ok=True)
    (compiled / "stock.cpython-311.pyc").write_bytes(b"old")
    monkeypatch.setattr("app.llm.demo.resources.files", lambda package: tmp_path / "installed")
    first, second = copy_demo_project(tmp_path / "demo"), copy_demo_project(tmp_path / "demo")
    assert first != second
    assert first.name == second.name == PROJECT
    files = {path.relative_to(first).as_posix() for path in first.rglob("*") if path.is_file()}
    assert {"AGENTS.md", "README.md", "pyproject.toml", ".gitignore"} < files
    assert {"orders/pricing.py", "tests/__init__.py", "tests/test_pricing.py", LOG_FILE} < files
    assert not list(first.rglob("__pycache__"))
    assert (first.stat().st_mode & 0o777, (tmp_path / "demo").stat().st_mode & 0o777) == (
        0o700,
        0o700,
    )


def test_the_sample_stays_small() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < 150
