"""What the agent's next calls need: paths, symbols and commands that stood before (REPLAY)."""

import json

import pytest

from app.replay.references import forms_of, identifiers, references
from tests.replay.recordings import call, recording


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("read_file", {"path": "src/app.py"}, {("path", "src/app.py")}),
        ("Read", {"file_path": "/p/src/app.py", "limit": 3}, {("path", "/p/src/app.py")}),
        ("Bash", {"command": "cd /p && npm test -- --run"}, {("command", "npm test")}),
        (
            "shell",
            {"command": ["bash", "-lc", "grep -rn load_table src/io/reader.py | head"]},
            {("command", "grep"), ("path", "src/io/reader.py"), ("symbol", "load_table")},
        ),
        (
            "exec_command",
            {"cmd": "git status", "workdir": "/p/deep/er"},
            {("command", "git status")},
        ),
        ("Grep", {"pattern": "parseHeader|todo", "path": "lib"}, {("symbol", "parseHeader")}),
        (
            "Edit",
            {"file_path": "a/b.py", "old_string": "def total_sum(x):\n    other_name = 1"},
            {("path", "a/b.py"), ("symbol", "total_sum")},
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: a/b.py\n@@ def load_all\n-x\n+y\n"},
            {("path", "a/b.py"), ("symbol", "load_all")},
        ),
        (
            "write_file",
            {"path": "n.md", "content": "see src/other.py and some_name"},
            {("path", "n.md")},
        ),
        ("Bash", {"command": "cat <<'E'\nsrc/inside.py\nE\n"}, {("command", "cat")}),
        ("str_replace_editor", {"command": "view", "path": "/p/x.py"}, {("path", "/p/x.py")}),
        ("read_file", {"path": 7}, set()),
    ],
)
def test_what_arguments_name(
    tool: str, arguments: dict[str, object], expected: set[tuple[str, str]]
) -> None:
    found = {(one.kind, one.forms[0]) for one in identifiers(call(tool, **arguments), "/p")}
    command = {one for one in found if one[0] == "command"}
    assert found - command == {one for one in expected if one[0] != "command"}
    assert {one[1].split()[0] for one in command} == {
        one[1].split()[0] for one in expected if one[0] == "command"
    }


def test_a_path_counts_by_its_tail_of_two_components() -> None:
    forms = forms_of("/srv/ana/proj/app/core/io.py", "/srv/ana/proj")
    assert "app/core/io.py" in forms
    assert "core/io.py" in forms
    assert "io.py" not in forms
    assert forms_of("core/io.py") == ("core/io.py",)
    assert "pom.xml" in forms_of("/srv/ana/proj/pom.xml", "/srv/ana/proj")


@pytest.mark.parametrize(
    ("written", "again"),
    [
        (r"C:\Users\ana\proj\src\io\app.py", r"C:\Users\ana\proj\src\io\app.py"),
        (r"C:\Users\ana\proj\src\io\app.py", r"src\io\app.py"),
        (r"C:\Users\ana\proj\src\io\app.py", "src/io/app.py"),
        ("src/io/app.py", r"D:\work\src\io\app.py"),
        ("/p/文档/说明.md", "文档/说明.md"),
    ],
)
def test_a_path_is_found_however_its_machine_or_json_spells_it(written: str, again: str) -> None:
    """In arguments a backslash is doubled, and what isn't ASCII may be escaped."""
    for text in (written, json.dumps({"path": written}), json.dumps([written], ensure_ascii=False)):
        told = recording([("user", text), ("read_file", {"path": again}, "x")])
        (needed,) = references(told.messages, r"C:\Users\ana\proj")
        assert [one.identifier.kind for one in needed] == ["path"], text


def test_only_what_stood_before_is_needed_and_how_long_ago() -> None:
    between = [("say", f"step {number}") for number in range(31)]
    told = recording(
        [
            ("user", "Fix src/app.py."),
            ("read_file", {"path": "src/app.py"}, "import src/seen.py\n"),
            ("read_file", {"path": "src/new.py"}, "x"),
            *between,
            ("read_file", {"path": "src/seen.py"}, "y"),
            ("read_file", {"path": "src/app.py"}, "z"),
        ]
    )
    needed = references(told.messages, told.root)
    assert len(needed) == len(told.steps)
    first, second, *_, third, fourth = needed
    assert [(one.identifier.forms[0], one.far, one.touched) for one in first] == [
        ("src/app.py", False, True)
    ]
    assert second == ()
    assert [(one.identifier.forms[0], one.far, one.touched) for one in third] == [
        ("src/seen.py", True, False)
    ], "it stood in a result alone"
    assert [(one.far, one.touched) for one in fourth] == [(True, True)]
