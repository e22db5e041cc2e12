"""The index of names over a conversation (NAMES 4.1)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.history import History
from app.conversation.messages import (
    CorrectionPart,
    MemoryPart,
    Message,
    Reasoning,
    RestoredPart,
    SummaryPart,
    TextPart,
)
from app.memory import name_index
from app.memory.name_index import NameIndex, Record
from app.memory.name_score import Ranking
from app.memory.names import Name
from tests.conversation.strategies import Ids, changed, conversations
from tests.memory.talking import command, path, result, step, symbol, user


def index_of(*messages: Message, root: str = "") -> NameIndex:
    index = NameIndex(root)
    for message in messages:
        index.add(message)
    return index


def contents(index: NameIndex) -> dict[Name, Record | None]:
    return {name: index.record(name) for name in index.names()}


def record(index: NameIndex, name: Name) -> Record:
    found = index.record(name)
    assert found is not None
    return found


def test_a_name_seen_in_a_result() -> None:
    index = index_of(
        user("u", "Go on."),
        step("a", "search_files", pattern="x"),
        result("r", "a", "src/a.py:1: load_all\nsrc/a.py:2: load_all"),
    )
    assert record(index, path("src/a.py")) == Record(messages=1, count=2, step=1, work="grep")
    assert len(index) == 2
    assert index.step == 1
    assert path("src/b.py") not in index
    assert index.record(path("src/b.py")) is None


def test_where_a_name_stood_is_kept_apart() -> None:
    index = index_of(
        user("u", "Fix src/user.py."),
        step("a", "read_file", text="I look at src/said.py.", path="src/given.py"),
        result("r", "a", "import src/seen.py"),
    )
    assert record(index, path("src/user.py")).user
    assert record(index, path("src/user.py")).own
    said, given, seen = (
        record(index, path(f"src/{name}.py")) for name in ("said", "given", "seen")
    )
    assert (said.own, said.arguments, said.user, said.work) == (True, 0, False, None)
    assert (given.own, given.arguments, given.user, given.work) == (True, 1, False, None)
    assert (seen.own, seen.arguments, seen.user, seen.work) == (False, 0, False, "read")


def test_a_message_counts_once_however_often_it_holds_a_name() -> None:
    index = index_of(
        step("a", "edit_file", text="src/a.py and src/a.py", path="src/a.py", new="src/a.py")
    )
    found = record(index, path("src/a.py"))
    assert (found.messages, found.count, found.arguments) == (1, 4, 1)


def test_what_a_long_argument_holds() -> None:
    body = "order_items = load()\n" * 40
    index = index_of(step("a", "write_file", path="src/a.py", content=body))
    found = record(index, symbol("order_items"))
    assert (found.own, found.arguments, found.work, found.count) == (True, 0, "body", 40)


def test_steps_are_counted_by_assistant_messages() -> None:
    index = index_of(
        user("u", "a_first"),
        step("a", "read_file", path="src/a.py"),
        result("r", "a", "x"),
        step("b", "read_file", path="src/b.py"),
        result("q", "b", "src/a.py"),
    )
    assert index.step == 2
    assert record(index, symbol("a_first")).step == 0
    found = record(index, path("src/a.py"))
    assert (found.step, found.own_step, found.messages) == (2, 1, 2)
    assert index.folder_step("src") == 2
    assert index.folder_step("lib") == 0


def test_only_the_users_own_words_are_the_users() -> None:
    index = index_of(
        Message(
            "u",
            "user",
            (
                TextPart("my_own"),
                MemoryPart("from_memory"),
                CorrectionPart("from_correction"),
                RestoredPart("ref", "from_restored"),
            ),
        )
    )
    assert record(index, symbol("my_own")).user
    for name in ("from_memory", "from_correction", "from_restored"):
        assert not record(index, symbol(name)).own
        assert not record(index, symbol(name)).user
    assert index.newest_user == {symbol("my_own")}


def test_the_newest_user_message_is_the_last_one() -> None:
    index = index_of(user("u", "first_thing"), user("v", "second_thing"))
    assert index.newest_user == {symbol("second_thing")}


def test_system_names_are_seen_reasoning_and_discarded_text_are_not() -> None:
    index = index_of(
        Message("s", "system", (TextPart("AGENTS.md says use_this"),)),
        Message("d", "assistant", (TextPart("half_said"),), discarded=True),
        Message("a", "assistant", (TextPart("all_said"),), reasoning=Reasoning("was_thought")),
    )
    assert set(index.names()) == {path("AGENTS.md"), symbol("use_this"), symbol("all_said")}
    assert index.step == 1


def test_a_program_that_was_run_makes_later_words_a_command() -> None:
    before = index_of(user("u", "then terraform plan"))
    assert command("terraform plan") not in before
    index = index_of(
        step("a", "execute_command", command="terraform init"),
        result("r", "a", "next: terraform plan"),
    )
    assert record(index, command("terraform init")).arguments == 1
    assert record(index, command("terraform plan")).work == "shell"


def test_programs_are_bounded() -> None:
    index = NameIndex()
    for number in range(150):
        index.add(step(f"a{number}", "execute_command", command=f"prog{number} start"))
    read = {found.name.text for found in index.read("x prog149 stop, x prog1 stop")}
    assert read == {"prog149 stop"}


def test_paths_are_relative_to_the_root() -> None:
    index = index_of(step("a", "read_file", path="/w/p/src/a.py"), root="/w/p/")
    assert path("src/a.py") in index
    assert index.folder_step("src") == 1


def test_a_result_without_a_call_is_of_another_sort() -> None:
    assert record(index_of(result("r", "?", "src/a.py")), path("src/a.py")).work == "other"


@pytest.fixture
def history() -> History:
    return History(
        [
            user("u", "Fix src/a.py."),
            step("a", "read_file", path="src/a.py"),
            result("r", "a", "def load_all():\n    other_thing()"),
            user("v", "Go on with src/b.py."),
        ]
    )


def test_what_left_the_request_stays_in_the_index(history: History) -> None:
    """Cleared, summarised, undone: the index is asked for just that."""
    index = NameIndex()
    index.follow(history)
    before = contents(index)
    old = history.replace("r", (TextPart("cleared; it named pointer_only"),))
    index.follow(history)
    assert contents(index) == before
    history.replace("r", old.parts)
    summary = Message("s", "user", (SummaryPart("Done: nameless_thing"), TextPart("more_names")))
    taken = history.splice(0, 3, [summary])
    index.follow(history)
    assert contents(index) == before
    history.splice(0, 1, taken)
    index.follow(history)
    assert contents(index) == before


def test_a_result_is_read_before_it_is_offloaded(history: History) -> None:
    index = NameIndex()
    history.append(step("b", "read_file", path="src/big.py"))
    index.follow(history)
    whole = "x\n" * 2_000 + "in_the_middle\n" + "x\n" * 2_000
    index.add(result("t", "b", whole))
    history.append(result("t", "b", "a note naming nothing_else"))
    index.follow(history)
    assert symbol("in_the_middle") in index
    assert symbol("nothing_else") not in index


def test_new_messages_behind_an_edit_are_added(history: History) -> None:
    index = NameIndex()
    index.follow(history)
    history.splice(3, 4, [user("w", "now_this")])
    history.append(Message("z", "assistant", (TextPart("then_that"),)))
    index.follow(history)
    assert {symbol("now_this"), symbol("then_that"), path("src/b.py")} <= set(index.names())


def test_another_history_adds_what_is_new_in_it(history: History) -> None:
    index = NameIndex()
    index.follow(history)
    before = contents(index)
    fork = History([*history, user("w", "forked_off")])
    index.follow(fork)
    assert contents(index).keys() - before.keys() == {symbol("forked_off")}
    index.follow(history)
    assert contents(index).keys() - before.keys() == {symbol("forked_off")}


def test_following_without_news_reads_nothing(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = NameIndex()
    index.follow(history)

    def unread(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(name_index, "names_in", unread)
    index.follow(history)
    history.append(Message("z", "assistant", (TextPart("x"),)))
    with pytest.raises(AssertionError):
        index.follow(history)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that somebody named outlast those merely seen, newer ones the older."""
    monkeypatch.setattr(name_index, "MOST_NAMES", 100)
    index = index_of(user("u", "keep_this"))
    for number in range(50):
        index.add(step(f"a{number}", "read_file"))
        index.add(result(f"r{number}", f"a{number}", " ".join(f"seen_{number}_{n}" for n in "abc")))
        assert len(index) <= 100
    assert symbol("keep_this") in index
    assert symbol("seen_49_a") in index
    assert symbol("seen_0_a") not in index


@pytest.mark.parametrize(
    "text",
    [
        lambda: "src/a.py " * 1_800_000,
        lambda: "x" * 2_000_000,
        lambda: "a_b.py\n" * 2_000_000,
        lambda: "\0\ud800" * 500_000,
    ],
    ids=["16 MB", "one line", "2 million lines", "NUL and halves"],
)
def test_hostile_results(text: Callable[[], str]) -> None:
    index = index_of(step("a", "read_file"), result("r", "a", text()), user("u", "still_works"))
    assert symbol("still_works") in index
    assert len(index) <= 2


@given(st.data())
def test_following_along_is_as_good_as_reading_everything_at_once(data: st.DataObject) -> None:
    """Whatever the edits: each message once, in the order in which it first stood there."""
    ids = Ids()
    history = History(data.draw(conversations(ids, max_turns=2)))
    along, seen = NameIndex("/w"), dict[str, Message]()
    for _ in range(data.draw(st.integers(1, 6))):
        for message in history:
            seen.setdefault(message.id, message)
        along.follow(history)
        assert contents(along) == contents(index_of(*seen.values(), root="/w"))
        data.draw(changed(history, ids))


@given(conversations())
def test_adding_one_by_one_is_as_good_as_following(messages: list[Message]) -> None:
    at_once = NameIndex()
    at_once.follow(History(messages))
    assert contents(at_once) == contents(index_of(*messages, *messages))


LONG = [
    user("u", "Fix src/a.py, load_all fails."),
    step("a", "read_file", path="src/a.py"),
    result("r", "a", "def load_all():\n    other_thing()"),
    step("b", "execute_command", command="mvn test"),
    result("s", "b", "load_all in src/b.py"),
    user("v", "Go on with src/b.py."),
    step("c", "read_file", text="load_all again", path="src/b.py"),
    result("t", "c", "class OrderCodec: uses other_thing"),
]


def parted(monkeypatch: pytest.MonkeyPatch) -> tuple[NameIndex, NameIndex]:
    """The end of it, and what came before; they are joined two names at once."""
    monkeypatch.setattr(name_index, "_PIECE", 2)
    monkeypatch.setattr(name_index, "_LIGHT_PIECE", 2)
    late = index_of(*LONG[5:])
    earlier = late.before()
    for message in LONG[:5]:
        earlier.add(message)
    return late, earlier


@pytest.mark.parametrize("said_after", range(5))
def test_it_is_joined_in_pieces_between_which_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch, said_after: int
) -> None:
    """Until the last piece the index is as if nothing had come before."""
    late, earlier = parted(monkeypatch)
    more = [step("d", "read_file", path="src/d.py"), result("w", "d", "load_all, new_thing")]
    pieces = 0
    for _ in late.beginning_with(earlier):
        said = more if pieces >= said_after > 0 else []
        assert contents(late) == contents(index_of(*LONG[5:], *said))
        pieces += 1
        if pieces == said_after:
            for message in more:
                late.add(message)
    assert pieces > len(late) / 2
    whole = index_of(*LONG, *(more if said_after else []))
    assert contents(late) == contents(whole) and late.step == whole.step
    assert list(late.names()) == list(whole.names())


def test_scores_that_are_in_use_stay_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """A note is made in a thread while what came before is joined."""
    late, earlier = parted(monkeypatch)
    ranking, before = Ranking(late), Ranking(late).best_first()
    late.begin_with(earlier)
    assert ranking.best_first() == before
    assert Ranking(late).best_first() == Ranking(index_of(*LONG)).best_first() != before


def test_of_too_many_the_longest_unseen_go(monkeypatch: pytest.MonkeyPatch) -> None:
    late, earlier = parted(monkeypatch)
    whole = index_of(*LONG)
    names = list(whole.names())
    monkeypatch.setattr(name_index, "MOST_NAMES", len(names) - 1)
    by_use = sorted(names, key=lambda one: (record(whole, one).own, record(whole, one).step))
    gone = by_use[: len(names) // 4]
    late.begin_with(earlier)
    assert list(late.names()) == [name for name in names if name not in gone]


@pytest.mark.parametrize("place", range(8))
def test_what_came_before_is_added_afterwards(place: int) -> None:
    """A long past is read while the session goes on: all is as if it had come first."""
    messages = LONG
    if messages[place].role == "tool":
        place -= 1
    late = index_of(*messages[place:])
    earlier = late.before()
    for message in messages:  # those that are there already don't count twice
        earlier.add(message)
    late.begin_with(earlier)
    whole = index_of(*messages)
    assert contents(late) == contents(whole)
    assert list(late.names()) == list(whole.names())
    assert (late.step, late.newest_user) == (whole.step, whole.newest_user)
    assert late.folder_step("src") == whole.folder_step("src") > 0
    late.add(messages[0])
    assert contents(late) == contents(whole)
