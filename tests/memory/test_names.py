"""Names in texts and in tool calls (NAMES 4.1)."""

import json
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.memory.name_calls import SHORT, Work, names_in_call
from app.memory.name_commands import command_of
from app.memory.names import SCANNED, Found, Name, NameKind, is_symbol, names_in, sample


def names(text: str, kind: NameKind, root: str = "", programs: tuple[str, ...] = ()) -> list[str]:
    """The names of a kind, in order."""
    found = names_in(text, root=root, programs=programs)
    return [one.name.text for one in found if one.name.kind == kind]


def defined(text: str) -> set[str]:
    return {one.name.text for one in names_in(text) if one.defined}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        # English prose
        ("Please look at src/app.py and README.md.", ["src/app.py", "README.md"]),
        ("(see docs/guide.md, section 3)", ["docs/guide.md"]),
        ("`tests/test_app.py`: 'conf/base.yaml'", ["tests/test_app.py", "conf/base.yaml"]),
        ("either and/or both, 1.5 s, e.g. this", []),
        ("on 2026/11/29, 10/20/30, v1.2.3", []),
        ("a folder src/app/view", ["src/app/view"]),
        ("a folder src/app", []),
        # Logs, compilers, stack traces
        ('  File "/code/proj/app/turn.py", line 12, in run', ["/code/proj/app/turn.py"]),
        ("src/main.rs:42:7: error[E0308]: mismatched", ["src/main.rs"]),
        ("    at run (/srv/app/index.js:10:5)", ["/srv/app/index.js"]),
        ("at file:///srv/app/index.mjs:3:1", ["/srv/app/index.mjs"]),
        ("\tat com.acme.App.main(App.java:17)", ["App.java"]),
        ("goroutine 1: main.go:8 +0x1d", ["main.go"]),
        ("PASS packages/core/test/a.test.ts (5 s)", ["packages/core/test/a.test.ts"]),
        # Diffs
        ("diff --git a/app/x.py b/app/x.py", ["app/x.py"]),
        ("--- a/app/x.py\n+++ b/app/y.py", ["app/x.py", "app/y.py"]),
        (" .../session/turn.py | 12 +-", ["session/turn.py"]),
        # Shell and configuration
        ("cat ./run.sh ../up.toml ~/.haima/c.toml", ["run.sh", "../up.toml", "~/.haima/c.toml"]),
        ("ls -la /usr/local/bin", ["/usr/local/bin"]),
        ("--config=etc/app.ini", ["etc/app.ini"]),
        ("import x from '@/parts/Box.tsx'", ["@/parts/Box.tsx"]),
        ("sed s/foo/bar/ x", []),
        (".gitignore .env.local pyproject.toml", ["pyproject.toml"]),
        # Code is no file
        ("console.log(process.env, res.json())", []),
        ("self.value.other_thing np.sum(x)", []),
        ("obj.method().call", []),
        # Escapes of JSON are no letters
        (r'{"out": "a\nsrc/b.py\tsrc/c.py"}', ["src/b.py", "src/c.py"]),
        # Chinese, Japanese, Korean: no blanks around names
        ("请修改src/app.py文件，再看README.md。", ["src/app.py", "README.md"]),
        ("改动在core/turn.py和core/view.py里", ["core/turn.py", "core/view.py"]),
        ("见docs/说明.md文件", ["docs/说明.md"]),
        ("资料/图表/总览.json", ["资料/图表/总览.json"]),
        ("打开《需求说明.md》", ["需求说明.md"]),
        ("改core和src/设计.md", ["src/设计.md"]),
        ("src/テスト.rs를 본다", ["src/テスト.rs"]),
        ("API密钥和服务地址必须填在.env", []),
        # Other letters
        ("docs/größe.md и тесты/ввод.py", ["docs/größe.md", "тесты/ввод.py"]),
    ],
)
def test_paths(text: str, paths: list[str]) -> None:
    assert names(text, "path") == paths


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a/b/c.html",
        "see http://localhost:8000/api/v1/items.json.",
        "git+https://github.com/acme/thing/app.py@main",
        "文档在https://example.com/docs/guide.md，谢谢",
        "www.example.com/a/b/c.html",
        "ssh://host/srv/app/x.py",
    ],
)
def test_a_url_is_no_path(text: str) -> None:
    assert names(text, "path") == []


def test_a_path_after_a_url_is_found() -> None:
    assert names("https://a.b/c/d.py and src/e.py\nhttp://x src/f.py", "path") == [
        "src/e.py",
        "src/f.py",
    ]


def test_paths_below_the_root_are_relative() -> None:
    text = "/code/proj/app/a.py /code/proj-old/b.py /code/proj/src/x"
    assert names(text, "path", root="/code/proj") == ["app/a.py", "/code/proj-old/b.py", "src/x"]


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("call getUserName, HTTPServer, utf8Decode", ["getUserName", "HTTPServer", "utf8Decode"]),
        (
            "a PascalCase, snake_case, UPPER_SNAKE, _private_one, __slots_of__",
            ["PascalCase", "snake_case", "UPPER_SNAKE", "_private_one", "__slots_of__"],
        ),
        ("self.view_model.refreshAll()", ["view_model", "refreshAll"]),
        ("GitHub's TypeScript", ["GitHub", "TypeScript"]),
        ("Plain words, UPPER, APIs, PRs, iOS, x_y", []),
        ("调用getUserName函数，检查MAX_RETRY常量", ["getUserName", "MAX_RETRY"]),
        (
            "SELECT user_id, count(*) FROM order_items WHERE created_at > now()",
            ["user_id", "order_items", "created_at"],
        ),
        ("E1001 2026_11_29 10_000 0x1f_ff", []),
        ("KeyError: 'session_id'", ["KeyError", "session_id"]),
        ("node::FatalException(v8::Isolate*) _ZN4node5Start", ["FatalException"]),
        ("sha aGVsbG8gd29ybGQxMjM0NTY3ODkwQUJD 3f2a9Bc81Dd04E7a", []),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a sk_live_4eC39HqLyjWDarjtT1zdp7dc", []),
        ("sk-proj-Ab3dE5fG7hI9jK1lM3nO5 AKIAIOSFODNN7EXAMPLE eyJhbGciOiJIUzI1NiJ9", []),
        ("x" * 70 + "_y", []),
        ("src/user_model.py", []),  # it is a path; the symbol in it would stand there twice
    ],
)
def test_symbols(text: str, symbols: list[str]) -> None:
    assert names(text, "symbol") == symbols


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def main():\n    pass", {"main"}),
        ("async def fetch(url):", {"fetch"}),
        ("class Foo:\nclass Base(Model):", {"Base"}),  # 3 characters are no name
        ("export class Store extends Base {", {"Store"}),
        ("public class Program\n{", {"Program"}),
        ("func (s *Server) Handle(w http.ResponseWriter) {", {"Handle"}),
        ("pub fn parse<T>(x: T)", {"parse"}),
        ("function start(", {"start"}),
        ("type Point struct {", {"Point"}),
        ("interface Shape {\nenum Color {", {"Shape", "Color"}),
        ("trait Draw: Shape {", {"Draw"}),
        ("CREATE TABLE orders (\nCREATE TABLE IF NOT EXISTS items (", {"orders", "items"}),
        ("the class above and the type information", set()),
        ("a function that works; undef main(", set()),
        ("def\nmain(", set()),
    ],
)
def test_definitions(text: str, words: set[str]) -> None:
    assert defined(text) == words


def test_a_defined_symbol_of_several_words_is_counted_once_an_occurrence() -> None:
    found = names_in("def load_all():\n    load_all()\n")
    assert found == (Found(Name("symbol", "load_all"), 2, True),)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("run git status, then npm test.", ["git status", "npm test"]),
        ("go to the shop, make sure, make it so, git is here, node is", []),
        ("the git repository and a docker host", []),
        ("use `pytest` or `go` here", ["pytest"]),
        ("$ pytest -q\n$ make", ["make", "pytest"]),
        ("    uv run haima\n", ["uv run"]),
        ("`mise run lint` and `a b`", ["mise run"]),
        ("$ frob list\n$ frob all\n", ["frob list"]),
        ("make build; `make thing`", ["make build", "make thing"]),
        ("python -m pytest tests", ["python -m pytest"]),
        ("python is fine, python build.py is better", ["python build.py"]),
        ("mongo test, ergo build", []),
        ("运行npm test，再git push。", ["git push", "npm test"]),
        ("```python\nx = 1\n```", []),
        # Style classes, texts of programs and lines of code aren't commands; in prose all is.
        ("className={`w-4 h-4 text-sm`} a `flex items-center` and `btn-main text-xs`", []),
        ("`inline-flex hover:bg-red-500` or `relative flex`", []),
        ("throw new Error(`frob must be`); x = `frob made it`; y ? `frob list`", []),
        ("`const handler = 1`, `from core import x`, `package main`", []),
        (
            "(`frob list`), **`frob tidy`** or: `frob rm-all x`",
            ["frob list", "frob tidy", "frob rm-all"],
        ),
    ],
)
def test_commands(text: str, commands: list[str]) -> None:
    assert names(text, "command") == commands


def test_what_was_run_makes_two_words_a_command() -> None:
    assert names("then terraform plan works", "command") == []
    assert names("then terraform plan works", "command", programs=("terraform",)) == [
        "terraform plan"
    ]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("npm test -- --watch", "npm test"),
        ("cd app && FOO=1 python -m pytest -q", "python -m pytest"),
        ("set -e\nmake build", "make build"),
        ("sudo timeout 60 git push", "git push"),
        ("ls -la", "ls"),
        ("./gradlew build", "./gradlew build"),
        ("cat src/app.py | head", "cat"),
        ("for f in *; do echo $f; done", None),
        ("cd /tmp", None),
        ("", None),
        ("$(x)", None),
        ("\0\ud800", None),
    ],
)
def test_the_command_of_a_line(command: str, named: str | None) -> None:
    assert command_of(command) == named


@pytest.mark.parametrize(
    ("tool", "arguments", "work"),
    [
        ("list_dir", {"path": "src"}, "list"),
        ("glob", {"pattern": "*.py"}, "list"),
        ("search_files", {"pattern": "x"}, "grep"),
        ("read_file", {"path": "a.py"}, "read"),
        ("Read", {"file_path": "a.py"}, "read"),
        ("edit_file", {"path": "a.py"}, "edit"),
        ("str_replace_editor", {"command": "view"}, "edit"),
        ("execute_command", {"command": "pytest -q"}, "shell"),
        ("execute_command", {"command": "cd x && rg -n foo"}, "grep"),
        ("Bash", {"command": "cat a.py"}, "read"),
        ("exec", {"command": ["bash", "-lc", "ls -la"]}, "list"),
        ("web_search", {"query": "x"}, "other"),
        ("read_history", {"query": "x"}, "other"),
        ("坏 名字", {}, "other"),
    ],
)
def test_what_a_call_does(tool: str, arguments: dict[str, object], work: Work) -> None:
    assert names_in_call(tool, json.dumps(arguments)).work == work


def test_arguments_that_name_and_arguments_that_hold() -> None:
    content = "import order_items\n" * 40
    assert len(content) > SHORT
    call = names_in_call(
        "write_file", json.dumps({"content": content, "path": "src/makeOrder.py", "why": "a_b_c"})
    )
    assert {found.name.text for found in call.named} == {"src/makeOrder.py", "a_b_c"}
    assert call.held == (Found(Name("symbol", "order_items"), 40),)


def test_a_path_argument_needs_no_extension() -> None:
    call = names_in_call("list_dir", '{"path": "/code/p/src/app"}', root="/code/p")
    assert call.named == (Found(Name("path", "src/app")),)
    assert names_in_call("list_dir", '{"path": "."}').named == ()
    call = names_in_call("read", '{"path": "core/message.py (lines 18-30)"}')
    assert [found.name.text for found in call.named] == ["core/message.py"]


def test_a_script_after_a_command_is_only_held() -> None:
    command = "python - <<'EOF'\nload_all()\nEOF"
    call = names_in_call("execute_command", json.dumps({"command": command}))
    assert [found.name.text for found in call.named] == ["python"]
    assert [found.name.text for found in call.held] == ["load_all"]
    assert call.program == "python"


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n" + "+order_items\n" * 60
    call = names_in_call("apply_patch", json.dumps({"input": patch}))
    assert [found.name.text for found in call.named] == ["src/a.py"]
    assert [found.name.text for found in call.held] == ["order_items"]


@pytest.mark.parametrize(
    "arguments",
    ["", "null", "[]", '{"path": "a', "[" * 100_000, "\ud800"],
    ids=["empty", "null", "list", "cut", "deep", "half"],
)
def test_broken_arguments_are_read_as_text(arguments: str) -> None:
    call = names_in_call("read_file", arguments + " src/a.py")
    assert [found.name.text for found in (*call.named, *call.held)] == ["src/a.py"]


def test_deep_and_wide_arguments_are_bounded() -> None:
    deep: object = "src/deep.py"
    for _ in range(50):
        deep = {"x": deep}
    wide = [f"src/file{n}.py" for n in range(5_000)]
    call = names_in_call("t", json.dumps({"deep": deep, "wide": wide, "z": {"y": "src/flat.py"}}))
    found = {one.name.text for one in call.named}
    assert "src/deep.py" not in found
    assert {"src/file0.py", "src/file100.py"} <= found
    assert len(found) <= 200


def test_a_long_text_is_sampled() -> None:
    """Its beginning, its end, and pieces between; whole lines."""
    lines = [f"src/module_{n:06d}.py" for n in range(100_000)]
    text = "\n".join(lines)
    read = sample(text, SCANNED)
    assert len(read) <= SCANNED
    found = set(names(text, "path"))
    assert found <= set(lines)
    assert {lines[0], lines[1_000], lines[-1]} <= found
    middle = [line for line in found if "src/module_03" < line < "src/module_07"]
    assert len(middle) > 300
    assert sample(text, len(text)) is text


@pytest.mark.parametrize(
    "text",
    ["x" * 200_000, "\n" * 200_000, "a_b " * 50_000],
    ids=["line", "lines", "words"],
)
def test_a_sample_is_never_longer_than_allowed(text: str) -> None:
    for limit in (0, 1, 15, 16, 100, 999, 1_000, 60_000):
        assert len(sample(text, limit)) <= limit


@pytest.mark.parametrize(
    "text",
    ["x" * 2_000_000, "a/" * 500_000, "\0" * 1_000_000, "\ud800" * 1_000_000, "`" * 1_000_000],
    ids=["line", "slashes", "NUL", "halves", "backticks"],
)
def test_hostile_text_names_nothing(text: str) -> None:
    assert names_in(text, limit=len(text)) == ()


def test_control_characters_end_a_name() -> None:
    assert names("src/a.py\0src/b.py\x1b[0msrc/c.py\ud83dsrc/d.py", "path") == [
        "src/a.py",
        "src/b.py",
        "0msrc/c.py",
        "src/d.py",
    ]


PIECES = st.sampled_from(
    [
        "src/app.py", "/code/p/x.go", "getUser", "snake_case", "def main(", "git status", "npm",
        "`", "$ ", "    ", " ", "/", ".", "-", "://", "https://a.b/c.py", "文件", "说明.md", "a/",
        "diff --git a/x.py b/x.py", "--- a/", "\\n", "\0", "\ud800", "class Abcd", ":", "(", '"',
    ]
)  # fmt: skip
LINES = st.lists(
    st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=20), max_size=6
).map("\n".join)  # fmt: skip


@given(st.text(st.characters(codec=None)) | LINES)
@example("://")
@example("a://")
def test_any_text_gives_names_that_stand_in_it(text: str) -> None:
    """Nothing crashes; each name once; a symbol stands in the text; the same every time."""
    found = names_in(text, root="/code/p", programs=("mise",))
    assert found == names_in(text, root="/code/p", programs=("mise",))
    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert one.count >= 1
        assert one.name.text.strip() == one.name.text != ""
        assert "\n" not in one.name.text
        if one.name.kind == "symbol":
            assert text.count(one.name.text) >= one.count
            assert is_symbol(one.name.text) or one.defined


@given(LINES, LINES)
def test_lines_put_together_hold_what_each_holds(first: str, second: str) -> None:
    def counted(text: str) -> Counter[Name]:
        return Counter({one.name: one.count for one in names_in(text)})

    assert counted(f"{first}\n{second}") == counted(first) + counted(second)


@given(st.text(max_size=5), st.text(st.characters(codec=None), max_size=80) | LINES)
def test_any_arguments_give_names(tool: str, text: str) -> None:
    for arguments in (text, json.dumps({"command": text, "path": text, "x": [text, {"y": text}]})):
        call = names_in_call(tool, arguments)
        assert {one.name for one in call.named}.isdisjoint(one.name for one in call.held)
