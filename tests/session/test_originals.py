"""Earlier messages of the open chain: from the database, from the ledgers where that fails."""

import sqlite3
from pathlib import Path

import pytest

from app.conversation.messages import TextPart
from app.session.chain import Chain
from app.session.restore import Fork
from tests.session.support import Recorded, ScriptedModel, call, make_session, says

TEXT = "".join(f"line {number} of the file\n" for number in range(500))


def chain(made: Recorded) -> Chain:
    """The open one."""
    open_ = made.session._chain
    assert open_ is not None
    return open_


async def read_once(tmp_path: Path, model: ScriptedModel) -> tuple[Recorded, str]:
    """A session that has read a file, and the result's id."""
    made = make_session(tmp_path, model)
    (made.root / "a.txt").write_text(TEXT)
    await made.session.open()
    await made.session.run("Read it")
    (ref,) = (message.id for message in made.session.history if message.role == "tool")
    return made, ref


def last_result(made: Recorded) -> str:
    return [message.text for message in made.session.history if message.role == "tool"][-1]


async def test_a_cleared_result_is_quoted_word_for_word(tmp_path: Path) -> None:
    reads = says("", call("read_file", path="a.txt"))
    model = ScriptedModel(reads, says("ok"))
    made, ref = await read_once(tmp_path, model)
    await chain(made)._recorder.replace(ref, (TextPart("[Cleared]"),), state="cleared")
    (made.root / "a.txt").write_text("changed since")
    model.answers = [says("", call("read_history", ref=ref)), says("ok")]
    await made.session.run("Again")
    assert TEXT in last_result(made)
    assert last_result(made).startswith("[Quoted from this conversation, 2026-11-29 12:00 UTC: ")
    await made.session.close()


async def test_the_budget_follows_the_window(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made, ref = await read_once(tmp_path, model)
    made.session.context.set_window(8_000)
    assert chain(made).originals.budget == 1_000
    model.answers = [says("", call("read_history", ref=ref)), says("ok")]
    await made.session.run("Again")
    result = last_result(made)
    assert made.session.context.meter.text_tokens(result) < 1_200
    assert 'read_history(ref="' in result
    made.session.context.set_window(1_000_000)
    assert chain(made).originals.budget == 8_000
    await made.session.close()


async def test_without_a_database_the_ledger_gives_it(tmp_path: Path) -> None:
    (tmp_path / "haima" / "haima.db").mkdir(parents=True)
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made, ref = await read_once(tmp_path, model)
    found = await chain(made).originals.find(ref)
    assert found is not None
    assert found.message.text == TEXT
    assert await chain(made).originals.find("none") is None
    await made.session.close()


async def test_a_database_that_fails_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made, ref = await read_once(tmp_path, model)

    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("app.session.originals.find_original", broken)
    found = await chain(made).originals.find(ref)
    assert found is not None
    assert found.message.text == TEXT
    await made.session.close()


async def test_a_fork_quotes_what_was_said_before_it(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made, ref = await read_once(tmp_path, model)
    node = made.session.node
    await made.session.close()
    numbers = iter(range(1, 1_000))
    forked = make_session(tmp_path, ScriptedModel(), new_id=lambda: f"b{next(numbers):011x}")
    await forked.session.open(Fork(node))
    found = await chain(forked).originals.find(ref)
    assert found is not None
    assert found.message.text == TEXT
    await forked.session.resume(node)
    assert await chain(forked).originals.find(ref) == found
    await forked.session.close()


async def test_the_texts_of_many_at_once_with_and_without_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made, ref = await read_once(tmp_path, model)
    asked = made.session.history[1].id
    await chain(made)._recorder.replace(ref, (TextPart("[Cleared]"),), state="cleared")
    wanted = {asked: "Read it", ref: TEXT}
    originals = chain(made).originals
    assert await originals.texts([asked, "nobody", ref]) == wanted

    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("app.session.originals.find_texts", broken)
    assert await originals.texts([asked, "nobody", ref]) == wanted
    await made.session.close()
