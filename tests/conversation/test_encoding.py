"""Messages come back from JSON as they went; what can't be read is named."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.boundary import joined
from app.conversation.encoding import EncodingError, message_from_json, message_to_json
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.text import Words
from tests.conversation.strategies import any_message

FULL: dict[str, Any] = {
    "id": "a1",
    "role": "assistant",
    "parts": [
        {"kind": "text", "text": "half \ud83d"},
        {"kind": "image", "url": "data:", "characters": 3},
        {"kind": "image", "url": "data:", "name": "图/shot.png"},
        {"kind": "memory", "text": "m", "facts": ["f1", "f2"]},
        {"kind": "correction", "text": "c", "facts": ["f1", "f3"]},
        {"kind": "restored", "ref": "r", "text": "o"},
    ],
    "calls": [{"id": "c1", "name": "read_file", "arguments": '{"path": "a'}],
    "call_id": "c0",
    "reasoning": {"text": "r", "field": "reasoning", "send": True, "details": "[]"},
    "tool": "list_dir",
    "discarded": True,
}


def test_every_field_has_its_place() -> None:
    message = Message(
        "a1",
        "assistant",
        (
            TextPart("half \ud83d"),
            ImagePart("data:", 3),
            ImagePart("data:", name="图/shot.png"),
            MemoryPart("m", ("f1", "f2")),
            CorrectionPart("c", ("f1", "f3")),
            RestoredPart("r", "o"),
        ),
        calls=(ToolCall("c1", "read_file", '{"path": "a'),),
        call_id="c0",
        reasoning=Reasoning("r", "reasoning", True, "[]"),
        tool="list_dir",
        discarded=True,
    )
    assert message_to_json(message) == FULL
    assert message_from_json(FULL) == message
    assert {field.name for field in dataclasses.fields(Message)} == set(FULL)


def test_defaults_are_left_out() -> None:
    message = Message(
        "u", "user", (TextPart("hi"), ImagePart("x"), MemoryPart("m")), reasoning=Reasoning("")
    )
    assert message_to_json(message) == {
        "id": "u",
        "role": "user",
        "parts": [
            {"kind": "text", "text": "hi"},
            {"kind": "image", "url": "x"},
            {"kind": "memory", "text": "m"},
        ],
        "reasoning": {"text": ""},
    }


@given(any_message(["m1", "m2"], ["c1", "c2"], "fresh"))
def test_any_message_comes_back(message: Message) -> None:
    row = message_to_json(message)
    assert message_from_json(row) == message
    through = json.loads(json.dumps(row))
    assert message_to_json(message_from_json(through)) == through
    assert message_from_json(through).text == joined(message.text)


@given(st.text(st.characters(codec=None)))
def test_lone_surrogates_and_control_characters_survive(text: str) -> None:
    message = Message("t", "tool", (TextPart(text),), call_id="c", tool="x")
    row = json.dumps(message_to_json(message))
    row.encode("ascii")
    assert message_from_json(json.loads(row)).text == joined(text)


def test_unknown_fields_are_ignored() -> None:
    row = json.loads(json.dumps(FULL))
    row["later"] = {"x": 1}
    row["parts"][0]["later"] = 1
    row["calls"][0]["later"] = 1
    row["reasoning"]["later"] = 1
    assert message_from_json(row) == message_from_json(FULL)


def test_an_unknown_kind_of_part_is_named() -> None:
    row = {**FULL, "parts": [{"kind": "video", "url": "x"}]}
    with pytest.raises(EncodingError) as caught:
        message_from_json(row)
    assert caught.value.values == {"id": "a1", "kind": "video"}
    assert "video" in str(caught.value)
    assert "video" in caught.value.sentence(Words("zh"))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"id": 1}, "id"),
        ({"role": "developer"}, "role"),
        ({"parts": None}, "parts"),
        ({"parts": {}}, "parts"),
        ({"parts": ["text"]}, "parts[0]"),
        ({"parts": [{"kind": "text", "text": "x"}, {"kind": "text"}]}, "parts[1].text"),
        ({"parts": [{"text": "x"}]}, "parts[0].kind"),
        ({"parts": [{"kind": "image", "url": "x", "characters": True}]}, "parts[0].characters"),
        ({"parts": [{"kind": "image", "url": "x", "characters": "3"}]}, "parts[0].characters"),
        ({"parts": [{"kind": "memory", "text": "m", "facts": "f"}]}, "parts[0].facts"),
        ({"parts": [{"kind": "memory", "text": "m", "facts": [1]}]}, "parts[0].facts"),
        ({"parts": [{"kind": "restored", "text": "o"}]}, "parts[0].ref"),
        ({"calls": [{"id": "c", "name": "x", "arguments": {}}]}, "calls[0].arguments"),
        ({"calls": "none"}, "calls"),
        ({"call_id": 7}, "call_id"),
        ({"reasoning": "r"}, "reasoning"),
        ({"reasoning": {}}, "reasoning.text"),
        ({"reasoning": {"text": "r", "send": "yes"}}, "reasoning.send"),
        ({"tool": []}, "tool"),
        ({"discarded": 1}, "discarded"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], field: str) -> None:
    with pytest.raises(EncodingError) as caught:
        message_from_json({**FULL, **change})
    assert caught.value.values["field"] == field
    assert caught.value.code == "encoding"
    assert field in str(caught.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(EncodingError, match="id is missing"):
        message_from_json({"role": "user", "parts": []})


def test_what_is_no_message_at_all_is_said_so() -> None:
    with pytest.raises(EncodingError, match="message is missing or wrong"):
        message_from_json([])  # type: ignore[arg-type]
