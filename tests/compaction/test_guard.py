"""The guard: the last that is cut when a request nearly fills the window (NAMES 4.9)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.ledger import Ledger
from app.archive.rows import Row
from app.compaction.guard import plan_guard
from app.compaction.too_large import RequestTooLarge
from app.conversation.history import History
from app.conversation.messages import Message, TextPart
from app.conversation.meter import Meter
from app.conversation.standing import Standing
from app.conversation.window import RULES, guard_mark, thresholds
from app.events import Guarded
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.storage import StorageError
from app.text import Words
from tests.compaction.desk import Desk
from tests.compaction.histories import GENERIC, answer, step, user

EN = Words("en")
LINES = "".join(f"line {number} of a long result\n" for number in range(4_000))


def cut(messages: list[Message], excess: int, **more: object) -> dict[str, Message]:
    history, meter = History(messages), Meter(GENERIC)
    meter.measure(history, "")
    found = plan_guard(history, {}, meter, excess, words=EN, **more)  # type: ignore[arg-type]
    return {one.message.id: one.message for one in found}


@pytest.mark.parametrize(("above", "due"), [(-1, False), (0, True), (1, True)])
async def test_begins_at_its_mark(tmp_path: Path, above: int, due: bool) -> None:
    desk = Desk(tmp_path, [user(), *step(0, LINES)])
    window, mark = 1, desk.tokens - above
    while guard_mark(window) < mark:
        window += 1
    desk.marks = thresholds(window)
    anchored(desk)
    before = desk.request
    assert (await desk.call() != before) == due


def anchored(desk: Desk) -> None:
    """The provider has counted what we estimate, so no margin is added."""
    tokens = desk.tokens
    desk.meter.sent(desk.history, "")
    desk.meter.answered(desk.history, None, prompt=tokens)
    assert desk.tokens == tokens


async def test_the_newest_biggest_result_is_cut_to_what_fits(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [user(), *step(0, "small " * 300, LINES)], marks=thresholds(32_000))
    anchored(desk)
    await desk.call()
    mark = guard_mark(32_000)
    assert 0.9 * mark < desk.tokens < mark, "a twelfth is kept for names, of which there are none"
    assert desk.states == {"r0.1": ("cut", False)}
    text = desk.history[-1].text
    assert text.startswith("line 0 of a long result\n")
    assert text.endswith("line 3999 of a long result\n")
    head, _, rest = text.partition("\n[")
    said, _, tail = rest.partition("]\n")
    assert "characters left out here, as the window is full: lines" in said
    assert 'read_history(ref="r0.1") quotes them.' in said
    assert len(head) / len(tail) == pytest.approx((2 / 3) / (1 / 4), abs=0.02)


async def test_names_of_the_middle_stand_between(tmp_path: Path) -> None:
    text = LINES + "src/only/here.py: def decode_order_field\n" + LINES
    desk = Desk(tmp_path, [user(), *step(0, text)], marks=thresholds(32_000))
    await desk.call()
    assert "[Only there: src/only/here.py, decode_order_field]" in desk.history[-1].text


def test_one_after_the_other_the_biggest_first() -> None:
    messages = [user(), *step(0, "b" * 9_000, "a " * 9_000, "c " * 400)]
    meter = Meter(GENERIC)
    sizes = {message.id: meter.message_tokens(message) for message in messages}
    assert list(cut(messages, 100)) == ["r0.1"]
    assert list(cut(messages, sizes["r0.1"] + 100)) == ["r0.0", "r0.1"]


def test_then_other_results_then_arguments_then_answers() -> None:
    messages = [
        user("word " * 2_000),
        *step(0, "word " * 800),
        answer("word " * 3_000, "long"),
        user("more", "more"),
        *step(1, "word " * 900, arguments=lambda _: {"content": "word " * 2_000, "path": "a"}),
    ]
    order = ["r1.0", "r0.0", "a1", "long"]
    seen: list[str] = []
    for excess in range(1, 7_000, 50):
        for key in cut(messages, excess):
            if key not in seen:
                seen.append(key)
    assert seen[0] == "r1.0"
    assert seen == sorted(seen, key=order.index)
    assert set(seen) == set(order)


def test_an_argument_stays_json_and_says_so() -> None:
    messages = [user(), *step(0, "ok", arguments=lambda _: {"content": 'a "b"\n' * 900, "n": 1})]
    changed = cut(messages, 500)["a0"]
    arguments = json.loads(changed.calls[0].arguments)
    assert list(arguments) == ["content", "n"]
    assert arguments["n"] == 1
    assert 700 < len(arguments["content"]) <= 800
    assert "characters left out here, as the window is full" in arguments["content"]
    assert changed.calls[0].id == "c0.0"


def test_texts_in_lists_and_objects_are_cut_the_longest_first_until_it_fits() -> None:
    edits = [{"old": "small", "new": "word " * size} for size in (400, 900, 700)]
    messages = [user(), *step(0, "ok", arguments=lambda _: {"path": "a", "edits": edits})]

    def lengths(excess: int) -> list[int]:
        arguments = json.loads(cut(messages, excess)["a0"].calls[0].arguments)
        assert [one["old"] for one in arguments["edits"]] == ["small"] * 3
        return [len(one["new"]) for one in arguments["edits"]]

    first, second, third = lengths(100), lengths(900), lengths(1_300)
    assert first[0] == 2_000
    assert first[1] <= 800
    assert first[2] == 3_500
    assert second[0] == 2_000
    assert max(second[1:]) <= 800
    assert max(third) <= 800


def test_of_many_small_pieces_the_first_and_the_last_stay() -> None:
    edits = [{"old": f"old {n}", "new": "word " * 20} for n in range(60)]
    messages = [user(), *step(0, "ok", arguments=lambda _: {"path": "a", "edits": edits})]
    changed = cut(messages, 10_000)
    arguments = json.loads(changed["a0"].calls[0].arguments)
    kept = arguments["edits"]
    (place,) = (n for n, one in enumerate(kept) if isinstance(one, str))
    assert 0 < place < len(kept) - 1
    assert kept[:place] == edits[:place]
    assert kept[place + 1 :] == edits[place + 1 - len(kept) :]
    assert "characters left out here" in kept[place]
    assert len(json.dumps(kept)) <= RULES.guard_least
    assert arguments["path"] == "a"
    again = [messages[0], changed["a0"], messages[2]]
    assert cut(again, 10_000) == {}


def test_pieces_that_are_each_too_big_all_go() -> None:
    edits = [{"lines": ["word word word word"] * 30} for _ in range(9)]
    messages = [user(), *step(0, "ok", arguments=lambda _: {"edits": edits})]
    (left_out,) = json.loads(cut(messages, 10_000)["a0"].calls[0].arguments)["edits"]
    assert "characters left out here" in left_out


def test_the_arguments_of_every_call_of_a_step_are_cut() -> None:
    messages = [user(), *step(0, "ok", "ok", arguments=lambda _: {"content": "word " * 900})]
    calls = cut(messages, 10_000)["a0"].calls
    assert [call.id for call in calls] == ["c0.0", "c0.1"]
    assert all(len(json.loads(call.arguments)["content"]) <= 800 for call in calls)


def test_what_was_sent_already_is_cut_by_more_at_once() -> None:
    """To cut an old message breaks the cached prefix: not for a few tokens each time."""
    old = [answer("word " * 900, f"old{n}") for n in range(6)]
    messages = [user("word " * 2_000), *old, user("more", "more"), *step(1, "word " * 900)]
    assert set(cut(messages, 300, spare=1_500)) == {"r1.0"}
    alone = cut(messages, 1_000)
    assert len(alone) == 2
    asked = step(1, "ok", arguments=lambda _: {"content": "word " * 900})
    fresh = [user("word " * 2_000), *old, user("more", "more"), *asked]
    assert set(cut(fresh, 300, spare=1_500)) == {"a1"}
    assert len(cut(messages, 1_000, spare=1_500)) == 4


def test_the_user_and_what_is_pinned_stay() -> None:
    messages = [user("word " * 9_000), *step(0, "word " * 9_000), *step(1, "word " * 9_000)]
    history, meter = History(messages), Meter(GENERIC)
    standings = {"r0.0": Standing(pinned=True), "r1.0": Standing("cleared")}
    assert plan_guard(history, standings, meter, 10**6, words=EN) == ()


def test_broken_arguments_are_left_alone() -> None:
    messages = step(0, "ok")
    call = messages[0].calls[0]
    broken = Message("a0", "assistant", calls=(type(call)(call.id, call.name, "{" * 9_000),))
    assert cut([user(), broken, messages[1]], 1_000) == {}


async def test_nothing_left_to_cut_ends_with_an_error(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [user("word " * 9_000), *step(0, LINES)], marks=thresholds(8_000))
    with pytest.raises(RequestTooLarge):
        await desk.call()
    assert len(desk.history[-1].text) <= 800
    rows = desk.ledger.seq
    with pytest.raises(RequestTooLarge):
        await desk.call()
    assert desk.ledger.seq == rows


pieces = st.sampled_from(["word ", "海马体负责记忆。", "line\n", "\x1b[0m\n", "👩‍🚀", "x" * 300])


@given(st.lists(pieces, min_size=1, max_size=5), st.integers(900, 9_000), st.integers(1, 9_000))
def test_what_is_cut_fits_and_is_at_least_its_least(
    some: list[str], size: int, excess: int
) -> None:
    whole = "".join(some)
    text = (whole * (size // len(whole) + 1))[:size]
    history, meter = History([user(), *step(0, text)]), Meter(GENERIC)
    index = NameIndex()
    index.follow(history)
    before = meter.message_tokens(history[-1])
    found = plan_guard(history, {}, meter, excess, words=EN, names=Ranking(index))
    for one in found:
        after = meter.message_tokens(one.message)
        assert one.shed == before - after > 0
        assert after <= before - excess or len(one.message.text) <= 800
        assert isinstance(one.message.parts[0], TextPart)
    if not found:
        assert len(text) <= 900


async def test_what_was_cut_is_told_once_with_the_figures(tmp_path: Path) -> None:
    messages = [user(), *step(0, "small", LINES, LINES * 2, LINES)]
    desk = Desk(tmp_path, messages, marks=thresholds(16_000))
    before = desk.tokens
    await desk.call()
    (told,) = desk.of_type("guarded")
    assert isinstance(told, Guarded)
    assert told.messages == ("r0.1", "r0.2", "r0.3"), "oldest first, though the biggest goes first"
    assert set(told.messages) == {id for id, (state, _) in desk.states.items() if state == "cut"}
    assert (told.count, told.tokens_before, told.tokens_after) == (3, before, desk.tokens)
    await desk.call()
    assert desk.of_type("guarded") == [told]


async def test_nothing_cut_nothing_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [user("word " * 9_000)], marks=thresholds(8_000))
    with pytest.raises(RequestTooLarge):
        await desk.call()
    assert not desk.events


@pytest.mark.parametrize("written", [0, 1, 2])
async def test_a_disk_that_gives_out_half_way_tells_what_really_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    messages = [user(), *step(0, "small", LINES, LINES * 2, LINES)]
    desk = Desk(tmp_path, messages, marks=thresholds(16_000))
    before, good, left = desk.tokens, Ledger.write, written

    def full(self: Ledger, kind: str, data: object, **rest: str) -> Row:
        nonlocal left
        if left == 0:
            raise StorageError("storage.full", path=Path("x"))
        left -= 1
        return good(self, kind, data, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Ledger, "write", full)
    with pytest.raises(StorageError):
        await desk.call()
    told = [one for one in desk.events if isinstance(one, Guarded)]
    cut = tuple(id for id, (state, _) in sorted(desk.states.items()) if state == "cut")
    assert len(cut) == written
    if not written:
        assert not told
        return
    (event,) = told
    assert (event.messages, event.count) == (cut, written)
    assert (event.tokens_before, event.tokens_after) == (before, desk.tokens)
    assert desk.tokens < before
