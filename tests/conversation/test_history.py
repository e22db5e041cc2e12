"""Three operations and a slot keep the history valid; what they refuse changes nothing."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.conversation.history import History, InvalidHistory, RecoverySlot, closing_results
from app.conversation.messages import (
    ImagePart,
    MemoryPart,
    Message,
    Part,
    Reasoning,
    Role,
    TextPart,
    ToolCall,
)
from app.conversation.wire import to_wire
from app.text import Words
from tests.conversation.strategies import (
    FEW,
    Ids,
    any_message,
    conversations,
    pick,
    results,
    said,
    texts,
    user_parts,
)
from tests.conversation.strict import broken, refusals
from tests.growth import growth


def say(id: str, role: Role, text: str = "words") -> Message:
    return Message(id, role, (TextPart(text),))


def step(id: str, *calls: str, text: str = "") -> Message:
    parts = (TextPart(text),) if text else ()
    return Message(
        id, "assistant", parts, calls=tuple(ToolCall(call, "read_file", "{}") for call in calls)
    )


def result(id: str, call: str, text: str = "body") -> Message:
    return Message(id, "tool", (TextPart(text),), call_id=call, tool="read_file")


def refuses(history: History, operation: Callable[[], object], key: str) -> None:
    """The operation raises, names what broke, and changes nothing."""
    before = history.messages, history.recovery, history.open_calls
    with pytest.raises(InvalidHistory) as caught:
        operation()
    assert caught.value.key == f"history.{key}"
    assert caught.value.code == "history"
    for language in ("en", "zh"):
        assert caught.value.sentence(Words(language))
    assert (history.messages, history.recovery, history.open_calls) == before


@pytest.fixture
def chat() -> History:
    """System, user, a step of two calls, an answer."""
    return History(
        [
            say("s", "system"),
            say("u", "user"),
            step("a", "c1", "c2"),
            result("t1", "c1"),
            result("t2", "c2"),
            say("z", "assistant"),
        ]
    )


def test_a_history_is_read_like_a_sequence(chat: History) -> None:
    assert len(chat) == 6
    assert [message.id for message in chat] == ["s", "u", "a", "t1", "t2", "z"]
    assert chat[0].id == "s"
    assert chat[-1].id == "z"
    assert [message.id for message in chat[1:3]] == ["u", "a"]
    assert chat.messages == tuple(chat)
    assert chat.get("t1") is chat[3]
    assert chat.get("nobody") is None
    assert chat.index("t2") == 4
    assert chat.open_calls == ()
    refuses(chat, lambda: chat.index("nobody"), "unknown_message")


def test_an_empty_history_takes_a_system_message_first() -> None:
    history = History()
    history.append(say("s", "system"))
    history.append(say("u", "user"))
    refuses(history, lambda: history.append(say("s2", "system")), "second_system")
    late = History([say("u", "user")])
    refuses(late, lambda: late.append(say("s", "system")), "second_system")
    late.splice(0, 0, [say("s", "system")])
    assert [message.role for message in late] == ["system", "user"]


def test_results_come_in_the_order_of_the_calls() -> None:
    history = History([say("u", "user"), step("a", "c1", "c2", "c3")])
    assert [call.id for call in history.open_calls] == ["c1", "c2", "c3"]
    refuses(history, lambda: history.append(result("t2", "c2")), "unexpected_result")
    history.append(result("t1", "c1"))
    assert [call.id for call in history.open_calls] == ["c2", "c3"]
    refuses(history, lambda: history.append(result("t4", "c1")), "unexpected_result")
    history.append(result("t2", "c2"))
    history.append(result("t3", "c3"))
    refuses(history, lambda: history.append(result("t4", "c3")), "unexpected_result")
    history.append(step("b", "c4"))
    refuses(history, lambda: history.append(result("t5", "c1")), "unexpected_result")


@pytest.mark.parametrize("message", [say("x", "user"), say("x", "assistant"), step("x", "c9")])
def test_nothing_comes_before_the_results(message: Message) -> None:
    history = History([say("u", "user"), step("a", "c1", "c2"), result("t1", "c1")])
    refuses(history, lambda: history.append(message), "unanswered")


def test_an_orphan_result_is_refused() -> None:
    history = History([say("u", "user")])
    refuses(history, lambda: history.append(result("t", "c")), "unexpected_result")
    with pytest.raises(InvalidHistory):
        History([result("t", "c")])


def test_ids_are_unique_in_all_of_the_history(chat: History) -> None:
    refuses(chat, lambda: chat.append(say("u", "user")), "duplicate_message")
    refuses(chat, lambda: chat.append(say("", "user")), "no_id")
    refuses(chat, lambda: chat.append(step("x", "c1")), "duplicate_call")
    refuses(chat, lambda: chat.append(step("x", "n", "n")), "duplicate_call")
    refuses(chat, lambda: chat.append(step("x", "")), "duplicate_call")
    chat.append(step("x", "n"))


@pytest.mark.parametrize("parts", [(), (TextPart(""),), (TextPart(" \n"), TextPart("\t"))])
def test_empty_messages_are_refused(chat: History, parts: tuple[Part, ...]) -> None:
    refuses(chat, lambda: chat.append(Message("x", "assistant", parts)), "empty")
    refuses(chat, lambda: chat.append(Message("x", "user", parts)), "empty")
    refuses(chat, lambda: chat.replace("u", parts), "empty")
    refuses(chat, lambda: chat.replace("z", parts), "empty")
    refuses(chat, lambda: chat.replace("s", parts), "empty")


def test_results_and_calls_may_be_without_text(chat: History) -> None:
    chat.replace("t1", ())
    chat.replace("a", (TextPart(" "),))
    chat.append(Message("i", "user", (ImagePart("data:image/png;base64,AA=="),)))
    chat.append(Message("m", "user", (MemoryPart("a clue"),)))
    chat.replace("t1", (TextPart("a.png"), ImagePart("data:image/png;base64,AA==")))
    refuses(chat, lambda: chat.append(Message("x", "user", (ImagePart(""),))), "empty")


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (Message("x", "user", (TextPart("a"),), calls=step("y", "n").calls), "misplaced"),
        (Message("x", "system", (TextPart("a"),), reasoning=Reasoning("r")), "misplaced"),
        (Message("x", "user", (TextPart("a"),), reasoning=Reasoning("r")), "misplaced"),
        (Message("x", "user", (TextPart("a"),), discarded=True), "misplaced"),
        (Message("x", "user", (TextPart("a"),), call_id="c1"), "misplaced"),
        (Message("x", "assistant", (TextPart("a"),), tool="read_file"), "misplaced"),
        (Message("x", "assistant", (MemoryPart("a"),)), "misplaced"),
        (Message("x", "assistant", (ImagePart("a"),), calls=step("y", "n").calls), "misplaced"),
        (Message("x", "tool", (MemoryPart("a"),), call_id="c1", tool="t"), "misplaced"),
        (Message("x", "tool", (TextPart("a"),), tool="read_file"), "lacks"),
        (Message("x", "tool", (TextPart("a"),), call_id="c1"), "lacks"),
    ],
)
def test_a_message_has_only_what_its_role_has(chat: History, message: Message, key: str) -> None:
    refuses(chat, lambda: chat.append(message), key)


def test_a_discarded_message_takes_no_part_in_the_pairing() -> None:
    history = History([say("u", "user"), step("a", "c1", "c2"), result("t1", "c1")])
    history.append(Message("d", "assistant", (TextPart("Half a"),), discarded=True))
    assert [call.id for call in history.open_calls] == ["c2"]
    history.append(result("t2", "c2"))
    refuses(history, lambda: history.splice(4, 5, ()), "cut_step")
    refuses(history, lambda: history.splice(3, 3, ()), "cut_step")
    no_text = Message("x", "assistant", discarded=True)
    refuses(history, lambda: history.append(no_text), "empty")
    calls = Message("x", "assistant", (TextPart("a"),), calls=step("y", "n").calls, discarded=True)
    refuses(history, lambda: history.append(calls), "misplaced")
    assert len(to_wire(history)) == 4


def test_replace_changes_the_body_alone(chat: History) -> None:
    old = chat[2]
    assert chat.replace("a", (TextPart("I look"),)) is old
    assert chat[2] == Message("a", "assistant", (TextPart("I look"),), calls=old.calls)
    refuses(chat, lambda: chat.replace("nobody", ()), "unknown_message")
    refuses(chat, lambda: chat.replace("t1", (MemoryPart("m"),)), "misplaced")


def test_splice_gives_back_what_it_took(chat: History) -> None:
    before = chat.messages
    new = say("n", "user", "what went before, in short")
    removed = chat.splice(1, 5, [new])
    assert removed == before[1:5]
    assert [message.id for message in chat] == ["s", "n", "z"]
    assert chat.index("z") == 2
    assert chat.get("t1") is None
    chat.append(step("b", "c1"))
    chat.append(result("t1", "c1"))
    chat.splice(3, 5, ())
    assert chat.splice(1, 2, removed) == (new,)
    assert chat.messages == before
    assert chat.get("t1") is before[3]
    refuses(chat, lambda: chat.append(step("x", "c1")), "duplicate_call")


@pytest.mark.parametrize(
    ("start", "end"), [(-1, 2), (2, 1), (0, 7), (7, 7), (1, 3), (3, 5), (2, 4), (4, 6), (3, 3)]
)
def test_a_range_is_whole_and_leaves_steps_whole(chat: History, start: int, end: int) -> None:
    key = "range" if not 0 <= start <= end <= 6 else "cut_step"
    refuses(chat, lambda: chat.splice(start, end, ()), key)


def test_what_splice_puts_in_must_fit(chat: History) -> None:
    refuses(chat, lambda: chat.splice(1, 2, [say("z", "user")]), "duplicate_message")
    refuses(chat, lambda: chat.splice(1, 2, [step("b", "n")]), "unanswered")
    refuses(chat, lambda: chat.splice(5, 6, [result("x", "c2")]), "unexpected_result")
    refuses(chat, lambda: chat.splice(1, 1, [say("x", "system")]), "second_system")


def test_an_open_step_can_be_added_to_or_taken_out_but_not_cut() -> None:
    history = History([say("u", "user"), step("a", "c1", "c2"), result("t1", "c1")])
    refuses(history, lambda: history.splice(2, 3, ()), "cut_step")
    refuses(history, lambda: history.splice(0, 2, [say("n", "user")]), "cut_step")
    history.splice(3, 3, [result("t2", "c2")])
    assert history.open_calls == ()
    history.splice(1, 4, ())
    assert [message.id for message in history] == ["u"]


def test_there_is_one_recovery_slot(chat: History) -> None:
    first, second = RecoverySlot("t2", "known"), RecoverySlot("u", "known", first=True)
    assert chat.set_recovery(first) is None
    assert chat.set_recovery(second) is first
    assert chat.recovery is second
    assert chat.set_recovery(None) is second
    assert chat.recovery is None


def test_the_recovery_slot_names_a_message_that_can_carry_it(chat: History) -> None:
    chat.set_recovery(RecoverySlot("t1", "known"))
    chat.append(Message("d", "assistant", (TextPart("Half"),), discarded=True))
    for id, key in [("nobody", "unknown_message"), ("s", "recovery_target")]:
        refuses(chat, lambda id=id: chat.set_recovery(RecoverySlot(id, "known")), key)  # type: ignore[misc]
    refuses(chat, lambda: chat.set_recovery(RecoverySlot("a", "known")), "recovery_target")
    refuses(chat, lambda: chat.set_recovery(RecoverySlot("d", "known")), "recovery_target")
    refuses(chat, lambda: chat.set_recovery(RecoverySlot("u", " ")), "recovery_empty")
    refuses(chat, lambda: chat.set_recovery(RecoverySlot("t2", "x", first=True)), "recovery_first")
    with pytest.raises(InvalidHistory):
        History(chat, RecoverySlot("nobody", "known"))
    assert History(chat, chat.recovery).recovery == chat.recovery


def test_the_slot_goes_with_its_message_and_stays_where_that_stays(chat: History) -> None:
    chat.set_recovery(RecoverySlot("t2", "known"))
    chat.splice(5, 6, ())
    chat.replace("t2", (TextPart("shorter"),))
    assert chat.recovery is not None
    removed = chat.splice(2, 5, [say("n", "assistant")])
    assert chat.recovery is None
    chat.splice(2, 3, removed)
    chat.set_recovery(RecoverySlot("t2", "known"))
    chat.splice(2, 5, [step("b", "n"), result("t2", "n")])
    assert chat.recovery == RecoverySlot("t2", "known")
    chat.splice(2, 4, [say("t2", "assistant")])
    assert chat.recovery is None


def test_a_refused_splice_keeps_the_slot(chat: History) -> None:
    chat.set_recovery(RecoverySlot("t2", "known"))
    refuses(chat, lambda: chat.splice(1, 5, [say("z", "user")]), "duplicate_message")


def test_checks_change_nothing(chat: History) -> None:
    before = chat.messages
    chat.check_append(say("x", "user"))
    chat.check_replace("u", (TextPart("x"),))
    chat.check_splice(1, 5, iter([say("x", "user")]))
    chat.check_recovery(RecoverySlot("u", "known"))
    chat.check_recovery(None)
    History.check(chat)
    assert (chat.messages, chat.recovery) == (before, None)
    refuses(chat, lambda: chat.check_append(say("u", "user")), "duplicate_message")
    refuses(chat, lambda: chat.check_splice(1, 3, ()), "cut_step")
    refuses(chat, lambda: History.check([*chat, say("u", "user")]), "duplicate_message")


def test_an_interrupted_step_is_closed() -> None:
    """FIELD 63: Esc while the second of three calls runs and the third is done."""
    ids = Ids()
    history = History([say("u", "user"), step("a", "c1", "c2", "c3"), result("t1", "c1")])
    finished = {"c3": result("t3", "c3", "done meanwhile")}
    closing = closing_results(history, "interrupted by the user", ids)
    assert [(m.call_id, m.tool, m.text) for m in closing] == [
        ("c2", "read_file", "interrupted by the user"),
        ("c3", "read_file", "interrupted by the user"),
    ]
    assert len(history) == 3, "closing_results only proposes"
    for message in closing:
        history.append(finished.get(message.call_id or "", message))
    history.append(say("u2", "user", "go on"))
    wire = to_wire(history)
    assert refusals(wire) == []
    assert "interrupted by the user" in str(wire[3]["content"])
    assert "done meanwhile" in str(wire[4]["content"])
    assert closing_results(history, "again", ids) == ()


@given(conversations(), st.data())
def test_a_conversation_stopped_anywhere_can_go_on(
    messages: list[Message], data: st.DataObject
) -> None:
    """FIELD 63: also after a crash and a resume, at each point."""
    stop = data.draw(st.integers(0, len(messages)))
    history = History(messages[:stop])
    for message in closing_results(history, "interrupted", Ids(last=10**6)):
        history.append(message)
    history.append(say("next", "user"))
    assert broken(history.messages) == []
    assert refusals(to_wire(history)) == []


def long_history() -> list[Message]:
    """60 messages: steps of one to four parallel calls."""
    ids = Ids()
    messages = [say(ids(), "system"), say(ids(), "user")]
    while len(messages) < 60:
        for width in (1, 4, 2, 3):
            calls = step(ids(), *(ids() for _ in range(width)), text="look" * (width % 2))
            messages += [calls, *results(calls, ids, ["body"] * width)]
        messages += [say(ids(), "assistant"), say(ids(), "user")]
    return messages[:60]


@pytest.mark.parametrize(
    "new", [(), (say("n", "user"),), (say("n", "user"), say("m", "assistant"))]
)
def test_a_cut_at_every_place_is_refused_or_valid(new: tuple[Message, ...]) -> None:
    """FIELD 64: no cut parts a call from its result."""
    messages = long_history()
    while messages[-1].role == "tool" and History(messages).open_calls:
        messages.pop()
    refused = 0
    for start in range(1, len(messages) + 1):
        for end in range(start, len(messages) + 1):
            history = History(messages)
            try:
                history.splice(start, end, new)
            except InvalidHistory as error:
                assert error.key == "history.cut_step"
                assert history.messages == tuple(messages)
                refused += 1
            else:
                closed = [*history, *closing_results(history, "interrupted", Ids(last=10**6))]
                assert refusals(to_wire(closed)) == []
    assert 0 < refused < 60 * 60 / 2


@pytest.mark.parametrize(
    "follows",
    [[say("f", "user")], [say("f", "assistant")], [step("f", "k"), result("r", "k")]],
    ids=["user", "assistant", "step"],
)
def test_a_summary_may_be_followed_by_anything(chat: History, follows: list[Message]) -> None:
    """FIELD 66."""
    chat.splice(1, 6, [say("n", "user", "In short"), *follows])
    chat.set_recovery(RecoverySlot("n", "known", first=True))
    assert refusals(to_wire(chat, chat.recovery)) == []
    refuses(chat, lambda: chat.replace("n", (TextPart(""),)), "empty")


def test_appending_takes_the_same_time_at_the_end_of_a_long_history() -> None:
    def appended(length: int) -> Callable[[], object]:
        history, ids = History(say(f"m{n}", "user") for n in range(length)), Ids()
        messages = [say(ids(), "user") for _ in range(50)]
        return partial(deque, map(history.append, messages), maxlen=0)

    # Measured: 1; where each append copies the list, many times more.
    assert growth(appended, 0, 10_000, repeats=5, enough=5) < 5


class Operations(RuleBasedStateMachine):
    """Random operations on a history beside a plain list that says what must come out."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = Ids()
        self.history = History()
        self.plain: list[Message] = []
        self.slot: RecoverySlot | None = None

    def attempt(self, operation: Callable[[], object], after: list[Message], ok: bool) -> None:
        """The operation succeeds exactly when it should, else nothing changes."""
        try:
            operation()
        except InvalidHistory as error:
            assert not ok, f"refused without need: {error}"
        else:
            assert ok, f"allowed, though it breaks {broken(after)}"
            self.plain = after

    def a_message(self, data: st.DataObject) -> Message:
        calls = [call.id for call in self.history.open_calls]
        calls += [call.id for message in self.plain for call in message.calls]
        return data.draw(any_message([m.id for m in self.plain], calls, self.ids()))

    def an_id(self, data: st.DataObject) -> str:
        return pick(data.draw, [*(m.id for m in self.plain), "nobody"])

    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        message = self.a_message(data)
        after = [*self.plain, message]
        self.attempt(lambda: self.history.append(message), after, not broken(after))

    @rule(data=st.data())
    def append_turns(self, data: st.DataObject) -> None:
        new = data.draw(conversations(self.ids, max_turns=2))
        for message in new if not self.plain else new[len(new) > 0 and new[0].role == "system" :]:
            after = [*self.plain, message]
            self.attempt(
                lambda message=message: self.history.append(message),  # type: ignore[misc]
                after,
                not broken(after),
            )

    @precondition(lambda self: self.history.open_calls)
    @rule()
    def interrupt(self) -> None:
        for message in closing_results(self.history, "interrupted", self.ids):
            self.attempt(
                lambda message=message: self.history.append(message),  # type: ignore[misc]
                [*self.plain, message],
                True,
            )

    @rule(data=st.data(), text=texts, other=user_parts)
    def replace(self, data: st.DataObject, text: str, other: tuple[Part, ...]) -> None:
        id = self.an_id(data)
        parts = pick(data.draw, [(TextPart(text),), (), other])
        after = [
            Message(m.id, m.role, parts, m.calls, m.call_id, m.reasoning, m.tool, m.discarded)
            if m.id == id
            else m
            for m in self.plain
        ]
        ok = id != "nobody" and not broken(after)
        self.attempt(lambda: self.history.replace(id, parts), after, ok)

    @rule(data=st.data())
    def splice(self, data: st.DataObject) -> None:
        length = len(self.plain)
        start = data.draw(st.integers(-1 if data.draw(FEW[9]) == 9 else 0, length))
        end = data.draw(st.integers(max(start - 1, 0), length))
        new: list[Message] = []
        match data.draw(FEW[3]):
            case 1:
                new = [say(self.ids(), "user", data.draw(said))]
            case 2:
                new = data.draw(conversations(self.ids, max_turns=1))
            case 3:
                new = [self.a_message(data)]
        if not 0 <= start <= end:
            self.attempt(lambda: self.history.splice(start, end, new), [], False)
            return
        after = [*self.plain[:start], *new, *self.plain[end:]]
        ok = not broken(after) and not self.cuts(start) and not self.cuts(end)
        self.attempt(lambda: self.history.splice(start, end, new), after, ok)
        if ok and broken(after, self.slot):
            self.slot = None

    def cuts(self, edge: int) -> bool:
        """Whether messages on both sides of an edge belong to one step."""
        for position, message in enumerate(self.plain):
            mine = {call.id for call in message.calls}
            answers = [i for i, other in enumerate(self.plain) if other.call_id in mine]
            end = answers[-1] + 1 if len(answers) == len(mine) > 0 else len(self.plain)
            if mine and position < edge < end:
                return True
        return False

    @rule(data=st.data(), text=texts, first=st.booleans())
    def set_recovery(self, data: st.DataObject, text: str, first: bool) -> None:
        slot = pick(data.draw, [RecoverySlot(self.an_id(data), text, first), None])
        try:
            assert self.history.set_recovery(slot) == self.slot
        except InvalidHistory:
            assert broken(self.plain, slot)
        else:
            assert not broken(self.plain, slot)
            self.slot = slot

    @invariant()
    def the_history_is_what_it_should_be(self) -> None:
        assert self.history.messages == tuple(self.plain)
        assert self.history.recovery == self.slot
        assert broken(self.plain, self.slot) == []
        assert [self.history.index(m.id) for m in self.plain] == list(range(len(self.plain)))

    @invariant()
    def a_strict_provider_takes_it(self) -> None:
        closed = [*self.history, *closing_results(self.history, "interrupted", self.ids)]
        assert refusals(to_wire(closed, self.slot)) == []

    def teardown(self) -> None:
        restored = History(self.plain, self.slot)
        assert restored.open_calls == self.history.open_calls


TestOperations = Operations.TestCase
TestOperations.settings = settings(stateful_step_count=25)


def test_every_role_is_known_to_the_tests() -> None:
    assert set(get_args(Role)) == {"system", "user", "assistant", "tool"}
