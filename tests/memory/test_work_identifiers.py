"""Error codes, ids, ports, variables, branches, virtual environments (FIELD 7 and 8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.work_identifiers import MOST, identifiers_in_failure, identifiers_in_words
from tests.memory.work_desk import of, ran, told

UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Error: ERR_7f3a9c02b1 while saving", ["ERR_7f3a9c02b1"]),
        ("error[E0308]: mismatched types", ["E0308"]),
        ("src/a.ts(3,5): error TS2345: Argument", ["TS2345"]),
        ("ORA-00942: table or view does not exist, error", ["ORA-00942"]),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", ["ECONNREFUSED"]),
        (f"request {UUID} failed", [UUID]),
        ("failed: HTTP 503", ["HTTP 503"]),
        ("error: status code 404", ["HTTP 404"]),
        ("error: 404 lines", []),
        ("error: exit status 128", []),
        ("error CS1002: ; expected", ["CS1002"]),
        ("SQLSTATE[42P01]: error", ["SQLSTATE 42P01"]),
        ("ERROR: EVERYTHING IS ERRORS", []),
        ("错误 ERR_db_1 找不到", ["ERR_db_1"]),
        ("no hint 404", []),
    ],
)
def test_failures(line: str, names: list[str]) -> None:
    assert [one.name for one in identifiers_in_failure(f"first\n{line}\nlast")] == names


def test_they_are_taken_from_failures_not_from_files() -> None:
    assert not of(told("read_file", path="a.py", result="raise ERR_SOMETHING_1"), "identifier")
    failed = told("read_file", path="a.py", result="Error: ERR_SOMETHING_1", ok=False)
    assert [one.name for one in of(failed, "identifier")] == ["ERR_SOMETHING_1"]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("npm run dev -- --port 8080", {":8080": "--port 8080"}),
        ("curl localhost:5173/x", {":5173": "localhost:5173"}),
        ("PORT=3000 node a.js", {"PORT": "3000", ":3000": "PORT=3000"}),
        ("docker run -p 9000:80 web", {":9000": "9000:80"}),
        ("mkdir -p 12", {}),
        ("export NODE_ENV=production", {"NODE_ENV": ""}),
        ("export VIRTUAL_ENV=/opt/v", {"VIRTUAL_ENV": "/opt/v", "/opt/v": "venv"}),
        ("export API_KEY=/not/shown", {"API_KEY": ""}),
        ("export DB_URL=postgres://u:geheim@h/x", {"DB_URL": ""}),
        ("git checkout -b feat/login", {"feat/login": "branch"}),
        ("git switch -c fix-1", {"fix-1": "branch"}),
        ("git switch main", {"main": "branch"}),
        ("git push -u origin feat/x", {"feat/x": "branch"}),
        ("git switch origin/main", {"main": "branch"}),
        ("git branch HEAD~2", {}),
        ("git checkout -- a.py", {}),
        ("number=3; tmp=$(mktemp)", {}),
        ("/home/mei/devenv/bin/python x.py", {}),
        ("python3 -m venv .venv", {".venv": "venv"}),
        ("source ./env/bin/activate", {"env": "venv"}),
        ("uv venv", {".venv": "venv"}),
        ("/home/lin/proj/.venv/bin/python -m pytest", {".venv": "venv"}),
        ("/usr/bin/python a.py", {}),
    ],
)
def test_commands(command: str, found: dict[str, str]) -> None:
    assert {one.name: one.detail for one in of(ran(command), "identifier")} == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use port 5432.", {":5432": ""}),
        ("端口是8081，别改", {":8081": ""}),
        ("set PORT=9000 first", {"PORT": "9000", ":9000": "PORT=9000"}),
        ("work on branch feature/login please", {"feature/login": "branch"}),
        ("在分支 fix/登录-1 上", {"fix/登录-1": "branch"}),
        ("the venv is at /opt/tools/venv", {"/opt/tools/venv": "venv"}),
        ("虚拟环境在 /srv/py311", {"/srv/py311": "venv"}),
        ("Why ERR_CONNECTION_RESET?", {"ERR_CONNECTION_RESET": ""}),
        (f"Look at {UUID}", {UUID: ""}),
        ("see /home/mei/devenv/notes", {}),
        ("I have 3 ports and 100 files", {}),
        ("MY_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123", {"MY_TOKEN": ""}),
    ],
)
def test_the_users_words(text: str, found: dict[str, str]) -> None:
    assert {one.name: one.detail for one in identifiers_in_words(text)} == found


def test_bounded() -> None:
    text = "\n".join(f"error ERR_number_{number}" for number in range(100))
    assert len(identifiers_in_failure(text)) <= MOST
    assert not identifiers_in_words("ERR_" + "x" * 300)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    identifiers_in_words(text)
    identifiers_in_failure(text)
