"""The wall of repetitions: counted over steps that follow each other."""

from app.agent.repeats import Repeats


def test_the_same_call_and_result_are_counted_over_steps() -> None:
    repeats = Repeats()
    counts = []
    for _ in range(5):
        repeats.next_step()
        counts.append(repeats.count("read_file", '{"path":"a"}', "text"))
    assert counts == [1, 2, 3, 4, 5]


def test_spaces_and_order_of_arguments_make_no_difference() -> None:
    repeats = Repeats()
    repeats.next_step()
    repeats.count("t", '{"a":1,"b":2}', "r")
    repeats.next_step()
    assert repeats.count("t", '{ "b": 2, "a": 1 }', "r") == 2


def test_another_result_other_arguments_or_another_tool_start_anew() -> None:
    for tool, arguments, result in (("t", "{}", "new"), ("t", '{"a":1}', "r"), ("u", "{}", "r")):
        repeats = Repeats()
        repeats.next_step()
        repeats.count("t", "{}", "r")
        repeats.next_step()
        assert repeats.count(tool, arguments, result) == 1


def test_a_step_without_the_call_starts_it_anew() -> None:
    repeats = Repeats()
    for _ in range(2):
        repeats.next_step()
        repeats.count("t", "{}", "r")
    repeats.next_step()
    repeats.count("other", "{}", "r")
    repeats.next_step()
    assert repeats.count("t", "{}", "r") == 1


def test_a_repeated_pair_of_calls_is_a_wall_too() -> None:
    repeats = Repeats()
    for step in range(1, 4):
        repeats.next_step()
        assert repeats.count("a", "{}", "r") == step
        assert repeats.count("b", "{}", "r") == step


def test_the_same_call_within_one_step_counts_each_time() -> None:
    repeats = Repeats()
    repeats.next_step()
    assert [repeats.count("t", "{}", "r") for _ in range(3)] == [1, 2, 3]


def test_broken_arguments_are_compared_as_they_are() -> None:
    repeats = Repeats()
    repeats.next_step()
    repeats.count("t", '{"a":', "r")
    repeats.next_step()
    assert repeats.count("t", '{"a":', "r") == 2
    assert repeats.count("t", '{"b":', "r") == 1
