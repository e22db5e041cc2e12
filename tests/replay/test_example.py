"""The recording that comes with Haima."""

from app.conversation.history import History
from app.replay.example import FILE, example_recording
from app.replay.example_logs import example_log
from tests.replay.make_example import text
from tests.replay.recordings import WORDS


def test_the_file_is_what_its_generator_writes() -> None:
    assert FILE.read_text(encoding="utf-8") == text()
    assert FILE.stat().st_size < 150_000


def test_it_has_96_steps_and_long_outputs() -> None:
    example = example_recording(WORDS)
    History.check(example.messages)
    assert (len(example.steps), example.left_out, example.repaired) == (96, 0, ())
    assert all(entry.at for entry in example.entries)
    assert sorted(entry.at for entry in example.entries) == [one.at for one in example.entries]
    longest = max(len(message.text) for message in example.messages if message.role == "tool")
    assert 30_000 < longest < 50_000
    goal = example.goal
    assert goal is not None
    assert "Never change the database schema" in goal.text


def test_logs_are_the_same_each_time() -> None:
    assert example_log("tree", 40) == example_log("tree", 40)
    assert len(example_log("test", 100).splitlines()) == 102
    assert example_log("nothing", 9) == ""
