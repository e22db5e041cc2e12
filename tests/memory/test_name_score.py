"""The score of names (NAMES 4.2), and the lists that notes, pointers and blocks make by it."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.messages import Message, TextPart
from app.memory.name_index import NameIndex
from app.memory.name_lists import (
    NOTE_SCANNED,
    Standing,
    best_names,
    block_names,
    in_line,
    in_order,
    listed,
)
from app.memory.name_score import FLOOR, Ranking
from app.memory.names import KINDS, Found, Name, names_in
from tests.memory.talking import command, path, result, step, symbol, user

NOTHING = Standing()


def ranking(*messages: Message, goal: str = "") -> Ranking:
    index = NameIndex()
    for message in messages:
        index.add(message)
    return Ranking(index, goal)


def seen(tool: str, text: str) -> tuple[Message, Message]:
    """A call and its result."""
    return step(f"c-{text}", tool), result(f"r-{text}", f"c-{text}", text)


def steps(number: int) -> list[Message]:
    return [Message(f"s{n}", "assistant", (TextPart("on"),)) for n in range(number)]


def ln(x: float) -> float:
    return math.log(1 + x)


def tokens(text: str) -> float:
    return 0.5 * ln(len(text) / 4)


def test_a_path_by_the_formula() -> None:
    """Seen by grep 3 steps ago, twice; nobody named it."""
    found = ranking(*seen("grep", "src/a.py src/a.py"), *steps(3)).score(path("src/a.py"))
    expected = -3.3 - 0.5 * ln(3) + 0.4 * ln(2) - 0.2 * ln(1) + 1.5 - tokens("src/a.py")
    assert found == pytest.approx(expected)


def test_a_path_named_asked_for_and_near() -> None:
    ranked = ranking(
        user("u", "Fix src/a.py"), step("a", "read_file", path="src/a.py"), goal="src/a.py is well"
    )
    expected = -3.3 + 0.4 * ln(2) - 0.2 * ln(2) + 2.0 + 0.2 * ln(1) + 2 + 0.6 + 0.4
    assert ranked.score(path("src/a.py")) == pytest.approx(expected - tokens("src/a.py"))


def test_a_symbol_by_the_formula() -> None:
    ranked = ranking(
        user("u", "about load_all"),
        *seen("read_file", "def load_all():"),
        *steps(2),
        user("v", "go on"),
    )
    expected = -5.6 - 0.2 * ln(2) + 0.3 * ln(2) + 0.15 * ln(2)
    expected += 1.9 - 0.2 * ln(3) + 1.7 + 0.4 - 0.4 - tokens("load_all")
    assert ranked.score(symbol("load_all")) == pytest.approx(expected)


def test_a_command_by_the_formula() -> None:
    ranked = ranking(step("a", "execute_command", command="npm test"), *steps(4))
    # `npm test` is the call's command, and stands in its text.
    expected = -4.5 - 0.3 * ln(4) + 2 * ln(2) - 2 * ln(1) + 3.2 - 0.2 * ln(4) + 1.3 * ln(1)
    assert ranked.score(command("npm test")) == pytest.approx(expected - tokens("npm test"))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # What the agent named before what it only saw
        ([step("a", "read_file", path="src/a.py")], [*seen("read_file", "src/a.py")]),
        # New before old
        ([*steps(9), *seen("glob", "src/a.py")], [*seen("glob", "src/a.py"), *steps(9)]),
        # A hit before a line of a listing
        ([*seen("grep", "src/a.py")], [*seen("list_dir", "src/a.py")]),
        # The user's newest words before older ones
        ([user("u", "src/a.py")], [user("u", "src/a.py"), user("v", "now that")]),
        # Near a file just touched
        (
            [*seen("glob", "src/a.py"), step("b", "read_file", path="src/b.py")],
            [*seen("glob", "src/a.py"), step("b", "read_file", path="lib/b.py")],
        ),
    ],
    ids=["own", "new", "hit", "asked", "near"],
)
def test_what_raises_a_score(better: list[Message], worse: list[Message]) -> None:
    assert ranking(*better).score(path("src/a.py")) > ranking(*worse).score(path("src/a.py"))


def test_a_definition_raises_a_score() -> None:
    ranked = ranking(*seen("read_file", "def load_all():\n    save_all()"))
    assert ranked.score(symbol("load_all")) > ranked.score(symbol("save_all"))


def test_a_folder_is_near_for_20_steps() -> None:
    touched = [*seen("glob", "src/a.py"), step("b", "read_file", path="src/b.py")]
    scores = [ranking(*touched, *steps(n)).score(path("src/a.py")) for n in (19, 20, 21, 22)]
    drops = [a - b for a, b in pairwise(scores)]
    assert drops[1] > 0.4 > max(drops[0], drops[2])


def test_the_goal_raises_a_score() -> None:
    messages = seen("glob", "src/a.py src/b.py")
    ranked = ranking(*messages, goal="Make src/a.py work.")
    assert ranked.best_first() == [path("src/a.py"), path("src/b.py")]


def test_best_first_leaves_out_what_is_under_the_floor() -> None:
    index = NameIndex()
    index.add(step("a", "execute_command", command="env"))
    index.add(result("r", "a", "some_very_long_local_variable_name_of_no_use"))
    index.add(user("u", "load_all"))
    ranked = Ranking(index)
    low = symbol("some_very_long_local_variable_name_of_no_use")
    assert ranked.score(low) < FLOOR
    assert ranked.best_first() == [symbol("load_all")]
    assert ranked.best_first([Found(low)]) == []


def test_equal_scores_stand_in_the_order_of_their_text() -> None:
    ranked = ranking(*seen("grep", "src/c.py src/a.py src/b.py"))
    assert [name.text for name in ranked.best_first()] == ["src/a.py", "src/b.py", "src/c.py"]


def test_a_name_the_index_does_not_know_counts_as_just_seen() -> None:
    ranked = ranking(*steps(30))
    assert ranked.of(Found(path("src/a.py"), 2)) == pytest.approx(
        -3.3 + 0.4 * ln(2) - 0.2 * ln(1) - tokens("src/a.py")
    )


@pytest.mark.parametrize(
    ("name", "stands"),
    [
        (path("src/app.py"), True),
        (path("app.py"), True),
        (path("lib/app.py"), False),
        (symbol("load_all"), True),
        (symbol("load"), True),
        (symbol("load_al1"), False),
        (command("npm test"), True),
        (command("npm run"), False),
        (path("docs/说明.md"), True),
        (path("docs/设计.md"), False),
    ],
)
def test_standing_is_an_exact_substring(name: Name, stands: bool) -> None:
    standing = Standing(["x /w/src/app.py:3 _load_all()", "then npm test", "见docs/说明.md"])
    assert (name in standing) is stands
    standing.add(f"({name.text})")
    assert name in standing


@given(st.lists(st.text(max_size=30)), st.text(max_size=30), st.data())
def test_standing_agrees_with_a_plain_search(
    texts: list[str], more: str, data: st.DataObject
) -> None:
    standing = Standing(texts)
    standing.add(more)
    whole = "\n".join([*texts, more])
    start = data.draw(st.integers(0, len(whole)))
    for text in (whole[start : start + 5], more[:4], "a_b", "x/y"):
        if text and "\n" not in text:
            assert (Name("symbol", text) in standing) == (text in whole)


def note(middle: str, ranked: Ranking, *kept: str, characters: int = 600) -> tuple[Name, ...]:
    """As a note asks."""
    return best_names(
        middle,
        ranking=ranked,
        standing=Standing(kept),
        characters=characters,
        limit=NOTE_SCANNED,
    )


def pointer(
    body: str, ranked: Ranking, standing: Standing, characters: int = 300
) -> tuple[Name, ...]:
    """As a clear asks for each of its pointers."""
    names = best_names(body, ranking=ranked, standing=standing, characters=characters, by_room=True)
    standing.add(listed(names))
    return in_order(names)


def test_a_note_names_what_only_the_middle_held_best_first() -> None:
    head, tail = "src/head.py\n", "\nsrc/tail.py"
    middle = "src/head.py src/mid.py low_one src/tail.py\ndef top_one():\nsrc/near.py"
    ranked = ranking(user("u", "see src/near.py"), *seen("read_file", head + middle + tail))
    names = note(middle, ranked, head, tail)
    assert names[0] == path("src/near.py")
    assert set(names) >= {path("src/mid.py"), symbol("top_one")}
    assert not {path("src/head.py"), path("src/tail.py")} & set(names)
    scores = [ranked.score(name) for name in names]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("characters", [60, 300, 600, 1_500])
@pytest.mark.parametrize("by_room", [False, True])
def test_a_list_is_within_its_budget_and_uses_it(characters: int, by_room: bool) -> None:
    middle = "\n".join(f"src/module_{n}.py" for n in range(500))
    names = best_names(
        middle,
        ranking=ranking(*seen("grep", middle)),
        standing=NOTHING,
        characters=characters,
        by_room=by_room,
    )
    assert characters - 20 < len(listed(names)) <= characters


def test_a_list_may_be_filled_to_its_last_character() -> None:
    ranked = ranking(*seen("grep", "src/a.py src/b.py"))
    both = len("src/a.py, src/b.py")
    assert len(note("src/a.py src/b.py", ranked, characters=both)) == 2
    assert len(note("src/a.py src/b.py", ranked, characters=both - 1)) == 1


@pytest.mark.parametrize(("longer", "listed_too"), [(40, True), (60, False)])
def test_what_does_not_fit_is_passed_over_for_a_while(longer: int, listed_too: bool) -> None:
    wide = " ".join(f"src/a/file/with/a/long/way/to/it_{n}.py" for n in range(longer))
    ranked = ranking(*seen("read_file", f"{wide} the_last"))
    assert (symbol("the_last") in note(f"{wide} the_last", ranked, characters=20)) is listed_too


def test_a_note_of_a_result_of_megabytes() -> None:
    """Names from all over it, although a message's share of the index is 60,000 characters."""
    middle = "\n".join(f"noise line {n}" if n % 999 else f"src/m{n}.py" for n in range(40_000))
    names = note(middle, ranking())
    assert path("src/m0.py") in names
    assert any(int(name.text[5:-3]) > 20_000 for name in names)


def test_pointers_are_written_from_the_newest_each_name_once() -> None:
    old, new = "src/both.py src/old.py kept_one", "src/both.py src/new.py"
    ranked = ranking(*seen("grep", old), *seen("grep", new))
    standing = Standing(["the tail names kept_one"])
    assert pointer(new, ranked, standing) == (path("src/both.py"), path("src/new.py"))
    assert pointer(old, ranked, standing) == (path("src/old.py"),)
    assert pointer(old, ranked, standing) == ()


def test_a_body_that_stays_is_standing() -> None:
    ranked = ranking(*seen("grep", "src/a.py"))
    standing = Standing()
    standing.add("src/a.py")
    assert pointer("src/a.py", ranked, standing) == ()


def test_of_equally_good_names_a_pointer_takes_the_one_nobody_guesses() -> None:
    """By score over 2 + √length: the longer of two, although it scores less for its tokens."""
    long = "src/the/whole/way/down/to/the/part.py"
    ranked = ranking(*seen("grep", f"src/a.py {long}"))
    assert ranked.score(path("src/a.py")) > ranked.score(path(long))
    assert pointer(f"src/a.py {long}", ranked, Standing(), characters=40) == (path(long),)
    assert note(f"src/a.py {long}", ranked, characters=40) == (path("src/a.py"),)


def test_a_list_in_order_goes_by_kind_and_text() -> None:
    body = "src/b.py def load_all(: src/a.py; run npm test or a_thing"
    names = pointer(body, ranking(user("u", body)), Standing())
    assert [name.text for name in names] == [
        *("npm test", "src/a.py", "src/b.py"),
        *("a_thing", "load_all"),
    ]
    assert [name.kind for name in names] == sorted((name.kind for name in names), key=KINDS.index)


def test_a_block_holds_what_stands_nowhere_else_within_its_tokens() -> None:
    files = " ".join(f"src/module_{n}.py" for n in range(300))
    ranked = ranking(user("u", "see src/kept.py, run npm test"), *seen("grep", files))
    standing = Standing(["the tail: src/kept.py, src/module_7.py"])
    names = block_names(
        ranking=ranked, standing=standing, tokens=100, estimate=lambda text: len(text) / 4
    )
    assert names[0] == command("npm test")
    assert not {path("src/kept.py"), path("src/module_7.py")} & set(names)
    assert 90 < len(" ".join(name.text for name in names)) / 4 <= 100
    assert all(name in standing for name in names)


def test_a_name_within_a_listed_one_is_not_listed_again() -> None:
    ranked = ranking(user("u", "src/store/cart.py"), *seen("grep", "cart.py"))
    assert block_names(
        ranking=ranked, standing=Standing(), tokens=50, estimate=lambda text: len(text) / 4
    ) == (path("src/store/cart.py"),)


def test_a_path_takes_the_place_of_its_end() -> None:
    """The shorter spelling scores more, the longer one says it too; what is won goes to others."""
    spelt = ["cart.py", "store/cart.py", "src/store/cart.py"]
    ranked = ranking(user("u", spelt[0]), user("v", spelt[1]), *seen("grep", " ".join(spelt)))
    assert ranked.score(path(spelt[1])) > ranked.score(path(spelt[2]))
    most = len(spelt[2]) + 2
    assert note(" ".join(spelt), ranked, characters=most) == (path(spelt[2]),)
    cart = ranking(user("u", "cart.py"), *seen("grep", "cart.py src/recart.py"))
    assert set(note("cart.py src/recart.py", cart, characters=60)) == {
        path("cart.py"), path("src/recart.py")
    }  # fmt: skip


def test_a_line_needs_no_commas_where_no_name_holds_a_blank() -> None:
    assert in_line([path("a/b.py"), path("c.py")]) == "a/b.py c.py"
    assert in_line([command("git log"), command("make")]) == "git log, make"


def test_no_budget_no_names() -> None:
    ranked = ranking(*seen("grep", "src/a.py"))
    for characters in (0, 3):
        assert best_names("src/a.py", ranking=ranked, standing=NOTHING, characters=characters) == ()
    assert best_names("src/a.py", ranking=ranked, standing=NOTHING, characters=8)


PIECES = [
    *("src/a.py", "src/b/c.go", "load_all", "def save_all(", "getUser", "git status", "`npm test`"),
    *("docs/说明.md", "\0", "\ud800", "words", "x" * 70),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=9), max_size=30).map(" ".join)


@given(TEXTS, TEXTS, st.integers(0, 120), st.booleans())
def test_budgets_hold_names_are_the_texts_own_and_stand_nowhere_else(
    text: str, other: str, characters: int, by_room: bool
) -> None:
    ranked = ranking(user("u", other), *seen("read_file", text))
    standing = Standing([other])
    names = best_names(
        text, ranking=ranked, standing=standing, characters=characters, by_room=by_room
    )
    assert names == best_names(
        text, ranking=ranked, standing=standing, characters=characters, by_room=by_room
    )
    assert len(listed(names)) <= characters
    assert len(set(names)) == len(names)
    assert set(names) <= {found.name for found in names_in(text)}
    for name in names:
        assert name.text not in other
        assert ranked.score(name) >= FLOOR


@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_a_clear_tells_each_name_once(bodies: list[str], kept: str) -> None:
    """Pointers one after another: none repeats another's name or what is kept."""
    ranked = ranking(*(message for body in dict.fromkeys(bodies) for message in seen("grep", body)))
    standing, told = Standing([kept]), [kept]
    for body in reversed(bodies):
        names = pointer(body, ranked, standing, 120)
        assert len(listed(names)) <= 120
        for name in names:
            assert not any(name.text in text for text in told)
        told.append(listed(names))
    block = block_names(
        ranking=ranked, standing=standing, tokens=60, estimate=lambda text: len(text) / 4
    )
    for name in block:
        assert not any(name.text in text for text in told)
