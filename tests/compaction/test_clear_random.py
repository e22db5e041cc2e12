"""Clearing over random histories: what must hold whatever they are.

`HYPOTHESIS_PROFILE=deep` runs thousands.
"""

import dataclasses
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.compaction.clear import EXCLUDED, unseen_results
from app.conversation.history import History
from app.conversation.messages import TextPart
from app.conversation.meter import Meter
from app.conversation.wire import to_wire
from app.text import LANGUAGES, Words
from tests.compaction.histories import GENERIC, Case, answer, cases, step, user
from tests.conversation.strict import broken, refusals

MANY = settings(max_examples=max(120, settings().max_examples))


def newest_step(history: History) -> set[str]:
    """Ids of the last assistant message that calls, and of its results."""
    ids: set[str] = set()
    for message in reversed(history.messages):
        if not message.discarded:
            ids.add(message.id)
            if message.calls:
                break
    return ids


@MANY
@given(cases(), st.booleans(), st.sampled_from(LANGUAGES))
def test_whatever_the_history(case: Case, force: bool, language: str) -> None:
    words = Words(language)  # type: ignore[arg-type]
    history, before = case.history, case.history.messages
    unseen = unseen_results(history)
    states = dict(case.standings)
    request_before = case.meter.measure(history, "").tokens
    sizes = {message.id: case.meter.message_tokens(message) for message in history}

    plan = case.plan(force=force, words=words)
    assert history.messages == before  # a plan changes nothing
    case.clear(plan)
    after = history.messages
    ids = [one.id for one in plan.clearings]

    # The request is one that every provider takes.
    assert broken(after, history.recovery) == []
    if not history.open_calls:
        wire = to_wire(after, history.recovery)
        if refusals(to_wire(before)) == []:
            assert refusals(wire) == []

    # Count, order, ids; only due bodies change.
    for old, new in zip(before, after, strict=True):
        assert dataclasses.replace(new, parts=old.parts) == old
        if old.id not in ids:
            assert new == old
    results = [message.id for message in before if message.role == "tool"]
    assert [id for id in results if id in ids] == ids
    kept = {*results[-3:], *unseen}
    assert not kept & set(ids)
    for id in ids:
        standing = states.get(id)
        message = next(message for message in before if message.id == id)
        assert message.role == "tool"
        assert standing is None or not (standing.pinned or standing.state == "cleared")
        assert (message.tool or "").strip().lower() not in EXCLUDED
        assert len(message.text) >= 400

    # Nothing grows, and each pointer is at most half.
    fresh = Meter(GENERIC)
    for one in plan.clearings:
        old, new = (next(m for m in messages if m.id == one.id) for messages in (before, after))
        assert len(new.text) <= len(old.text) // 2
        assert fresh.message_tokens(new) < fresh.message_tokens(old)
        assert (sizes[one.id], fresh.message_tokens(new)) == (one.before, one.after)
        assert f'read_history(ref="{one.id}")' in new.text
        file = case.files.get(one.id)
        assert (file is not None) == ("offset=1, limit=200" in new.text)
    if plan:
        assert plan.freed >= (1 if force else case.marks.min_gain)
        assert case.meter.measure(history, "").tokens < request_before

    # Without news there is nothing to do, by force or not.
    if plan or force:
        assert not case.plan(force=True, words=words)
    assert not case.plan(words=words)


@MANY
@given(cases())
def test_the_newest_step_and_all_of_the_user_s_words_stay(case: Case) -> None:
    before = {message.id: message for message in case.history}
    newest = newest_step(case.history) if unseen_results(case.history) else set()
    case.clear(case.plan(force=True))
    for message in case.history:
        if message.role != "tool" or message.id in newest:
            assert message is before[message.id]


@MANY
@given(cases())
def test_pointers_name_what_stands_nowhere_else(case: Case) -> None:
    if case.names is None:
        return
    plan = case.plan(force=True)
    case.clear(plan)
    pointers = []
    for clearing in plan.clearings:
        (part,) = clearing.parts
        assert isinstance(part, TextPart)
        pointers.append(part.text)
    sent = map(str, to_wire(case.history))
    standing = [text for text in sent if not any(one in text for one in pointers)]
    # The newest is written first: an older one may hold a longer name that says one of it too.
    for pointer in reversed(pointers):
        found = re.search(r"Named: (.*?)\. (?:Whole|read_history)", pointer)
        names = found[1].split(", ") if found else []
        for name in names:
            assert not any(name in text for text in standing), name
            assert sum(name in one for one in names) == 1, name
        standing.append(pointer)


@MANY
@given(cases(), st.booleans())
def test_a_plan_is_the_same_each_time(case: Case, force: bool) -> None:
    assert case.plan(force=force) == case.plan(force=force)


@MANY
@given(cases())
def test_clearing_again_after_more_work_leaves_pointers_alone(case: Case) -> None:
    if case.history.open_calls:
        return
    case.clear(case.plan(force=True))
    pointers = {
        message.id: message
        for message in case.history
        if (standing := case.standings.get(message.id)) and standing.state == "cleared"
    }
    case.history.append(user("more", "more"))
    for number in range(900, 904):
        for message in step(number, "some words in a line\n" * 200):
            case.history.append(message)
    case.history.append(answer(message_id="last"))
    case.clear(case.plan(force=True))
    assert "r900.0" in {id for id, one in case.standings.items() if one.state == "cleared"}
    for id, message in pointers.items():
        assert case.history.get(id) is message
