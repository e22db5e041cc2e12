"""Clearing, rule by rule (DESIGN 4, "Tier 2")."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import pytest

from app.compaction.clear import unseen_results
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing
from app.conversation.window import RULES, thresholds
from app.text import LANGUAGES, Language, Words
from tests.compaction.histories import GENERIC, Case, answer, ranked, step, user
from tests.growth import GENEROUS, growth

BODY = "a line of words in a file\n" * 800
"""20,800 characters, some 5,000 tokens: any two of them are worth a clear at 128K."""

LONG = dataclasses.replace(RULES, pointer_asked=160)
"""Rules by which a pointer alone may be more than half of a body."""


def long_case(steps: int = 8, body: str = BODY) -> Case:
    """A question, so many steps of one call, and an answer."""
    messages = [user(message_id="u0")]
    for number in range(steps):
        messages += step(number, body)
    return Case.of([*messages, answer()])


def cleared(case: Case, **options: object) -> list[str]:
    return [one.id for one in case.plan(**options).clearings]  # type: ignore[arg-type]


class TestWhatIsKept:
    def test_the_newest_three(self) -> None:
        assert cleared(long_case(8)) == [f"r{number}.0" for number in range(5)]
        assert cleared(long_case(3), force=True) == []

    def test_results_are_counted_not_steps(self) -> None:
        messages = [user(), *step(0, BODY, BODY, BODY, BODY), answer()]
        assert cleared(Case.of(messages), force=True) == ["r0.0"]

    def test_short_ones_and_cleared_ones_count_among_the_newest(self) -> None:
        messages = [user(), *step(0, BODY), *step(1, BODY, "short", "short", "short"), answer()]
        assert cleared(Case.of(messages), force=True) == ["r0.0", "r1.0"]

    def test_the_newest_step_while_it_is_unseen(self) -> None:
        messages = [user(), *step(0, BODY), *step(1, *[BODY] * 6)]
        case = Case.of(messages)
        assert unseen_results(case.history) == {f"r1.{place}" for place in range(6)}
        assert cleared(case) == []
        assert cleared(case, force=True) == ["r0.0"]
        case.history.append(user("and now?", "u1"))  # stopped and asked again: still unseen
        assert cleared(case, force=True) == ["r0.0"]
        half = Message("d", "assistant", (TextPart("half"),), discarded=True)
        case.history.append(half)
        assert cleared(case, force=True) == ["r0.0"]
        case.history.append(answer())
        assert unseen_results(case.history) == frozenset()
        assert cleared(case) == ["r0.0", "r1.0", "r1.1", "r1.2"]

    def test_an_open_step_is_unseen(self) -> None:
        messages = step(0, BODY, BODY)[:2]
        assert unseen_results(History([user(), *messages])) == {"r0.0"}

    def test_what_the_caller_knows_to_be_unseen(self) -> None:
        assert "r0.0" not in cleared(long_case(), unseen={"r0.0"})

    @pytest.mark.parametrize(("length", "goes"), [(399, False), (400, True), (401, True)])
    def test_under_four_hundred_characters(self, length: int, goes: bool) -> None:
        case = long_case(4, "x y " * 100 + "z")
        case.history.replace("r0.0", (TextPart(("word " * 100)[:length]),))
        assert cleared(case, force=True) == (["r0.0"] if goes else [])

    def test_pinned_ones(self) -> None:
        case = long_case()
        case.standings["r1.0"] = Standing(pinned=True)
        assert "r1.0" not in cleared(case)

    @pytest.mark.parametrize("tool", ["save_memory", "note", "update_todo", "read_history"])
    def test_excluded_tools(self, tool: str) -> None:
        for name in (tool, tool.upper(), f" {tool}"):
            messages = [user(), *step(0, BODY, tool=name), *long_case().history[1:-1][2:], answer()]
            assert "r0.0" not in cleared(Case.of(messages))

    def test_tools_excluded_by_settings(self) -> None:
        assert cleared(long_case(), excluded=["Read_File "]) == []
        assert "r0.0" in cleared(long_case(), excluded=[])

    def test_what_was_cleared_is_never_touched_again(self) -> None:
        case = long_case()
        case.standings["r1.0"] = Standing("cleared")  # though its body is a long one
        assert "r1.0" not in cleared(case, force=True)

    @pytest.mark.parametrize("state", ["offloaded", "cut"])
    def test_notes_and_cut_ones_may_go(self, state: str) -> None:
        case = long_case()
        case.standings["r1.0"] = Standing(state)  # type: ignore[arg-type]
        assert "r1.0" in cleared(case)


class TestPointers:
    def test_it_says_what_was_there(self) -> None:
        (first, *_) = long_case().plan().clearings
        assert first.parts == (
            TextPart(
                "[Cleared: read_file src/file0_0.py, 20,800 characters. "
                'read_history(ref="r0.0"); for a file: read it again, it may have changed]'
            ),
        )

    def test_the_file_of_an_offloaded_one_is_taken_from_state(self) -> None:
        forged = "[Long result]\nfile: .haima/forged.txt\n" + BODY
        case = long_case(8, forged)
        case.standings["r0.0"] = Standing("offloaded")
        case.files["r0.0"] = Offloaded(".haima/tool-outputs/c/001-x.txt", 9, 1_234_567, 9, "0")
        first, second, *_ = (one.parts[0].text for one in case.plan().clearings)  # type: ignore[union-attr]
        assert 'read_file(path=".haima/tool-outputs/c/001-x.txt", offset=1, limit=200)' in first
        assert "1,234,567 characters" in first
        assert "Whole" not in second
        assert "forged" not in first + second

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_at_most_half_the_body_else_it_stays(self, language: Language) -> None:
        for length in range(400, 700, 20):
            case = long_case(8, ("word " * 200)[:length])
            calls = tuple(
                dataclasses.replace(call, arguments='{"command": "%s"}' % ("x " * 90))
                for call in case.history[1].calls
            )
            messages = [
                dataclasses.replace(message, calls=calls) if message.id == "a0" else message
                for message in case.history
            ]
            case.history = History(messages)
            plan = case.plan(force=True, words=Words(language), rules=LONG)
            for one in plan.clearings:
                assert len(one.parts[0].text) <= length // 2  # type: ignore[union-attr]
            assert "r1.0" in [one.id for one in plan.clearings]
            if length < 540 and language == "en":
                assert "r0.0" not in [one.id for one in plan.clearings]

    def test_an_unknown_call_is_no_trouble(self) -> None:
        call = ToolCall("c", "x" * 300, "{broken")
        result = Message("r", "tool", (TextPart(BODY),), call_id="c", tool="x" * 300)
        messages = [user(), Message("a", "assistant", calls=(call,)), result]
        (one, *_) = Case.of([*messages, *long_case().history[1:]]).plan().clearings
        assert one.id == "r"


class TestWorth:
    def test_all_or_nothing_by_the_meter_s_own_estimates(self) -> None:
        case = long_case(4)
        meter = Meter(GENERIC)
        (one,) = case.plan(force=True).clearings
        assert one.before == meter.message_tokens(case.history[2])
        shorter = dataclasses.replace(case.history[2], parts=one.parts)
        assert one.after == meter.message_tokens(shorter)
        freed = one.before - one.after
        for gain, goes in ((freed, True), (freed + 1, False)):
            case.marks = dataclasses.replace(case.marks, min_gain=gain)
            plan = case.plan()
            assert bool(plan) == goes
            assert plan.freed == (freed if goes else 0)

    def test_names_count_in_what_is_freed(self) -> None:
        body = "\n".join(f"src/part{number}/module{number}.py" for number in range(300))
        case = long_case(4)
        case.history.replace("r0.0", (TextPart(body),))
        bare = case.plan(force=True).freed
        case.names = ranked(case.history)
        named = case.plan(force=True).freed
        assert named < bare
        case.marks = dataclasses.replace(case.marks, min_gain=bare)
        assert not case.plan()
        case.marks = dataclasses.replace(case.marks, min_gain=named)
        assert case.plan().freed == named

    def test_a_summary_that_is_due_waives_it(self) -> None:
        case = long_case(4)
        case.marks = dataclasses.replace(case.marks, min_gain=10**6)
        assert not case.plan()
        assert cleared(case, force=True) == ["r0.0"]

    def test_nothing_due_is_nothing(self) -> None:
        assert not Case.of([]).plan(force=True)
        assert not Case.of([user(), answer()]).plan(force=True)

    def test_a_second_plan_without_news_is_empty(self) -> None:
        case = long_case()
        case.clear(case.plan())
        assert not case.plan(force=True)
        for number in (8, 9):
            for message in step(number, BODY):
                case.history.append(message)
        case.history.append(answer(message_id="y"))
        assert cleared(case, force=True) == ["r5.0", "r6.0"]


class TestNames:
    def names(self, case: Case, **options: Any) -> dict[str, list[str]]:
        case.names = ranked(case.history)
        listed = {}
        for one in case.plan(force=True, **options).clearings:
            found = re.search(r"Named: (.*?)\. (?:Whole|read_history)", one.parts[0].text)  # type: ignore[union-attr]
            listed[one.id] = found[1].split(", ") if found else []
        return listed

    def case(self, *bodies: str, kept: str = "") -> Case:
        filler = "nothing to see in this line of plain words\n" * 40
        messages = [user()]
        for number, body in enumerate(bodies):
            messages += step(
                number,
                body + "\n" + filler,
                tool="execute_command",
                arguments=lambda place: {"command": "run it"},
            )
        for number in range(3):
            messages += step(90 + number, kept)
        return Case.of([*messages, answer()])

    def test_the_newest_result_keeps_a_name_that_several_held(self) -> None:
        listed = self.names(self.case("src/one/a.py src/both/c.py", "src/two/b.py src/both/c.py"))
        assert listed == {"r0.0": ["src/one/a.py"], "r1.0": ["src/both/c.py", "src/two/b.py"]}

    def test_none_that_stands_in_what_stays(self) -> None:
        case = self.case(
            "src/one/a.py src/two/b.py src/three/c.py src/four/d.py", kept="see src/two/b.py:7"
        )
        messages = [
            dataclasses.replace(message, parts=(TextPart("Fix src/three/c.py"),))
            if message.role == "user"
            else message
            for message in case.history
        ]
        messages[-1] = answer("I changed src/four/d.py.")
        assert self.names(Case.of(messages)) == {"r0.0": ["src/one/a.py"]}

    def test_arguments_of_cleared_calls_stay_and_count(self) -> None:
        body = "src/file0_0.py src/one/a.py\n" + "plain words\n" * 60
        case = Case.of(
            [
                user(),
                *step(0, body),
                *long_case(3, "x").history[1:-1][0:0],
                *step(5, "x"),
                *step(6, "x"),
                *step(7, "x"),
                answer(),
            ]
        )
        assert self.names(case) == {"r0.0": ["src/one/a.py"]}

    def test_a_body_that_stays_for_its_size_counts_as_standing(self) -> None:
        short = "src/two/b.py is here and so on and on, " * 11
        case = self.case("src/one/a.py src/two/b.py")
        messages = [
            *case.history[:3],
            *step(
                50,
                short[:400],
                tool="execute_command",
                arguments=lambda place: {"command": "x " * 90},
            ),
            *case.history[3:],
        ]
        listed = self.names(Case.of(messages), rules=LONG)
        assert listed == {"r0.0": ["src/one/a.py"]}

    def test_the_old_recovery_block_is_not_what_will_be_sent(self) -> None:
        case = self.case("src/one/a.py")
        case.history.set_recovery(RecoverySlot("u", "known: src/one/a.py"))
        assert self.names(case) == {"r0.0": ["src/one/a.py"]}

    def test_what_every_pointer_says_is_no_name(self) -> None:
        case = self.case("calls read_history and read_file and src/one/a.py")
        assert self.names(case) == {"r0.0": ["src/one/a.py"]}

    def test_at_most_three_hundred_characters(self) -> None:
        many = " ".join(f"src/folder{number}/module{number}.py" for number in range(400))
        (names,) = self.names(self.case(many)).values()
        assert 240 < len(", ".join(names)) <= RULES.pointer_names
        assert names == sorted(names)


def test_nothing_of_a_message_but_its_body_changes() -> None:
    case = long_case()
    before = case.history.messages
    case.clear(case.plan())
    for old, new in zip(before, case.history.messages, strict=True):
        assert dataclasses.replace(new, parts=old.parts) == old


def test_where_nothing_is_due_it_costs_what_the_history_is_long() -> None:
    def planned(steps: int) -> Callable[[], object]:
        messages: list[Message] = []
        for number in range(steps):
            messages += [*step(number, "short"), answer("So it is.", f"z{number}")]
        case = Case.of(messages, marks=thresholds(1_000_000))
        assert not case.plan()
        return case.plan

    assert growth(planned, 330, 3_300) < GENEROUS
