"""A call's arguments can always be sent: one JSON object, in UTF-8, else none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.arguments import arguments_of, sendable_arguments, sendable_json
from tests.conversation.strict import ESCAPES, strings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@pytest.mark.parametrize("text", ["", "{", "[1]", '"a"', "null", "[" * 100_000])
def test_what_is_no_object_holds_no_values(text: str) -> None:
    assert arguments_of(text) == {}
    assert arguments_of('{"path": "a.py", "n": [1]}') == {"path": "a.py", "n": [1]}


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"path": "a.py"}',
        ' {"b" : 1,\n\t"a":[1.0, 1e5, null]} ',
        '{"text": "tab\\t line\\r\\n esc\\u001b del\\u007f"}',
        '{"text": "海马 🚀 \\ud83d\\ude80 \\\\ud83d \\"quoted\\""}',
        '{"a": 1, "a": 2}',
    ],
)
def test_a_valid_object_stays_byte_for_byte(text: str) -> None:
    assert sendable_arguments(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"{}"',
        "12",
        '{"path": "a',
        '{"path": "a"}}',
        "{'path': 'a'}",
        '{"a": 1,}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": "raw\nnewline"}',
        '{"a": "raw\x00nul"}',
        "[" * 100_000,
        '{"a": ' + "9" * 5_000 + "}",
        "\ufeff{}",
    ],
)
def test_anything_else_becomes_no_arguments(text: str) -> None:
    """FIELD 38: arguments cut off in the middle must not make every later request fail."""
    assert sendable_arguments(text) == "{}"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('{"a": "\ud83d"}', '{"a": "\\\\ud83d"}'),
        ('{"a": "\\ud83d"}', '{"a": "\\\\ud83d"}'),
        ('{"a": "\\uDE80 \\\\\\ud83d"}', '{"a": "\\\\uDE80 \\\\\\\\ud83d"}'),
        ('{"a": "\ud83d\ude80 \ud83d"}', '{"a": "🚀 \\\\ud83d"}'),
        ('{"a": "\\ud83d\\ude80 \x7f"}', '{"a": "\\ud83d\\ude80 \\u007f"}'),
        ('{"a": "\x85 \u202e"}\r\n', '{"a": "\\u0085 \\u202e"} \n'),
    ],
)
def test_what_cannot_be_sent_becomes_visible_or_a_json_escape(text: str, sent: str) -> None:
    assert sendable_arguments(text) == sent
    assert sendable_arguments(sent) == sent


@given(JSON, st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_stays_valid_and_can_be_sent(
    value: object, ensure_ascii: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    sent = sendable_json(text)
    assert sent is not None
    assert not ESCAPES.search(sent)
    json.dumps(json.loads(sent), ensure_ascii=False).encode("utf-8")
    if not any(ESCAPES.search(string) for string in strings(value)):
        assert json.loads(sent) == json.loads(text)
    assert sendable_json(sent) == sent


@given(st.text(st.characters(codec=None)))
def test_any_text_gives_one_object(text: str) -> None:
    assert isinstance(json.loads(sendable_arguments(text)), dict)
