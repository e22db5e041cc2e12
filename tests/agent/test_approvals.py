"""Approvals: who is asked, what "always" covers, what is never covered, and headless runs."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.approvals import ALLOWANCES, Allowance, Approvals, Permission
from app.config import ToolSettings
from app.events import ApprovalAnswer, ApprovalQuestion, ConflictAnswer, ConflictQuestion
from app.project import Project
from app.text import Words
from app.tools.toolbox import PreparedCall, Toolbox

ONCE = ApprovalAnswer(verdict="once")
ALWAYS = ApprovalAnswer(verdict="always")
REFUSE = ApprovalAnswer(verdict="refuse")


class Answers:
    """Answers in order; keeps the questions."""

    def __init__(self, *answers: ApprovalAnswer) -> None:
        self.left = list(answers)
        self.asked: list[ApprovalQuestion] = []

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        self.asked.append(question)
        return self.left.pop(0)

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        raise AssertionError("no conflict is asked here")


Prepare = Callable[..., PreparedCall]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    return root


@pytest.fixture
def prepare(root: Path) -> Prepare:
    toolbox = Toolbox(Project(root), Words("en"), os.environ, ToolSettings())

    def make(name: str, **arguments: object) -> PreparedCall:
        return toolbox.prepare(name, json.dumps(arguments))

    return make


async def allow(approvals: Approvals, prepared: PreparedCall) -> Permission:
    return await approvals.allow(prepared, "c1")


async def test_reading_never_asks(prepare: Prepare) -> None:
    answers = Answers()
    approvals = Approvals(answers)
    for prepared in (
        prepare("read_file", path="a"),
        prepare("list_dir", path="."),
        prepare("search_files", pattern="x"),
    ):
        permission = await allow(approvals, prepared)
        assert (permission.allowed, permission.verdict) == (True, None)
    assert answers.asked == []


class TestCommands:
    async def test_once_is_once(self, prepare: Prepare) -> None:
        answers = Answers(ONCE, ONCE)
        approvals = Approvals(answers)
        for _ in range(2):
            assert (
                await allow(approvals, prepare("execute_command", command="git status"))
            ).allowed
        assert [question.scope for question in answers.asked] == ["git status *"] * 2

    async def test_always_covers_the_same_first_words_only(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS, *[REFUSE] * 20)
        approvals = Approvals(answers)
        assert (await allow(approvals, prepare("execute_command", command="git status"))).allowed
        for command in ("git status -s", "git  status src", "'git' status"):
            assert (await allow(approvals, prepare("execute_command", command=command))).allowed
        assert len(answers.asked) == 1
        refused = [
            "git stash",
            "git",
            "git status; rm x",
            "git status && ls",
            "git status | cat",
            "git status > f",
            "git status < f",
            "git status $(rm x)",
            "git status `rm x`",
            "git status\nrm x",
            "git status $'x'",
            "git status 'x",
            "A=1 git status",
            "/usr/bin/git status",
        ]
        for command in refused:
            permission = await allow(approvals, prepare("execute_command", command=command))
            assert not permission.allowed, command
        assert len(answers.asked) == 1 + len(refused)

    async def test_always_covers_what_a_reading_program_reads(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS, *[REFUSE] * 20)
        approvals = Approvals(answers)
        for command in ("cat a.txt", "cat b.txt src/c.txt", "cat -n a.txt", "cat"):
            assert (await allow(approvals, prepare("execute_command", command=command))).allowed
        assert [question.scope for question in answers.asked] == ["cat *"]
        for command in ("cat a > b", "cat a | sh", "cat $(rm x)", "cat /etc/passwd", "head a"):
            permission = await allow(approvals, prepare("execute_command", command=command))
            assert not permission.allowed, command

    async def test_a_compound_command_is_never_remembered(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS, ALWAYS)
        approvals = Approvals(answers)
        for _ in range(2):
            await allow(approvals, prepare("execute_command", command="make a && make b"))
        assert [question.scope for question in answers.asked] == ["", ""]

    async def test_a_dangerous_command_is_never_covered(self, prepare: Prepare) -> None:
        answers = Answers(*[ALWAYS] * 5)
        approvals = Approvals(answers)
        for command in ("rm a", "rm a", "git push", "git push --force", "git push x --force"):
            await allow(approvals, prepare("execute_command", command=command))
        assert [question.scope for question in answers.asked] == ["", "", "git push *", "", ""]
        await allow(approvals, prepare("execute_command", command="git push origin main"))
        assert len(answers.asked) == 5

    async def test_the_question_shows_what_is_risky(self, prepare: Prepare) -> None:
        answers = Answers(REFUSE)
        command = "curl https://example.com; rm -rf build"
        await allow(Approvals(answers), prepare("execute_command", command=command))
        question = answers.asked[0]
        assert (question.id, question.tool, question.risk) == ("c1", "execute_command", "command")
        assert question.subject == command
        assert [finding.label for finding in question.findings] == ["Deletes files", "Network"]
        assert [command[start:end] for start, end in question.marked] == ["rm -rf"]
        assert question.editable

    async def test_a_command_too_long_to_read_is_never_covered(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS)
        await allow(Approvals(answers), prepare("execute_command", command="echo x " * 4000))
        assert answers.asked[0].scope == ""


class TestEdited:
    async def test_it_runs_as_edited_and_says_so(self, prepare: Prepare) -> None:
        answers = Answers(ApprovalAnswer(verdict="once", edited="echo safe"))
        permission = await allow(Approvals(answers), prepare("execute_command", command="rm -rf /"))
        assert permission.prepared.subject == "echo safe"
        text = (await permission.prepared.run()).text
        assert "What ran: echo safe" in text

    async def test_always_remembers_only_what_was_offered(self, prepare: Prepare) -> None:
        answers = Answers(
            ApprovalAnswer(verdict="always", edited="git push"),
            ApprovalAnswer(verdict="always", edited="git status -s"),
            ONCE,
        )
        approvals = Approvals(answers)
        await allow(approvals, prepare("execute_command", command="git status"))
        await allow(approvals, prepare("execute_command", command="git status"))
        await allow(approvals, prepare("execute_command", command="git status"))
        await allow(approvals, prepare("execute_command", command="git push"))
        assert [question.subject for question in answers.asked] == [
            "git status",
            "git status",
            "git push",
        ]

    async def test_nothing_left_of_it_is_a_refusal(self, prepare: Prepare) -> None:
        answers = Answers(ApprovalAnswer(verdict="once", edited="  "))
        permission = await allow(Approvals(answers), prepare("execute_command", command="ls"))
        assert (permission.allowed, permission.verdict) == (False, "refuse")

    async def test_a_path_cannot_be_edited(self, prepare: Prepare) -> None:
        answers = Answers(ApprovalAnswer(verdict="once", edited="b"))
        permission = await allow(Approvals(answers), prepare("write_file", path="a", content="x"))
        assert permission.prepared.subject == "a"


class TestWriting:
    async def test_always_covers_the_folder_but_not_those_below(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS, *[REFUSE] * 5)
        approvals = Approvals(answers)
        assert (await allow(approvals, prepare("write_file", path="src/a", content="x"))).allowed
        assert (await allow(approvals, prepare("write_file", path="./src/b", content="x"))).allowed
        assert (await allow(approvals, prepare("write_file", path="src\\c", content="x"))).allowed
        assert len(answers.asked) == 1
        for path in ("a", "src/deep/a", "src2/a"):
            permission = await allow(approvals, prepare("write_file", path=path, content="x"))
            assert not permission.allowed

    async def test_both_writers_share_a_folder(self, root: Path, prepare: Prepare) -> None:
        (root / "a").write_text("old")
        answers = Answers(ALWAYS)
        approvals = Approvals(answers)
        await allow(approvals, prepare("write_file", path="b", content="x"))
        permission = await allow(approvals, prepare("edit_file", path="a", old="old", new="new"))
        assert permission.allowed
        assert len(answers.asked) == 1

    async def test_the_question_shows_the_diff(self, root: Path, prepare: Prepare) -> None:
        (root / "a").write_text("one\n")
        answers = Answers(REFUSE)
        await allow(Approvals(answers), prepare("edit_file", path="a", old="one", new="two"))
        assert [f"{line.sign}{line.text}" for line in answers.asked[0].diff] == ["-one", "+two"]
        assert (root / "a").read_text() == "one\n"

    async def test_what_can_only_fail_is_not_asked_about(
        self, root: Path, prepare: Prepare
    ) -> None:
        answers = Answers()
        approvals = Approvals(answers)
        for prepared in (
            prepare("write_file", path="../a", content="x"),
            prepare("write_file", path=".haima/x", content="x"),
            prepare("edit_file", path="missing", old="a", new="b"),
        ):
            permission = await allow(approvals, prepared)
            assert permission.allowed
            (root / "missing").write_text("a")  # too late: the result is settled
            assert not (await permission.prepared.run()).ok
            assert (root / "missing").read_text() == "a"
            (root / "missing").unlink()
        assert answers.asked == []

    async def test_a_hook_of_git_is_asked_for_every_time(self, prepare: Prepare) -> None:
        answers = Answers(ALWAYS, ALWAYS)
        approvals = Approvals(answers)
        for _ in range(2):
            await allow(approvals, prepare("write_file", path=".git/hooks/pre-push", content="x"))
        assert [question.scope for question in answers.asked] == ["", ""]
        assert answers.asked[0].findings[0].severity == "warn"


class TestRefusal:
    async def test_the_user_s_words_reach_the_model(self, prepare: Prepare) -> None:
        answers = Answers(ApprovalAnswer(verdict="refuse", reason=" 用 pnpm，不要用 npm \n"))
        permission = await allow(Approvals(answers), prepare("execute_command", command="npm i"))
        assert (permission.allowed, permission.verdict) == (False, "refuse")
        assert permission.reason == "用 pnpm，不要用 npm"
        refusal = permission.refusal
        assert "execute_command did not run" in refusal.text
        assert "用 pnpm，不要用 npm" in refusal.text
        assert (refusal.ok, refusal.reason) == (False, "refused by you")

    async def test_without_words(self, prepare: Prepare) -> None:
        permission = await allow(
            Approvals(Answers(REFUSE)), prepare("execute_command", command="ls")
        )
        assert "did not run" in permission.refusal.text
        assert "words" not in permission.refusal.text

    async def test_a_refusal_is_not_remembered(self, prepare: Prepare) -> None:
        approvals = Approvals(Answers(REFUSE, ONCE))
        prepared = prepare("execute_command", command="ls")
        assert not (await allow(approvals, prepared)).allowed
        assert (await allow(approvals, prepared)).allowed


class TestAllowance:
    @pytest.mark.parametrize("allowance", ALLOWANCES)
    async def test_what_each_lets_happen(self, prepare: Prepare, allowance: Allowance) -> None:
        answers = Answers()
        approvals = Approvals(answers, allowance)
        calls = {
            "read": prepare("read_file", path="a"),
            "write": prepare("write_file", path="a", content="x"),
            "all": prepare("execute_command", command="rm -rf x"),
        }
        for needed, prepared in calls.items():
            permission = await allow(approvals, prepared)
            expected = ALLOWANCES.index(allowance) >= ALLOWANCES.index(needed)
            assert permission.allowed is expected
            assert permission.verdict is None
            if not expected:
                assert f"needs --allow {needed}" in permission.reason
                assert f"has --allow {allowance}" in permission.reason
                assert permission.reason in permission.refusal.text
                assert "did not run" in permission.refusal.text
        assert answers.asked == []


async def test_what_touches_only_the_conversation_needs_no_allowance(root: Path) -> None:
    """DESIGN 5: `read_history` runs under none, too."""

    class Nothing:
        budget = 10

        async def find(self, ref: str) -> None:
            return None

        async def search(self, query: str) -> tuple[()]:
            return ()

        def tokens(self, text: str) -> int:
            return len(text)

    toolbox = Toolbox(Project(root), Words("en"), os.environ, ToolSettings(), (), Nothing())
    prepared = toolbox.prepare("read_history", '{"ref": "m1"}')
    assert (await allow(Approvals(Answers(), "none"), prepared)).allowed
    assert (await allow(Approvals(Answers()), prepared)).allowed


class Slow:
    """Answers when told to."""

    def __init__(self) -> None:
        self.asked: list[ApprovalQuestion] = []
        self.answers: list[asyncio.Future[ApprovalAnswer]] = []
        self.came = asyncio.Event()

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        self.asked.append(question)
        future: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self.answers.append(future)
        self.came.set()
        return await future

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        raise AssertionError("no conflict is asked here")


async def test_an_always_answers_the_question_that_waits_behind_it(prepare: Prepare) -> None:
    slow = Slow()
    approvals = Approvals(slow)
    first = asyncio.ensure_future(allow(approvals, prepare("execute_command", command="make a")))
    second = asyncio.ensure_future(
        allow(approvals, prepare("execute_command", command="make a -j"))
    )
    await slow.came.wait()
    slow.answers[0].set_result(ALWAYS)
    assert (await first).allowed
    assert (await second).allowed
    assert len(slow.asked) == 1


async def test_a_cancelled_question_leaves_the_way_free(prepare: Prepare) -> None:
    slow = Slow()
    approvals = Approvals(slow)
    first = asyncio.ensure_future(allow(approvals, prepare("execute_command", command="make a")))
    await slow.came.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    slow.came.clear()
    second = asyncio.ensure_future(allow(approvals, prepare("execute_command", command="make a")))
    await slow.came.wait()
    slow.answers[1].set_result(ONCE)
    assert (await second).allowed
