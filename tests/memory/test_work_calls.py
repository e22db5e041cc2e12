"""What calls of any tool do to files: Haima's and those of others."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.messages import ToolCall
from app.conversation.work import Stamp
from app.memory.worklog import Worklog
from tests.memory.work_desk import AT, ROOT, Session, files, names, of, told

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def load(x):
-    return 1
+    return 2
*** Add File: src/new.py
+def fresh():
+    pass
*** Delete File: src/old.py
*** Update File: src/m.py
*** Move to: src/n.py
@@
-a = 1
+a = 2
*** End Patch
"""
PATCHED = [
    ("src/a.py", "edited"),
    ("src/new.py", "created"),
    ("src/old.py", "deleted"),
    ("src/m.py", "deleted"),
    ("src/n.py", "renamed"),
]
DIFF = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def load(x):
-    return 1
+    return 2
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git a/was.py b/is.py
rename from was.py
rename to is.py
"""


@pytest.mark.parametrize(
    ("tool", "values", "did"),
    [
        # Haima
        ("read_file", {"path": "./a.py", "offset": 10, "limit": 50}, ("a.py", "read", "10–59")),
        ("write_file", {"path": "a.py", "content": "x"}, ("a.py", "created", "")),
        ("edit_file", {"path": "a.py", "old": "x", "new": "y"}, ("a.py", "edited", "")),
        ("list_dir", {"path": "src"}, ("src", "searched", "")),
        ("search_files", {"pattern": "x y", "path": "src"}, ("src", "searched", "x y")),
        # Claude Code
        ("Read", {"file_path": f"{ROOT}/a.py"}, ("a.py", "read", "")),
        ("Read", {"file_path": "a.py", "offset": 5, "limit": 5}, ("a.py", "read", "5–9")),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "x", "new_string": "y"},
            ("a.py", "edited", ""),
        ),
        (
            "MultiEdit",
            {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}]},
            ("a.py", "edited", ""),
        ),
        ("Write", {"file_path": "a.py", "content": ""}, ("a.py", "created", "")),
        (
            "NotebookEdit",
            {"notebook_path": "a.ipynb", "new_source": "x"},
            ("a.ipynb", "edited", ""),
        ),
        ("Grep", {"pattern": "x", "path": "src"}, ("src", "searched", "x")),
        ("Glob", {"pattern": "**/*.py"}, (".", "searched", "**/*.py")),
        ("LS", {"path": "src"}, ("src", "searched", "")),
        # SWE-agent, OpenHands, Copilot
        (
            "str_replace_editor",
            {"command": "view", "path": "a.py", "view_range": [1, 9]},
            ("a.py", "read", "1–9"),
        ),
        (
            "str_replace_editor",
            {"command": "create", "path": "a.py", "file_text": "x"},
            ("a.py", "created", ""),
        ),
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "a.py", "old_str": "x"},
            ("a.py", "edited", ""),
        ),
        (
            "str_replace_editor",
            {"command": "insert", "path": "a.py", "insert_line": 3, "new_str": "x"},
            ("a.py", "edited", ""),
        ),
        ("str_replace", {"path": "a.py", "old_str": "x", "new_str": "y"}, ("a.py", "edited", "")),
        ("create", {"path": "a.py", "file_text": "x"}, ("a.py", "created", "")),
        ("view", {"path": "a.py"}, ("a.py", "read", "")),
        (
            "replace_string_in_file",
            {"filePath": "a.py", "oldString": "x", "newString": "y"},
            ("a.py", "edited", ""),
        ),
        ("create_file", {"filePath": "a.py", "content": "x"}, ("a.py", "created", "")),
        # pi, opencode, Gemini, Cline, Cursor, MCP
        ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}, ("a.py", "edited", "")),
        (
            "edit",
            {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]},
            ("a.py", "edited", ""),
        ),
        ("read", {"path": "a.py"}, ("a.py", "read", "")),
        ("write", {"path": "a.py", "content": "x"}, ("a.py", "created", "")),
        (
            "replace",
            {"file_path": "a.py", "old_string": "x", "new_string": "y"},
            ("a.py", "edited", ""),
        ),
        ("write_to_file", {"path": "a.py", "content": "x"}, ("a.py", "created", "")),
        (
            "replace_in_file",
            {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny"},
            ("a.py", "edited", ""),
        ),
        ("delete_file", {"target_file": "a.py"}, ("a.py", "deleted", "")),
        ("mcp__fs__read_text_file", {"path": "a.py"}, ("a.py", "read", "")),
        ("unheard_of", {"path": "a.py"}, ("a.py", "named", "")),
        ("search_files", {"path": "src", "search": "x"}, ("src", "searched", "x")),
        ("grep", {"path": "src", "pattern": "x", "replace": "y"}, ("src", "searched", "x")),
        ("view", {"path": "a.py", "start_line": 5, "end_line": -1}, ("a.py", "read", "5–")),
        ("read", {"path": "a.py", "limit": -1}, ("a.py", "read", "1–")),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a.py", "oldString": "x", "newString": "y"}]},
            ("a.py", "edited", ""),
        ),
    ],
)
def test_one_file(tool: str, values: dict[str, object], did: tuple[str, str, str]) -> None:
    touches = of(told(tool, json.dumps(values)), "file")
    assert [(one.name, one.action, one.detail) for one in touches] == [did]
    assert not of(told(tool, json.dumps(values)), "command")


@pytest.mark.parametrize(
    ("tool", "values"),
    [
        ("apply_patch", {"input": PATCH}),
        ("patch", {"patchText": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]}),
        ("exec_command", {"cmd": f"cd . && apply_patch <<'EOF'\n{PATCH}EOF\n"}),
    ],
)
def test_patches_of_codex(tool: str, values: dict[str, object]) -> None:
    work = told(tool, json.dumps(values))
    assert files(work) == PATCHED
    assert names(work, "symbol") == ["load", "fresh"]
    assert not of(work, "command")


def test_a_patch_that_is_no_object() -> None:
    assert files(told("apply_patch", PATCH)) == PATCHED


def test_a_patch_in_a_folder() -> None:
    work = told("shell", json.dumps({"command": ["apply_patch", PATCH], "workdir": f"{ROOT}/x"}))
    assert files(work)[0] == ("x/src/a.py", "edited")


def test_a_diff_that_git_applies() -> None:
    work = told("bash", json.dumps({"command": f"git apply <<'E'\n{DIFF}E"}))
    assert files(work) == [
        ("src/a.py", "edited"),
        ("gone.py", "deleted"),
        ("was.py", "deleted"),
        ("is.py", "renamed"),
    ]
    assert names(work, "symbol") == ["load"]


def test_several_files() -> None:
    work = told("read_multiple_files", paths=["a.py", "./b.py"])
    assert files(work) == [("a.py", "read"), ("b.py", "read")]
    moved = told("move_file", source="a.py", destination="b.py")
    assert files(moved) == [("a.py", "deleted"), ("b.py", "renamed")]


def test_what_asks_the_session_itself_is_no_search() -> None:
    assert not told("read_history", query="work: changed").touches


def test_a_database_is_told_sql() -> None:
    for tool, key in (("mcp__db__execute_sql", "query"), ("apply_migration", "query")):
        work = told(tool, json.dumps({"name": "x", key: "ALTER TABLE orders ADD COLUMN note text"}))
        assert names(work, "table") == ["orders", "orders.note"]
        assert not of(work, "file")


def test_a_failure_names_files_where_it_ran() -> None:
    session = Session()
    session.call("read_file", path="pkg/src/a.py")
    text = (
        "exit code: 1\nerror: src/a.py: x\nerror in src/b.py\nFAIL github.com/x/y/cmd\n"
        "error ../src/c.js\nerror id.MustBe\nerror " + "x" * 380 + " src/deep/part.py\n"
    )
    work = session.run("cd pkg && make", text, ok=False)
    assert names(work, "file") == ["pkg/src/a.py", "pkg/src/b.py"]
    assert names(session.run("make", "exit code: 1\nerror: pkg/src/a.py", ok=False), "file") == [
        "pkg/src/a.py"
    ]


def test_what_failed_later_is_looked_at() -> None:
    there = {"a.py": Stamp(0, -1), "b.py": Stamp(5, 7)}
    work = told(
        "execute_command",
        result="exit code: 1",
        ok=False,
        stamp=there.get,
        command="make && rm a.py b.py && git push",
    )
    assert files(work) == [("a.py", "deleted")]
    # It didn't come to that: what isn't there may never have been.
    never = told(
        "execute_command",
        result="exit code: 1\nsh: 1: cd: can't cd to x",
        ok=False,
        stamp={"x/a.py": Stamp(0, -1)}.get,
        command="cd x && rm a.py && git push",
    )
    assert files(never) == []


def test_edits_of_the_open_file_of_swe_agent() -> None:
    shown = "[File: /home/lin/proj/q.py (10 lines total)]\n1:x"
    assert files(told("edit", result=shown, search="a", replace="b")) == [("q.py", "edited")]
    work = told("bash", result=shown, command="edit 3:5\ndef secret(): pass\nend_of_edit")
    assert files(work) == [("q.py", "edited")]
    assert not of(work, "command")
    assert files(told("bash", command="open src/a.py 10")) == [("src/a.py", "read")]
    made = told("bash", command="str_replace_editor create /home/lin/proj/z.py --file_text 'x = 1'")
    assert files(made) == [("z.py", "created")]
    assert not of(made, "command")


def test_written_again_is_edited() -> None:
    session = Session()
    session.call("read_file", path="a.py")
    assert files(session.call("write_file", path="./a.py", content="")) == [("a.py", "edited")]
    new = session.call("write_file", path="b.py", content="", result="Created b.py: 1 line.")
    assert files(new) == [("b.py", "created")]
    replaced = session.call("write_file", path="c.py", content="", result="Replaced c.py: it now…")
    assert files(replaced) == [("c.py", "edited")]
    session.run("rm b.py")
    assert files(session.call("write_file", path="b.py", content="")) == [("b.py", "created")]


def test_a_failed_attempt_is_kept_as_failed() -> None:
    work = told("edit_file", path="a.py", old="x", new="def y(): pass", ok=False, result="No such")
    assert [(one.name, one.action, one.ok) for one in of(work, "file")] == [
        ("a.py", "edited", False)
    ]
    assert not of(work, "symbol")


def test_files_are_looked_at() -> None:
    there = {"a.py": Stamp(5, 7), "b.py": Stamp(0, -1), "c.py": Stamp(9, 1)}
    asked: list[str] = []

    def stamp(name: str) -> Stamp | None:
        asked.append(name)
        return there.get(name)

    log = Worklog(ROOT)
    command = "touch a.py b.py && rm c.py && cat a.py && rm d.py"
    work = told("execute_command", log=log, stamp=stamp, command=command)
    assert [(one.name, one.ok, one.stamp) for one in of(work, "file")] == [
        ("a.py", True, Stamp(5, 7)),
        ("b.py", False, Stamp(0, -1)),
        ("c.py", False, Stamp(9, 1)),
        ("d.py", True, None),
    ]
    assert asked == ["a.py", "b.py", "c.py", "d.py"]
    asked.clear()
    told("read_file", log=log, stamp=stamp, path="a.py")
    assert not asked


def test_a_changed_file_that_is_read_whole_is_known_again() -> None:
    """Somebody else changed it since: that matters no longer, also after a compaction."""
    there = {"a.py": Stamp(1, 1), "b.py": Stamp(1, 1)}
    log = Worklog(ROOT)

    def then(tool: str, **values: object) -> list[Stamp | None]:
        log.apply(told(tool, json.dumps(values), log=log, stamp=there.get), at=AT)
        return [one.stamp for name in there if (one := log.entity("file", name)) is not None]

    then("write_file", path="a.py", content="x")
    there["a.py"] = Stamp(2, 2)
    assert then("read_file", path="a.py", offset=1, limit=9) == [Stamp(1, 1)], "not all of it"
    assert then("execute_command", command="cat a.py | head -1") == [Stamp(1, 1)]
    assert then("read_file", path="./a.py") == [Stamp(2, 2)]
    there["a.py"] = Stamp(0, -1)
    assert then("read_file", path="a.py") == [Stamp(2, 2)], "it went meanwhile"
    assert then("read_file", path="b.py") == [Stamp(2, 2), None], "it never changed that"


def test_a_searched_symbol() -> None:
    assert names(told("Grep", pattern="load_all", path="src"), "symbol") == ["load_all"]
    assert names(told("bash", command="rg -n 'def load' src"), "symbol") == ["load"]
    assert names(told("Grep", pattern="a sentence", path="src"), "symbol") == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["path", "command", "edits", "paths", "content", "old", "new", "input"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(["edit_file", "bash", "Read", "move", "delete", "grep", "x", "apply_patch"]),
    JSON,
    st.text(max_size=80),
    st.booleans(),
)
def test_no_call_breaks_it(tool: str, values: object, text: str, ok: bool) -> None:
    log = Worklog(ROOT)
    for arguments in (json.dumps(values), str(values)):
        work = log.of_result(ToolCall("c", tool, arguments), text, ok=ok)
        log.apply(work, at="2026-11-30T09:00:00Z")
