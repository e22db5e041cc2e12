"""The lines on what left, and the user's messages of a history (DESIGN 4, tier 3)."""

import json
from dataclasses import replace

from hypothesis import given

from app.compaction.references import references_for, said_reference
from app.compaction.said import goal_of, said_in
from app.conversation.messages import (
    ImagePart,
    Message,
    Said,
    SummaryPart,
    TextPart,
    WordsPart,
)
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing
from tests.compaction.histories import EN, GENERIC, step, user
from tests.compaction.summaries import Work, works

METER = Meter(GENERIC)
FILE = Offloaded(".haima/tool-outputs/c/001-x.txt", 99, 90_000, 9, "0" * 64)


def lines(
    messages: list[Message],
    budget: int = 2_000,
    files: dict[str, Offloaded] | None = None,
    standings: dict[str, Standing] | None = None,
) -> tuple[str, ...]:
    return references_for(
        messages,
        files=files or {},
        standings=standings or {},
        words=EN,
        tokens=METER.text_tokens,
        budget=budget,
    )


def test_files_come_first_then_the_newest_results() -> None:
    messages = [*step(1, "x" * 500), *step(2, "y" * 600), *step(3, "note")]
    assert lines(messages, files={"r1.0": FILE}) == (
        "read_file src/file1_0.py, 90,000 characters: "
        'read_file(path=".haima/tool-outputs/c/001-x.txt", offset=1, limit=200)',
        'read_file src/file2_0.py, 600 characters: read_history(ref="r2.0")',
    )


def test_what_a_model_must_not_be_sent_back_to_is_left_out() -> None:
    messages = [*step(1, "x" * 399), *step(2, "y" * 900, tool="Save_Memory")]
    assert lines(messages) == ()


def test_equal_calls_are_one_line_the_newest() -> None:
    same = [*step(1, "x" * 500), *step(2, "y" * 600)]
    path = json.dumps({"path": "a.py"})
    same = [
        replace(one, calls=tuple(replace(call, arguments=path) for call in one.calls))
        for one in same
    ]
    assert lines(same) == ('read_file a.py, 600 characters: read_history(ref="r2.0")',)


def test_a_pointer_tells_no_size() -> None:
    cleared = {"r1.0": Standing("cleared"), "r2.0": Standing("cut")}
    messages = [*step(1, "[Cleared]"), *step(2, "half", arguments=lambda _: {})]
    assert lines(messages, standings=cleared) == (
        'read_file: read_history(ref="r2.0")',
        'read_file src/file1_0.py: read_history(ref="r1.0")',
    )


def test_earlier_lines_are_carried_over_once_and_last() -> None:
    first = Message("s", "user", (SummaryPart("x", ("one", "two")),))
    second = Message("t", "user", (SummaryPart("x", ("two", "three")),))
    messages = [first, second, *step(1, "x" * 500)]
    assert lines(messages)[1:] == ("one", "two", "three")


def test_the_budget_holds_and_takes_the_best() -> None:
    messages = [message for number in range(50) for message in step(number, "x" * 500)]
    found = lines(messages, budget=200)
    assert 3 < len(found) < 12
    assert METER.text_tokens("\n".join(found)) <= 200
    assert found[0].endswith('(ref="r49.0")')
    assert lines(messages, budget=0) == ()


def test_names_and_questions_of_the_model_stay_on_their_line() -> None:
    (made,) = lines(step(1, "x" * 500, tool="坏 \n名", arguments=lambda _: {"path": "a\nb\x1b"}))
    assert made == '____ a b\\x1b, 500 characters: read_history(ref="r1.0")'


def test_a_message_of_the_user_is_named_by_its_beginning() -> None:
    line = said_reference(EN, Said("u7", "Paste:\n" + "log line\n" * 100))
    assert line.startswith("The user's message “Paste: log line log line")
    assert line.endswith('…”, 907 characters: read_history(ref="u7")')


def test_what_was_said_is_found_in_every_shape() -> None:
    words = WordsPart((Said("u1", ""), Said("u2", "two"), Said("u3", "")), ("u3",))
    history = [
        Message("old", "user", (SummaryPart("x", request="u4"), words, TextPart("four"))),
        *step(1, "result"),
        Message("picture", "user", (ImagePart("https://example.org/a.png"),)),
        Message("injected", "user", (SummaryPart("y"), TextPart("nobody's"))),
        user("five", "u5"),
        Message("z", "assistant", (TextPart("Done."),)),
    ]
    assert said_in(history) == (
        Said("u1", ""),
        Said("u2", "two"),
        Said("u3", ""),
        Said("u4", "four"),
        Said("u5", "five"),
    )
    assert goal_of(said_in(history)) == Said("u1", "")
    assert goal_of(()) is None


def test_words_that_stand_twice_are_said_once() -> None:
    summary = Message("old", "user", (SummaryPart("x"), WordsPart((Said("u1", ""),))))
    assert said_in([summary, user("one", "u1")]) == (Said("u1", "one"),)


@given(works())
def test_each_line_names_something_that_left(work: Work) -> None:
    found = lines(list(work.history), files=work.files, budget=100_000)
    assert len(set(found)) == len(found)
    for line in found:
        assert "\n" not in line and ("read_history(ref=" in line or "read_file(path=" in line)
    for key, file in work.files.items():
        tool = (message := work.history.get(key)) is not None and message.tool
        assert not tool or any(file.path in line for line in found)
