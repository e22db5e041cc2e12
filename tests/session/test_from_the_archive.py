"""What is seen after a resume is made of the archive, and what is sent never of what is seen."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart
from app.conversation.past import PastMessage, PastPage
from app.conversation.summary_mark import SummaryMark
from app.ports import ModelRequest
from app.session.chains import NoArchive
from app.session.launch import StartRequest
from app.session.opening import open_ledger
from app.session.parts import Parts
from app.session.restore import Origin, Resume
from app.view.items import AnswerItem, CardItem, EarlierItem, SummaryMarkItem, UserItem
from app.view.sessions_view import Summarised
from app.view.transcript import TranscriptStore
from tests.session.support import Piece, Recorded, ScriptedModel, call, make_session, says

TURNS = 30
LONG = 500


def turns(count: int) -> list[list[Piece]]:
    """Answers; every third turn has a step with two calls."""
    found: list[list[Piece]] = []
    for number in range(count):
        if number % 3 == 0:
            calls = (call("list_dir", path="."), call("read_file", path="nothing.txt"))
            found.append(says(f"I look {number}", *calls))
        found.append(says(f"Answer {number}\n\nand more"))
    return found


def ids(first: str) -> Callable[[], str]:
    """Ids that no other session has."""
    numbers = iter(range(1, 1 << 30))
    return lambda: f"{first}{next(numbers):010x}"


async def talk(folder: Path, count: int = TURNS) -> Recorded:
    """A session of so many turns, over."""
    made = make_session(folder, ScriptedModel(*turns(count)), new_id=ids("aa"))
    await made.session.open()
    for number in range(count):
        assert (await made.session.run(f"Question {number}")).ok
    return made


async def resumed(
    folder: Path, node: str, *answers: Iterable[Piece]
) -> tuple[Recorded, ScriptedModel]:
    """Another process's session, that goes on with a node."""
    model = ScriptedModel(*answers)
    made = make_session(folder, model, new_id=ids("bb"))
    await made.session.open(Resume(node))
    return made, model


async def test_the_past_holds_every_message(tmp_path: Path) -> None:
    """FIELD 30: in order, whatever the length of the pages."""
    before = await talk(tmp_path)
    node, said = before.session.node, [m for m in before.session.history if m.role != "system"]
    await before.session.close()
    after, _ = await resumed(tmp_path, node)
    page = await after.session.earlier.past(None, 100)
    assert page.earlier is None
    assert [one.message for one in page.items if isinstance(one, PastMessage)] == said
    assert len(page.items) == len(said) == 2 * TURNS + 3 * TURNS // 3
    for limit in (1, 7):
        found: list[Message] = []
        page = await after.session.earlier.past(None, limit)
        while True:
            found = [one.message for one in page.items if isinstance(one, PastMessage)] + found
            assert page.earlier_count == len(said) - len(found)
            if page.earlier is None:
                break
            page = await after.session.earlier.past(page.earlier, limit)
        assert found == said
    await after.session.close()


async def test_a_new_transcript_changes_nothing_of_the_next_request(tmp_path: Path) -> None:
    """One session with a screen's view, made anew in the middle; one without any."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    before = await talk(one)
    node = before.session.node
    await before.session.close()
    shutil.copytree(one, other)

    unseen = await asked(other, node, lambda _made, _page: None)
    stores: list[TranscriptStore] = []

    def look(made: Recorded, page: PastPage) -> None:
        """The view of before is gone; another is made of the archive."""
        made.session.publish.listeners[:] = [
            one for one in made.session.publish.listeners if one not in [s.apply for s in stores]
        ]
        stores.append(TranscriptStore())
        stores[-1].show_past(page)
        made.session.publish.listeners.append(stores[-1].apply)

    seen = await asked(one, node, look)
    assert seen == unseen
    assert len(stores) == 2
    shown = list(stores[-1])
    assert any(isinstance(item, EarlierItem) for item in shown)
    assert [item.text for item in shown if isinstance(item, UserItem)][-1] == "And then?"
    assert any(isinstance(item, CardItem) and item.tool == "list_dir" for item in shown)
    assert any(isinstance(item, AnswerItem) for item in shown)


async def asked(
    folder: Path, node: str, look: Callable[[Recorded, PastPage], None]
) -> list[ModelRequest]:
    """The requests of two turns, somebody looking before each."""
    made, model = await resumed(folder, node, says("Well"), says("So"))
    for prompt in ("Go on", "And then?"):
        look(made, await made.session.earlier.past(None, 40))
        assert (await made.session.run(prompt)).ok
    await made.session.close()
    return model.requests


async def test_all_is_there_after_three_summaries(tmp_path: Path) -> None:
    """FIELD 30: 500 turns, 3 compactions: all turns in the export, each mark in the view."""
    made = make_session(tmp_path, ScriptedModel(says("Hello")), new_id=ids("aa"))
    await made.session.open()
    await made.session.run("Question start")
    recorder = made.session._open._recorder
    chain, quarter = made.session.chain, LONG // 4
    for part in range(4):
        for number in range(part * quarter, (part + 1) * quarter):
            question, answer = f"Question {number:03}.", f"Answer {number:03}."
            await recorder.append(Message(f"cc{number:010}", "user", (TextPart(question),)))
            await recorder.append(Message(f"dd{number:010}", "assistant", (TextPart(answer),)))
        if part < 3:
            summary = Message(f"ee{part:010}", "user", (TextPart("A summary."),))
            layout = recorder.layout()
            start = NodeStart(
                chain=chain,
                parent=recorder.node,
                relation="summary",
                project=str(made.root),
                layout=(layout[0], LayoutEntry(summary.id), *layout[-10:]),
                messages=(summary,),
                summary=SummaryMark(
                    messages=100 + part,
                    tokens=1_400,
                    tokens_before=95_000,
                    tokens_after=21_000,
                    summary=summary.id,
                ),
            )
            await recorder.begin(start, f"ff{part:010}")
    node = recorder.node
    await made.session.close()

    after, _ = await resumed(tmp_path, node)
    text = (await after.session.export()).read_text()
    places = [text.index(f"{what} {n:03}.") for n in range(LONG) for what in ("Question", "Answer")]
    assert places == sorted(places)
    assert text.count("Question ") == LONG + 1
    marked = [line for line in text.splitlines() if "replaced by a summary" in line]
    assert [line.split(" in the model")[0] for line in marked] == [
        f"> Here {100 + part} of the messages above were replaced by a summary of 1.4k tokens"
        for part in range(3)
    ]
    listed = {one.id: one for one in await after.session.earlier.sessions()}
    assert [listed[id].summarised for id in (chain, "ff0000000000", "ff0000000001", node)] == [
        *(Summarised(100 + part, 1_400) for part in range(3)),
        None,
    ]
    assert not any(one.live for one in listed.values()), "they end in this one"
    store = TranscriptStore()
    page = await after.session.earlier.past(None, 100)
    store.show_past(page)
    while page.earlier is not None:
        page = await after.session.earlier.past(page.earlier, 100)
        store.prepend(page)
    shown = [item for item in store if isinstance(item, UserItem | SummaryMarkItem)]
    questions = [item.text for item in shown if isinstance(item, UserItem)]
    assert questions == ["Question start", *(f"Question {n:03}." for n in range(LONG))]
    marks = [place for place, item in enumerate(shown) if isinstance(item, SummaryMarkItem)]
    assert marks == [1 + LONG // 4, 2 + LONG // 2, 3 + 3 * LONG // 4]
    known = [item for item in shown if isinstance(item, SummaryMarkItem)]
    assert [(item.count, item.tokens) for item in known] == [(100 + n, 1_400) for n in range(3)]
    await after.session.close()


async def test_another_process_had_the_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it wrote between our reading and our lock is read too, and goes to the model."""
    before = await talk(tmp_path, 1)
    node = before.session.node
    await before.session.close()

    def late(origin: Origin, parts: Parts) -> Ledger:
        monkeypatch.undo()
        said = message_to_json(Message("cc0000000001", "user", (TextPart("Late"),)))
        with Ledger.open(parts.paths.ledger(origin.ledger)) as ledger:
            ledger.write("message", {"message": said}, node=origin.node)
        return open_ledger(origin, parts)

    monkeypatch.setattr("app.session.chains.open_ledger", late)
    made, model = await resumed(tmp_path, node, says("Yes"))
    assert made.session.history[-1].text == "Late"
    await made.session.run("And now?")
    assert model.requests[0].messages[-1]["content"] == "Late\n\nAnd now?"
    assert made.of("notice") == []
    await made.session.close()


async def test_the_database_cannot_follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is gone on with that would lack a message."""
    before = await talk(tmp_path, 1)
    node, ledger = before.session.node, before.session.chain
    await before.session.close()
    after = make_session(tmp_path, ScriptedModel(), new_id=ids("bb"))
    assert await after.session.find(StartRequest("continue")) == Resume(node)
    path = after.session.parts.paths.ledger(ledger)
    with Ledger.open(path) as late:
        late.write("error", {"code": "x", "text": "late"}, node=node)
    monkeypatch.setattr("app.archive.store.Store.steps", lambda _: iter(()))
    with pytest.raises(NoArchive):
        await after.session.open(Resume(node))
    with Ledger.open(path) as again:
        assert again.seq > 0, "it was let go of"
    await after.session.close()
