"""The history after a cut (DESIGN 4, tier 3; FIELD 1, 3, 4, 12, 64, 66)."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compaction.cut import Cut, places
from app.compaction.known import NOTHING_KNOWN
from app.compaction.new_history import NewHistory, NoSummary, build
from app.compaction.said import said_id, said_in
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import (
    ImagePart,
    MemoryPart,
    Message,
    Part,
    Reasoning,
    RestoredPart,
    SummaryPart,
    TextPart,
    WordsPart,
)
from app.conversation.offloaded import Offloaded
from app.conversation.wire import to_wire
from app.memory.work_ranking import NOTED
from app.text import Words
from tests.compaction.histories import answer, step, user
from tests.compaction.summaries import (
    SUMMARY,
    Text,
    Work,
    after,
    front_tokens,
    made_turns,
    newest_request,
    quoted,
    sent,
    works,
)
from tests.conversation.strict import broken, refusals
from tests.endpoint.dialects import DIALECTS
from tests.endpoint.strict_messages import message_faults

SYSTEM = Message("s", "system", (TextPart("You are Haima."),))


def conversation(size: int = 600) -> list[Message]:
    """Six turns with a step each; the newest is in the middle of its work."""
    made = [SYSTEM]
    for number in range(6):
        made.append(user(f"Do part {number}.", f"u{number}"))
        made += step(number, "word " * (size if number < 5 else 4 * size))
        if number < 5:
            made.append(answer(f"Done {number}.", f"z{number}"))
    return made


def between_turns() -> tuple[Work, Cut, NewHistory]:
    work = Work(History(conversation()), changed=("src/a.py",))
    cut = work.cut(turns=1)
    assert cut is not None and not cut.in_turn
    return work, cut, work.build(cut)


def inside_a_turn() -> tuple[Work, Cut, NewHistory]:
    messages = [SYSTEM, user("Fix the codec.", "u0"), answer("Done.", "z"), user("Now test.", "u1")]
    for number in range(8):
        messages += step(number, "word " * 900)
    work = Work(History(messages))
    cut = work.cut()
    assert cut is not None and cut.in_turn
    return work, cut, work.build(cut)


def test_between_turns_an_acknowledgement_stands_before_the_tail() -> None:
    """FACTS 1.7: system, summary, acknowledgement without calls, untouched tail."""
    work, cut, new = between_turns()
    first, acknowledged = new.messages
    assert new.history_ids[:3] == ("s", first.id, acknowledged.id)
    assert new.history_ids[3:] == tuple(one.id for one in work.history[cut.end :])
    assert (first.role, acknowledged.role, acknowledged.calls) == ("user", "assistant", ())
    assert first.summary == SummaryPart(SUMMARY.text, first.summary.references, 1)  # type: ignore[union-attr]
    assert new.slot is not None and new.slot.first and new.slot.message_id == first.id


def test_inside_a_turn_the_request_follows_verbatim() -> None:
    work, _, new = inside_a_turn()
    (first,) = new.messages
    assert first.summary is not None and first.summary.request == "u1"
    assert first.text == "Now test."
    assert new.history_ids[:2] == ("s", first.id)
    roles = [one["role"] for one in to_wire(after(work.history, new), new.slot)]
    assert roles[:3] == ["system", "user", "assistant"]
    assert quoted(first) == {}  # the first message stands in the goal


def test_the_goal_stands_once_and_the_remarks_in_their_order() -> None:
    """FIELD 3: the first request is the goal, later ones are later ones."""
    _, _, new = between_turns()
    assert new.slot is not None and "Do part 0." in new.slot.text
    assert list(quoted(new.messages[0]).values()) == [f"Do part {n}." for n in range(1, 5)]
    part = new.messages[0].parts[-1]
    assert isinstance(part, WordsPart)
    assert [one.id for one in part.said] == ["u0", "u1", "u2", "u3", "u4"]
    assert part.left_out == ()


def test_a_goal_that_stays_is_not_said_twice() -> None:
    messages = [SYSTEM, user("Fix it.", "u0")]
    for number in range(8):
        messages += step(number, "word " * 900)
    work = Work(History(messages))
    cut = work.cut()
    assert cut is not None
    new = work.build(cut)
    assert new.slot is None
    assert new.messages[0].text == "Fix it."
    assert not any(isinstance(part, WordsPart) for part in new.messages[0].parts)


def test_a_long_goal_is_told_with_the_call_that_quotes_it() -> None:
    messages = conversation()
    messages[1] = user("Build this:\n" + "one more requirement\n" * 2_000, "u0")
    work = Work(History(messages))
    cut = work.cut(turns=1)
    assert cut is not None
    new = work.build(cut)
    assert new.slot is not None
    assert "Build this:\none more requirement\n" in new.slot.text
    assert 'read_history(ref="u0")' in new.slot.text
    assert "u0" not in quoted(new.messages[0])
    assert front_tokens(new, work.meter) <= work.shares.block


def test_changed_files_stand_newest_first_as_many_as_fit() -> None:
    work, cut, _ = between_turns()
    work.changed = tuple(f"src/package/changed{number}.py" for number in range(1_000))
    new = work.build(cut)
    assert new.slot is not None
    lines = new.slot.text.splitlines()
    named = next(line for line in lines if line.startswith("src/package/")).split(", ")
    assert named == list(work.changed[: len(named)]) and len(named) > 35, "names before notes"
    left = 1_000 - len(named)
    assert f'- and {left} older ones: read_history(query="work: changed")' in lines
    assert quoted(new.messages[0])


@pytest.mark.parametrize("count", [NOTED, 30, 70])
def test_every_changed_file_is_named_where_their_names_have_room(count: int) -> None:
    work, cut, _ = between_turns()
    work.changed = tuple(f"src/package/changed{number}.py" for number in range(count))
    new = work.build(cut)
    assert new.slot is not None
    assert all(path in new.slot.text for path in work.changed)
    assert "older ones" not in new.slot.text
    assert new.slot.text.count("(edited)") == new.told.files - len(new.told.changed_names)


def test_rules_stand_word_for_word_behind_the_goal() -> None:
    work, cut, _ = between_turns()
    work.rules = ("never use npm", "不要改 schema")
    new = work.build(cut)
    assert new.slot is not None
    goal, rules, *_ = new.slot.text.split("\n\n")
    assert goal.endswith("\nDo part 0.")
    head, *lines = rules.splitlines()
    assert lines == ["- never use npm", "- 不要改 schema"] and "rules" in head


def test_an_oversize_message_is_left_out_with_a_reference() -> None:
    messages = conversation()
    messages[messages.index(user("Do part 3.", "u3"))] = user("paste\n" * 20_000, "u3")
    work = Work(History(messages))
    cut = work.cut(turns=1)
    assert cut is not None
    first, *_ = work.build(cut).messages
    part = first.parts[-1]
    assert isinstance(part, WordsPart) and part.left_out == ("u3",)
    assert list(quoted(first)) == ["u1", "u2", "u4"]
    assert first.summary is not None
    assert first.summary.references[0].endswith('120,000 characters: read_history(ref="u3")')


def test_the_first_then_the_newest_words_stay() -> None:
    messages = [SYSTEM]
    for number in range(40):
        messages += [
            user(f"Part {number}: " + "word " * 60, f"u{number}"),
            answer("Done.", f"z{number}"),
        ]
    work = Work(History(messages), window=8_000)
    cut = work.cut()
    assert cut is not None
    first, *_ = work.build(cut).messages
    part = first.parts[-1]
    assert isinstance(part, WordsPart)
    shown = list(quoted(first))
    everyone = [one.id for one in part.said]
    assert shown == everyone[-len(shown) :] and part.left_out == tuple(everyone[1 : -len(shown)])


def test_what_was_sent_with_the_request_comes_before_older_words() -> None:
    messages = [SYSTEM]
    for number in range(3):
        messages += [
            user(f"Part {number}: " + "word " * 300, f"u{number}"),
            answer("Done.", f"z{number}"),
        ]
    messages += [user("First of two: " + "word " * 400, "q1"), user("Second of two.", "q2")]
    for number in range(8):
        messages += step(number, "word " * 400)
    work = Work(History(messages), window=8_000)
    cut = work.cut()
    assert cut is not None and cut.request == "q2"
    (first,) = work.build(cut).messages
    assert "q1" in quoted(first) and "u2" not in quoted(first)


def test_what_is_pinned_stands_first_and_only_once() -> None:
    work, cut, _ = between_turns()
    pins = (RestoredPart("r1.0", "word word"), RestoredPart("u2", "Do part 2."))
    work.pins = (*pins, RestoredPart("u5", "stays anyway"))
    first, *_ = work.build(cut).messages
    assert first.parts[:2] == pins and isinstance(first.parts[2], SummaryPart)
    assert "u2" not in quoted(first) and "u3" in quoted(first)


def test_a_cut_without_a_summary_says_so_and_names_what_left() -> None:
    work, cut, _ = between_turns()
    first, *_ = work.build(cut, NoSummary()).messages
    assert first.summary is not None
    assert first.summary.text.startswith(f"[{len(cut.replaced)} older messages left the context")
    assert first.summary.references[0].endswith('read_history(ref="r4.0")')
    assert first.summary.generation == 1


def test_a_cut_without_a_summary_keeps_what_an_earlier_one_says() -> None:
    work, _, new = between_turns()
    work.take(new)
    work.say(*turns_of("again", 6))
    cut = work.cut(turns=1)
    assert cut is not None
    first, *_ = work.build(cut, NoSummary()).messages
    assert first.summary is not None and first.summary.text.endswith(SUMMARY.text)


def test_the_acknowledgement_has_the_reasoning_that_is_asked_for() -> None:
    work, cut, _ = between_turns()
    thought = Reasoning("", send=True)
    new = replace_reasoning(work, cut, thought)
    assert new.messages[1].reasoning == thought
    wire = to_wire(after(work.history, new), new.slot)
    assert wire[2]["reasoning_content"] == ""


def replace_reasoning(work: Work, cut: Cut, thought: Reasoning) -> NewHistory:

    return build(
        work.history,
        cut,
        summary=SUMMARY,
        said=said_in(work.history),
        pins=(),
        references=(),
        known=NOTHING_KNOWN,
        shares=work.shares,
        meter=work.meter,
        words=work.words,
        new_id=work.ids,
        reasoning=thought,
    )


def test_a_summary_that_is_too_long_is_cut_at_its_end() -> None:
    work, cut, _ = between_turns()
    new = work.build(cut, Text("## Goal\n" + "line of words\n" * 5_000))
    text = new.messages[0].summary.text  # type: ignore[union-attr]
    assert text.startswith("## Goal\nline of words\n") and text.endswith("words")
    assert front_tokens(new, work.meter) <= work.shares.block


def test_the_request_keeps_its_pictures_and_memories() -> None:
    messages = [*conversation()[:1]]
    own = (
        TextPart("Look:"),
        ImagePart("https://example.org/a.png"),
        MemoryPart("a fact"),
        RestoredPart("x", "brought back"),
    )
    messages.append(Message("u", "user", own))
    for number in range(8):
        messages += step(number, "word " * 900)
    work = Work(History(messages))
    cut = work.cut()
    assert cut is not None
    (first,) = work.build(cut).messages
    assert first.parts[-4:] == own and first.parts[: -len(own)] == first.front


def test_chinese_words_go_with_a_chinese_conversation() -> None:
    work, cut, _ = between_turns()
    work.words = Words("zh")
    new = work.build(cut)
    assert new.slot is not None and new.slot.text.startswith("用户最初的要求，原话：\nDo part 0.")
    assert "个字符：read_history" in new.messages[0].summary.references[0]  # type: ignore[union-attr]


def turns_of(name: str, number: int, size: int = 600) -> list[Message]:
    made = []
    for place in range(number):
        made.append(user(f"Ask {name} {place}.", f"{name}{place}"))
        for message in step(0, "word " * size):
            calls = tuple(replace(call, id=f"{name}c{place}") for call in message.calls)
            answers = f"{name}c{place}" if message.call_id else None
            made.append(
                replace(message, id=f"{name}{message.id}{place}", calls=calls, call_id=answers)
            )
        made.append(answer("Done.", f"{name}z{place}"))
    return made


def test_a_second_summary_replaces_the_first_and_keeps_words_and_references() -> None:
    work, _, new = between_turns()
    work.files["r1.0"] = Offloaded(".haima/tool-outputs/c/001-x.txt", 99, 90_000, 9, "0" * 64)
    cut = work.cut(turns=1)
    assert cut is not None
    work.take(work.build(cut))
    first = work.history[1]
    assert first.summary is not None
    assert first.summary.references[0].startswith("read_file src/file1_0.py, 90,000 characters: ")
    # Only the archive has the first message's words: they stood in the goal.
    work.say(*turns_of("b", 8))
    cut = work.cut(turns=1)
    assert cut is not None and cut.replaced[:2] == (first.id, work.history[2].id)
    new = work.build(cut, Text("second", 2))
    (second, *_) = new.messages
    assert second.summary is not None
    assert (second.summary.text, second.summary.generation) == ("second", 2)
    assert first.summary.references[0] in second.summary.references
    assert new.slot is not None and "Do part 0." in new.slot.text
    assert list(quoted(second).values()) == [
        *(f"Do part {number}." for number in range(1, 6)),
        *(f"Ask b {number}." for number in range(4)),
    ]
    assert [one for one in after(work.history, new) if one.summary] == [second]


def test_the_tenth_summary_still_has_the_first_words() -> None:
    work = Work(History(conversation()), window=64_000)
    for generation in range(1, 11):
        work.say(*turns_of(f"g{generation}x", 6, 2_500))
        cut = work.cut(turns=1)
        assert cut is not None, generation
        work.take(work.build(cut, Text("the summary", generation)))
        wire = str(to_wire(work.history, work.history.recovery))
        for sentence in ("Do part 0.", "Do part 3.", "Ask g1x 2."):
            assert wire.count(sentence) == 1, (generation, sentence)
    assert work.history[1].summary.generation == 10  # type: ignore[union-attr]


def all_cuts(history: History) -> Iterator[Cut]:
    """A cut at every place there is."""
    for place in places(history.messages)[1:]:
        before = [one for one in history[: place.end] if not one.discarded]
        yield Cut(
            end=place.end,
            in_turn=place.inside,
            request=None if place.request is None else said_id(place.request),
            replaced=tuple(one.id for one in before if one.role != "system"),
            before=0,
            tail=0,
        )


def check(work: Work, cut: Cut, new: NewHistory) -> None:
    """What holds for every new history."""
    old, history = work.history, after(work.history, new)
    assert broken(history.messages, new.slot) == []
    wire = to_wire(history, new.slot)
    assert refusals(wire) == []
    for name in ("r1", "glm", "llamacpp", "qwen_template"):
        faults = message_faults([*wire], DIALECTS[name], thinking=False)
        assert {one.rule for one in faults} <= {"image", "image-part", "reasoning-present"}
    first, *answer = new.messages
    assert len(answer) == (not cut.in_turn)
    # What stays, stays as the very same object.
    tail = old[cut.end :]
    assert history[-len(tail) :] == tail
    assert not any(one.summary for one in history[2:])
    # The newest request is there, word for word (FIELD 1, 3, 4).
    newest = newest_request(old)
    now = newest_request(history)
    assert now.text == newest.text and sent(now) == sent(newest)
    if cut.in_turn:
        front, content = to_wire((first,))[0]["content"], sent(old_request(old, cut))
        assert isinstance(front, str) and front.endswith("\n\n" + content)
    # The user's words: from the originals, in their order, each once or with a reference.
    shown = quoted(first)
    assert all(text == work.originals[key] for key, text in shown.items())
    left_out = {key for part in first.parts if isinstance(part, WordsPart) for key in part.left_out}
    slot = new.slot.text if new.slot else ""
    goal = next(iter(said_in(old)), None)
    for one in said_in(old):
        mark = f"«{one.id}»" if "«" in work.originals[one.id] else work.originals[one.id]
        places_of_it = [mark in text for text in (slot, shown.get(one.id, ""))]
        places_of_it += [mark in told.text for told in history if told.role == "user"]
        cut_goal = goal is not None and one.id == goal.id and f'"{one.id}"' in slot
        assert sum(places_of_it) == (0 if one.id in left_out or cut_goal else 1), one.id
    assert [key for key in (one.id for one in said_in(old)) if key in shown] == list(shown)
    if not work.shares.too_small:
        assert front_tokens(new, work.meter) <= work.shares.block


def old_request(history: History, cut: Cut) -> Message:
    return next(
        one
        for one in history
        if one.id == cut.request or (one.summary is not None and one.summary.request == cut.request)
    )


@given(works())
def test_every_cut_of_every_history_is_a_valid_one(work: Work) -> None:
    """FIELD 64, 66: at each place, with a summary and without one."""
    for number, cut in enumerate(all_cuts(work.history)):
        check(work, cut, work.build(cut, NoSummary() if number % 3 == 2 else SUMMARY))


@given(works(), st.data())
def test_summaries_of_summaries_keep_what_they_must(work: Work, data: st.DataObject) -> None:
    """Any number of generations, cut anywhere; the planned cut keeps to the target."""
    for generation in range(1, data.draw(st.integers(2, 4)) + 1):
        cut = work.cut(turns=data.draw(st.sampled_from([1, 3])))
        every = list(all_cuts(work.history))
        if cut is None and every and data.draw(st.booleans()):
            cut = data.draw(st.sampled_from(every))
        if cut is not None:
            new = work.build(cut, Text(SUMMARY.text, generation))
            check(work, cut, new)
            below_target(work, cut, new)
            work.take(new)
        for message in data.draw(made_turns)(work.ids):
            work.say(message)


def below_target(work: Work, cut: Cut, new: NewHistory) -> None:
    """The new request stands at or below the target where what stays has room (DESIGN 4)."""
    weigh = work.meter.message_tokens
    request = weigh(Message("x", "user", newer(new))) if cut.in_turn else 0
    pins = sum(work.meter.text_tokens(pin.text) + 30 for pin in work.pins)
    if not cut.tail or cut.tail + request + pins > work.shares.tail_most or work.shares.too_small:
        return
    history = after(work.history, new)
    system = weigh(history[0]) if history[0].role == "system" else 0
    tokens = work.meter.measure(history, "").tokens - system + work.fixed
    assert tokens <= work.shares.target + 5


def newer(new: NewHistory) -> tuple[Part, ...]:
    first = new.messages[0]
    return first.parts[len(first.front) :]


def test_a_recovery_block_of_a_clear_gives_way_to_the_new_one() -> None:
    work, cut, _ = between_turns()
    work.history.set_recovery(RecoverySlot("r5.0", "of a clear"))
    new = work.build(cut)
    assert after(work.history, new).recovery == new.slot


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 128_000, 1_000_000])
def test_every_window_holds_its_front(window: int) -> None:
    work = Work(History(conversation(window // 30)), window, fixed=2_000)
    work.changed = tuple(f"src/package/changed{number}.py" for number in range(3_000))
    work.rules = tuple(f"never touch {number}" for number in range(300))
    cut = work.cut()
    assert cut is not None
    new = work.build(cut, Text("## Goal\n" + "海马体" * 3_000))
    assert front_tokens(new, work.meter) <= work.shares.block
    check(work, cut, new)


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 128_000])
@pytest.mark.parametrize("fill", [8, 15, 30])
def test_the_new_request_stands_at_or_below_the_target(window: int, fill: int) -> None:
    """From a history of 80, 150, 300% of the window, within one turn or over many."""
    for asked in (1, 12):
        messages = [SYSTEM]
        size = max(40, window // 60)
        for number in range(window * fill // 10 // size):
            if number % (window * fill // 10 // size // asked + 1) == 0:
                messages.append(user(f"Do part {number}.", f"u{number}"))
            messages += step(number, "word " * (size * 8 // 7 - 20))
        work = Work(History(messages), window, fixed=2_000)
        cut = work.cut()
        assert cut is not None and cut.tail >= work.shares.tail_min
        new = work.build(cut, Text("## Goal\n" + "line of words\n" * 500))
        history = after(work.history, new)
        system = work.meter.message_tokens(SYSTEM)
        tokens = work.meter.measure(history, "").tokens - system + work.fixed
        assert tokens <= work.shares.target
