"""Tool calls out of deltas, with the quirks of PROVIDERS 1.8 (part 4, fault 12)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.calls import CallAssembler, is_cut
from app.ports import RequestedCall

READ = RequestedCall("read", '{"path": "a"}')
LIST = RequestedCall("list", '{"path": "b"}')


def piece(
    index: object = None, id: object = None, name: object = None, arguments: object = None
) -> dict[str, Any]:
    """One delta of one call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    call: dict[str, Any] = {"index": index, "id": id}
    filled = {key: value for key, value in call.items() if value is not None}
    return {**filled, "function": {k: v for k, v in function.items() if v is not None}}


def calls(*pieces: dict[str, Any]) -> tuple[RequestedCall, ...]:
    assembler = CallAssembler()
    for one in pieces:
        assembler.feed({"tool_calls": [one]})
    assert not assembler.cut(at_limit=False)
    return assembler.finish()


def test_the_regular_way() -> None:
    assert calls(
        piece(0, "a", "read", ""),
        piece(0, arguments='{"path"'),
        piece(0, arguments=': "a"}'),
        piece(1, "b", "list", ""),
        piece(1, arguments='{"path": "b"}'),
    ) == (READ, LIST)


def test_parallel_calls_interleaved_by_index() -> None:
    assert calls(
        piece(0, "a", "read", '{"pa'),
        piece(1, "b", "list", '{"path'),
        piece(0, arguments='th": "a"}'),
        piece(1, arguments='": "b"}'),
    ) == (READ, LIST)


def test_fifty_parallel_calls() -> None:
    wanted = [piece(i, f"id{i}", "read", json.dumps({"n": i})) for i in range(50)]
    assert [json.loads(call.arguments)["n"] for call in calls(*wanted)] == list(range(50))


def test_no_index_the_id_opens_a_slot_and_what_follows_is_appended() -> None:
    assert calls(
        piece(id="a", name="read", arguments='{"path"'),
        piece(arguments=': "a"}'),
        piece(id="b", name="list", arguments='{"path"'),
        piece(arguments=': "b"}'),
    ) == (READ, LIST)


def test_neither_index_nor_id_the_name_opens_a_slot() -> None:
    assert calls(
        piece(name="read", arguments='{"path": "a"}'),
        piece(name="list", arguments='{"path": "b"}'),
    ) == (READ, LIST)


def test_neither_index_nor_id_and_the_same_tool_twice() -> None:
    assert calls(
        piece(name="read", arguments='{"path": "a"}'),
        piece(name="read", arguments='{"path": "a"}'),
    ) == (READ, READ)


def test_no_index_and_the_id_of_an_earlier_call() -> None:
    assert calls(
        piece(id="a", name="read", arguments='{"path"'),
        piece(id="b", name="list", arguments='{"path": "b"}'),
        piece(id="a", arguments=': "a"}'),
    ) == (READ, LIST)


def test_two_whole_calls_under_one_id() -> None:
    twice = [piece(n, "read:0", "read", READ.arguments) for n in (0, 1)]
    assert calls(*twice) == (READ, READ)
    without_index = [piece(None, "read:0", "read", READ.arguments) for _ in range(2)]
    assert calls(*without_index) == (READ, READ)


def test_index_as_text() -> None:
    assert calls(
        piece("0", "a", "read", '{"path"'),
        piece("1", "b", "list", '{"path": "b"}'),
        piece("0", arguments=': "a"}'),
    ) == (READ, LIST)


def test_id_and_name_in_every_delta() -> None:
    assert calls(
        piece(0, "a", "read", ""),
        piece(0, "a", "read", '{"path": '),
        piece(0, "a", "read", '"a"}'),
        piece(0, "a", "read", ""),
    ) == (READ,)


def test_name_in_every_delta_and_no_id() -> None:
    assert calls(
        piece(0, name="read", arguments='{"path": '),
        piece(0, "", "read", '"a"}'),
        piece(0, "", "read", ""),
    ) == (READ,)


def test_an_id_that_comes_later_belongs_to_the_same_call() -> None:
    assert calls(
        piece(0, name="read", arguments='{"path"'),
        piece(0, "a", arguments=': "a"}'),
    ) == (READ,)


def test_another_id_in_each_delta_without_a_name_is_the_same_call() -> None:
    assert calls(
        piece(0, "a", "read", '{"path"'),
        piece(0, "b", arguments=': "a"}'),
    ) == (READ,)


def test_the_same_index_used_again_with_a_new_id() -> None:
    assert calls(
        piece(0, "a", "read", '{"path": "a"}'),
        piece(0, "b", "list", '{"path"'),
        piece(0, arguments=': "b"}'),
    ) == (READ, LIST)


def test_every_call_at_index_zero_without_id() -> None:
    assert calls(
        piece(0, name="read", arguments='{"path": "a"}'),
        piece(0, name="list", arguments='{"path": "b"}'),
    ) == (READ, LIST)


def test_a_name_that_comes_in_pieces_is_not_joined() -> None:
    assert calls(piece(0, "a", "get_"), piece(0, name="weather", arguments="{}")) == (
        RequestedCall("get_", "{}"),
    )


@pytest.mark.parametrize("arguments", ["", "null", None, " \n", " null "])
def test_no_arguments_are_an_empty_object(arguments: str | None) -> None:
    assert calls(piece(0, "a", "now", arguments)) == (RequestedCall("now", "{}"),)


def test_arguments_as_an_object() -> None:
    assert calls(piece(0, "a", "read", {"path": "你"})) == (
        RequestedCall("read", '{"path": "你"}'),
    )


def test_an_empty_trailing_call_is_skipped() -> None:
    assert calls(piece(0, "a", "read", '{"path": "a"}'), piece(1), piece(2, "c", "", "")) == (READ,)


def test_several_calls_in_one_delta_and_a_call_without_a_list() -> None:
    assembler = CallAssembler()
    assembler.feed({"tool_calls": [piece(0, "a", "read", '{"path": "a"}'), None, "x"]})
    assembler.feed({"tool_calls": piece(1, "b", "list", '{"path": "b"}')})
    assert assembler.finish() == (READ, LIST)


def test_a_call_without_the_inner_object() -> None:
    assert calls({"index": 0, "id": "a", "name": "read", "arguments": '{"path": "a"}'}) == (READ,)


def test_the_old_function_call() -> None:
    assembler = CallAssembler()
    assembler.feed({"function_call": {"name": "read", "arguments": '{"path"'}})
    assembler.feed({"function_call": {"name": "read", "arguments": ': "a"}'}})
    assert assembler.finish() == (READ,)


def test_the_old_function_call_beside_the_new_one_counts_once() -> None:
    assembler = CallAssembler()
    for fragment in ('{"path"', ': "a"}'):
        assembler.feed(
            {
                "tool_calls": [piece(0, "a", "read", fragment)],
                "function_call": {"name": "read", "arguments": fragment},
            }
        )
    assert assembler.finish() == (READ,)


@pytest.mark.parametrize(
    "delta", [{}, {"tool_calls": None}, {"tool_calls": []}, {"tool_calls": "x"}]
)
def test_nothing_to_call(delta: dict[str, Any]) -> None:
    assembler = CallAssembler()
    assembler.feed(delta)
    assert not assembler.any
    assert not assembler.cut(at_limit=True)


@pytest.mark.parametrize(
    ("arguments", "cut", "cut_at_limit"),
    [
        ('{"a": 1}', False, False),
        ('{"a": 1,}', False, True),
        ("{'a': 1}", False, True),
        ("", False, True),
        ("null", False, False),
        ('{"a": "x', True, True),
        ('{"a": "x"', True, True),
        ('{"a": "x\\"}', True, True),
        ('{"a": [1, {"b": 2}', True, True),
        ('{"a": "}]"', True, True),
    ],
)
def test_a_cut_call(arguments: str, cut: bool, cut_at_limit: bool) -> None:
    assembler = CallAssembler()
    assembler.feed({"tool_calls": [piece(0, "a", "read", arguments)]})
    assert assembler.cut(at_limit=False) is cut
    assert assembler.cut(at_limit=True) is cut_at_limit


def test_a_call_without_a_name_is_cut() -> None:
    assembler = CallAssembler()
    assembler.feed({"tool_calls": [piece(0, "a", "", '{"a": 1}')]})
    assert assembler.cut(at_limit=False)


def test_no_arguments_before_the_last_call_are_none_at_the_limit_too() -> None:
    assembler = CallAssembler()
    assembler.feed({"tool_calls": [piece(0, "a", "now", ""), piece(1, "b", "read", '{"a": 1}')]})
    assert not assembler.cut(at_limit=True)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), values, max_size=4), st.data())
def test_an_object_is_cut_exactly_when_its_end_is_missing(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(arguments, ensure_ascii=False)
    length = data.draw(st.integers(1, len(text)))
    assert is_cut(text[:length]) is (length < len(text))


@given(st.dictionaries(st.text(max_size=4), values, max_size=4), st.lists(st.integers(1, 6)))
def test_fragments_give_the_text_they_were_cut_from(
    arguments: dict[str, Any], sizes: list[int]
) -> None:
    text = json.dumps(arguments)
    pieces, rest = [piece(0, "a", "read", "")], text
    for size in sizes:
        pieces.append(piece(0, arguments=rest[:size]))
        rest = rest[size:]
    assert calls(*pieces, piece(0, arguments=rest)) == (RequestedCall("read", text),)
