"""Whatever a recording holds, in whatever order: a valid history comes out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.history import History
from app.replay.building import Asked, Builder
from app.replay.recording import RecordingError
from tests.replay.recordings import WORDS

KEY = "ghp_abcdefghijklmnopqrstuvwxyz0123"

_IDS = st.sampled_from(["", "a", "b", "c"])
_TEXTS = st.sampled_from(["", " ", "yes", "\ud800", "never use npm"])
_CALLS = st.lists(
    st.builds(Asked, _IDS, st.sampled_from(["read", ""]), st.none() | _TEXTS), max_size=3
)
_DEEDS = st.one_of(
    st.tuples(st.just("user"), _TEXTS),
    st.tuples(st.just("system"), _TEXTS),
    st.tuples(st.just("assistant"), _TEXTS, _CALLS, st.sampled_from(["", "m1", "m2"])),
    st.tuples(st.just("part"), _TEXTS, _CALLS),
    st.tuples(st.just("result"), _IDS, _TEXTS),
)


@given(st.lists(_DEEDS, max_size=25))
def test_any_order_makes_a_valid_history(deeds: list[tuple[object, ...]]) -> None:
    builder = Builder("claude", "any", WORDS)
    said = 0
    for name, *arguments in deeds:
        key = {"key": arguments.pop()} if name == "assistant" else {}
        getattr(builder, str(name))(*arguments, **key)
        said += name in {"user", "system"} and bool(str(arguments[0]).strip())
    try:
        recording = builder.finish()
    except RecordingError:
        return
    History.check(recording.messages)
    messages = recording.messages
    users = sum(message.role in {"user", "system"} for message in messages)
    assert users <= said, "two system messages at the beginning become one"
    assert len({message.id for message in messages}) == len(messages)
    results = [message for message in messages if message.role == "tool"]
    assert len(results) == sum(len(message.calls) for message in messages)
    assert len(recording.steps) >= 1


@pytest.mark.parametrize("named", ["", "Rotate " + KEY])
def test_no_title_holds_a_secret(named: str) -> None:
    builder = Builder("claude", "any", WORDS)
    builder.title = named
    builder.user("so " * 20 + KEY)
    builder.assistant("Done.", [])
    title = "Rotate ‹secret›" if named else "so " * 20 + "‹secret›"
    assert builder.finish().title == title
