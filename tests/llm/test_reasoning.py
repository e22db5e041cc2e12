"""Reasoning, whatever the field is called (PROVIDERS 1.6)."""

import json

import pytest

from app.llm.reasoning import ReasoningDetails, reasoning_of


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        ({"reasoning_content": "a"}, ("reasoning_content", "a")),
        ({"reasoning": "a"}, ("reasoning", "a")),
        ({"reasoning_text": "a"}, ("reasoning_text", "a")),
        ({"reasoning_details": [{"text": "a"}, {"summary": "b"}]}, ("reasoning_details", "ab")),
        ({"reasoning_content": "a", "reasoning": "a"}, ("reasoning_content", "a")),
        ({"reasoning": "a", "reasoning_details": [{"text": "a"}]}, ("reasoning", "a")),
        ({"reasoning_content": None, "reasoning": "a"}, ("reasoning", "a")),
        ({"reasoning_content": "", "reasoning": "a"}, ("reasoning", "a")),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, ("", "")),
        ({"reasoning": {"text": "a"}, "reasoning_details": "x"}, ("", "")),
        ({"content": "a"}, ("", "")),
    ],
)
def test_the_first_field_that_holds_something(
    delta: dict[str, object], expected: tuple[str, str]
) -> None:
    assert reasoning_of(delta) == expected


def details(*deltas: list[dict[str, object]]) -> object:
    collected = ReasoningDetails()
    for entries in deltas:
        collected.feed({"reasoning_details": entries})
    return json.loads(collected.text) if collected.text else None


def test_pieces_of_one_entry_are_joined_and_its_signature_kept() -> None:
    assert details(
        [{"type": "reasoning.text", "index": 0, "text": "Let ", "format": "f"}],
        [{"type": "reasoning.text", "index": 0, "text": "me"}],
        [{"type": "reasoning.text", "index": 0, "signature": "s", "format": None}],
    ) == [{"type": "reasoning.text", "index": 0, "text": "Let me", "format": "f", "signature": "s"}]


def test_another_index_type_or_id_is_another_entry() -> None:
    entries: list[dict[str, object]] = [
        {"type": "reasoning.text", "index": 0, "text": "a"},
        {"type": "reasoning.text", "index": 1, "text": "b"},
        {"type": "reasoning.encrypted", "index": 1, "id": "x", "data": "c"},
        {"type": "reasoning.encrypted", "index": 1, "id": "y", "data": "d"},
    ]
    assert details(*([entry] for entry in entries)) == entries


def test_no_details_are_no_text() -> None:
    assert details() is None
    assert details([]) is None
