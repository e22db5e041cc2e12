"""`execute_command`, with real processes: output, time limit, and that nothing outlives it."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from app.config import ToolSettings
from app.project import Project
from app.text import Words
from app.tools import process, shell
from app.tools.base import COMMAND_LIMIT, Preview, ToolOutput
from app.tools.toolbox import Toolbox
from tests.tools.conftest import KEY, Call, pids


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be buried doesn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def descriptors() -> int:
    """How many are open."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_output_and_exit_code(call: Call) -> None:
    output = await call("execute_command", command="echo 你好; pwd; exit 0")
    lines = output.text.split("\n")
    assert lines[:2] == ["exit code: 0", "你好"]
    assert lines[2].endswith("/work")
    assert (output.ok, output.reason) == (True, "")
    assert output.raw is not None
    assert output.raw.startswith("你好\n".encode())
    assert output.size == len(output.raw.decode())


async def test_a_failure_names_its_most_telling_line(call: Call) -> None:
    output = await call(
        "execute_command", command="echo compiling; echo 'src/a.c:1: error: oops'; echo bye; exit 3"
    )
    assert not output.ok
    assert output.text.startswith("exit code: 3\ncompiling\n")
    assert output.reason == "exit 3 · src/a.c:1: error: oops"
    assert (await call("execute_command", command="false")).reason == "exit 1"
    assert "[no output]" in (await call("execute_command", command="false")).text


async def test_of_a_python_traceback_what_was_raised_is_told(call: Call) -> None:
    script = "def f():\n    raise ValueError('五折之后')\nf()\n"
    output = await call("execute_command", command=f"python3 - <<'E'\n{script}E")
    assert output.reason == "exit 1 · ValueError: 五折之后"


async def test_both_streams_keep_their_order(call: Call) -> None:
    command = "for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done"
    text = (await call("execute_command", command=command)).text
    expected = [f"{stream}{n}" for n in range(1, 6) for stream in ("out", "err")]
    assert text.split("\n")[1:11] == expected


async def test_there_is_nothing_to_read(call: Call) -> None:
    assert (await call("execute_command", command="cat; read x; echo $?")).text.endswith("1\n")


async def test_bash_where_there_is_bash(call: Call) -> None:
    assert "yes" in (await call("execute_command", command="[[ a == a ]] && echo yes")).text


async def test_sh_where_there_is_no_bash(project: Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    environ = {"PATH": str(tmp_path / "bin")}
    toolbox = Toolbox(project, Words("en"), environ, ToolSettings())
    prepared = toolbox.prepare("execute_command", '{"command": "echo \\"from ${0##*/}\\""}')
    assert "from sh" in (await prepared.run()).text


async def test_bytes_that_are_no_text(call: Call) -> None:
    output = await call("execute_command", command=r"printf 'a\xff\x00\x1b[31mb\r\nc\rd\n'")
    assert output.text == "exit code: 0\na\\xff\\x00\\x1b[31mb\nc\\x0dd\n"
    assert output.raw == b"a\xff\x00\x1b[31mb\r\nc\rd\n"


async def test_a_signal_is_named(call: Call) -> None:
    output = await call("execute_command", command="kill -SEGV $$")
    assert output.text.startswith("exit code: 139 (killed by SIGSEGV)")
    assert not output.ok


async def test_what_cannot_be_started(call: Call) -> None:
    for command in ("a\0b", "x" * 3_000_000):
        output = await call("execute_command", command=command)
        assert not output.ok
        assert output.reason


class TestLimit:
    async def test_exactly_the_limit_stays(self, call: Call) -> None:
        output = await call(
            "execute_command", command=f"head -c {COMMAND_LIMIT} /dev/zero | tr '\\0' x"
        )
        assert output.text == "exit code: 0\n" + "x" * COMMAND_LIMIT

    async def test_more_is_cut_head_and_tail(self, call: Call) -> None:
        output = await call("execute_command", command="seq 1 100000")
        assert output.text.startswith("exit code: 0\n1\n2\n")
        assert output.text.endswith("\n99999\n100000\n")
        assert "left out here: lines" in output.text
        assert len(output.text) < COMMAND_LIMIT + 400
        assert output.raw is not None
        assert output.size == len(output.raw) == 588_895

    async def test_endless_output_is_stopped(
        self, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shell, "MOST_BYTES", 1_000_000)
        output = await call("execute_command", command="yes", timeout=60)
        assert not output.ok
        assert "64 MB" in output.text.split("\n")[0]
        assert output.raw is not None
        assert len(output.raw) == 1_000_000

    async def test_output_is_read_while_it_runs(self, call: Call) -> None:
        output = await call("execute_command", command="head -c 3000000 /dev/zero; echo; echo end")
        assert output.text.endswith("end\n")
        assert output.size == 3_000_005


class TestTime:
    async def test_the_limit_stops_all_and_keeps_the_output(self, root: Path, call: Call) -> None:
        command = "echo first; (sleep 300 & echo $! >> pids; sleep 300 & echo $! >> pids; wait)"
        output = await call("execute_command", command=command, timeout=1)
        assert output.text.startswith("exit code: none, stopped at the time limit of 1 seconds")
        assert output.text.endswith("first\n")
        assert "1 s" in output.reason
        assert not any(map(alive, await pids(root / "pids", 2)))

    async def test_who_ignores_the_signal_is_killed(
        self, root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(process, "GRACE", 0.1)
        command = "trap '' TERM; echo $$ > pids; while :; do sleep 0.05; done"
        await call("execute_command", command=command, timeout=1)
        assert not alive((await pids(root / "pids", 1))[0])

    @pytest.mark.parametrize(
        ("setting", "asked", "limit"),
        [(120, None, 120), (7, None, 7), (7, 30, 30), (120, 9999, 600)],
    )
    async def test_which_limit_holds(
        self,
        project: Project,
        monkeypatch: pytest.MonkeyPatch,
        setting: int,
        asked: int | None,
        limit: int,
    ) -> None:
        seen: list[float] = []

        async def run(*_: object, limit: float, **__: object) -> process.Ended:
            seen.append(limit)
            return process.Ended(0)

        monkeypatch.setattr(shell, "run_process", run)
        settings = ToolSettings(command_timeout=setting)
        toolbox = Toolbox(project, Words("en"), os.environ, settings)
        timeout = "" if asked is None else f', "timeout": "{asked}"'
        await toolbox.prepare("execute_command", f'{{"command": "x"{timeout}}}').run()
        assert seen == [limit]


class TestNothingOutlives:
    async def test_a_cancel_ends_grandchildren(self, root: Path, call: Call) -> None:
        command = (
            "echo $$ >> pids; sh -c 'echo $$ >> pids; sleep 300 & echo $! >> pids; wait' & "
            "sleep 300 & echo $! >> pids; wait"
        )
        task = asyncio.ensure_future(call("execute_command", command=command))
        started = await pids(root / "pids", 4)
        assert all(map(alive, started))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not any(map(alive, started))

    async def test_a_second_cancel_still_ends_them(self, root: Path, call: Call) -> None:
        command = "trap '' TERM; echo $$ > pids; while :; do sleep 0.05; done"
        task = asyncio.ensure_future(call("execute_command", command=command))
        started = await pids(root / "pids", 1)
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60):
            while alive(started[0]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def test_a_background_process_doesn_t_hang_the_call(self, root: Path, call: Call) -> None:
        output = await call("execute_command", command="sleep 300 & echo $! > pids; echo done")
        assert output.ok
        assert output.text.startswith("exit code: 0\n[It left processes running")
        assert output.text.endswith("done\n")
        assert not alive((await pids(root / "pids", 1))[0])

    async def test_nor_one_that_lets_go_of_the_pipe(self, root: Path, call: Call) -> None:
        command = "sleep 300 > /dev/null 2>&1 & echo $! > pids"
        assert "[It left" in (await call("execute_command", command=command)).text
        assert not alive((await pids(root / "pids", 1))[0])

    async def test_a_background_process_that_is_over_is_no_matter(self, call: Call) -> None:
        output = await call("execute_command", command="(sleep 0 &) ; sleep 0.1; echo done")
        assert output.text == "exit code: 0\ndone\n"

    async def test_what_still_writes_its_last_line_is_waited_for(
        self, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(process, "DRAIN", 10)  # however busy the machine is
        monkeypatch.setattr(process, "_LAST_MOMENTS", 10)
        output = await call("execute_command", command="echo late > >(sleep 0.05; cat)")
        assert output.text == "exit code: 0\nlate\n"

    async def test_a_chatty_one_in_the_background_is_ended(self, call: Call) -> None:
        output = await call("execute_command", command="yes > /dev/null & yes & echo done")
        assert "[It left" in output.text

    async def test_no_descriptor_and_no_thread_is_left(self, call: Call) -> None:
        await call("execute_command", command="true")
        before = descriptors()
        for _ in range(5):
            await call("execute_command", command="true")
            task = asyncio.ensure_future(call("execute_command", command="sleep 300"))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert descriptors() == before


class TestCredentials:
    async def test_the_environment_has_none(self, project: Project) -> None:
        environ = {
            "PATH": os.environ["PATH"],
            "OPENAI_API_KEY": "sk-another-0123456789",
            "HAIMA_MODEL__API_KEY": "sk-third-0123456789",
            "HAIMA_MODEL__AUXILIARY__API_KEY": "x",
            "DEEPSEEK_API_KEY": KEY,
            "OTHER_TOKEN": "the user's own",
            "HAIMA_LANG": "zh",
        }
        toolbox = Toolbox(project, Words("en"), environ, ToolSettings(), (KEY,))
        text = (await toolbox.prepare("execute_command", '{"command": "env"}').run()).text
        assert "API_KEY" not in text
        assert "OTHER_TOKEN=the user's own" in text
        assert "HAIMA_LANG=zh" in text

    async def test_output_that_names_one_is_masked(self, root: Path, call: Call) -> None:
        (root / "keys").write_text(f"key={KEY}!\n")
        output = await call("execute_command", command="cat keys; cat keys >&2; exit 1")
        assert output.text == "exit code: 1\nkey=‹key›!\nkey=‹key›!\n"
        assert output.raw == "key=‹key›!\n".encode() * 2
        assert KEY not in output.reason

    async def test_a_placeholder_is_no_credential(self, project: Project) -> None:
        toolbox = Toolbox(
            project, Words("en"), {**os.environ, "X": "not-needed"}, ToolSettings(), ("not-needed",)
        )
        prepared = toolbox.prepare("execute_command", '{"command": "echo $X is not-needed"}')
        assert "not-needed is not-needed" in (await prepared.run()).text


class TestEdited:
    async def test_what_ran_is_told(self, toolbox: Toolbox) -> None:
        prepared = toolbox.prepare("execute_command", '{"command": "rm -rf /", "timeout": 5}')
        edited = prepared.with_subject("echo safe")
        assert edited.subject == "echo safe"
        assert edited.arguments == {"command": "echo safe", "timeout": 5}
        text = (await edited.run()).text
        assert text.split("\n")[0] == "exit code: 0"
        assert "What ran: echo safe" in text.split("\n")[1]
        assert text.endswith("\nsafe\n")

    async def test_the_same_text_is_no_change(self, toolbox: Toolbox) -> None:
        prepared = toolbox.prepare("execute_command", '{"command": "echo x"}')
        assert prepared.with_subject("echo x") is prepared


async def test_chinese_words(project: Project) -> None:
    toolbox = Toolbox(project, Words("zh"), os.environ, ToolSettings())
    text = (await toolbox.prepare("execute_command", '{"command": "exit 2"}').run()).text
    assert text == "退出码：2\n[没有输出]"


async def test_the_preview_marks_what_is_dangerous(toolbox: Toolbox) -> None:
    command = "rm -rf target/ && ./mvnw -q clean verify \\\n  -pl order-core -am"
    prepared = toolbox.prepare("execute_command", json.dumps({"command": command}))
    preview = await prepared.preview()
    assert isinstance(preview, Preview)
    assert [command[start:end] for start, end in preview.marked] == ["rm -rf"]
    assert [(finding.label, finding.text, finding.severity) for finding in preview.findings] == [
        ("Deletes files", "rm -rf target/", "warn"),
        ("May download", "./mvnw -q clean verify \\ -pl order-core -am", "info"),
    ]
    question = prepared.question("c1", preview)
    assert (question.subject, question.scope, question.editable) == (command, "", True)


async def test_a_command_that_cannot_run_is_not_asked_about(toolbox: Toolbox) -> None:
    prepared = toolbox.prepare("execute_command", '{"command": "a\\u0000b"}')
    assert isinstance(await prepared.preview(), ToolOutput)
