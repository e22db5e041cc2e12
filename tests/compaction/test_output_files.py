"""Files of results: always new, always inside the project, whole or not there."""

import multiprocessing
import os
import resource
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compaction import output_files
from app.compaction.output_files import LinkedFolder, OutputFiles, file_name
from app.storage import StorageError
from app.text import LANGUAGES, Words

CHAIN = "0123456789ab"
FOLDER = f".haima/tool-outputs/{CHAIN}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    return root


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def everything(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_files_are_numbered_private_and_exact(root: Path) -> None:
    files = OutputFiles(root, CHAIN)
    raw = b"one\r\ntwo\0\x1b[31m\xff\xed\xa0\x80"
    assert files.write("read_file", raw) == f"{FOLDER}/001-read_file.txt"
    assert files.write("execute_command", b"") == f"{FOLDER}/002-execute_command.txt"
    assert (root / FOLDER / "001-read_file.txt").read_bytes() == raw
    assert mode(root / FOLDER / "001-read_file.txt") == 0o600
    for folder in (".haima", ".haima/tool-outputs", FOLDER):
        assert mode(root / folder) == 0o700


def test_numbering_goes_on_where_another_left_off(root: Path) -> None:
    OutputFiles(root, CHAIN).write("a", b"1")
    (root / FOLDER / "0999-x.txt").write_text("")
    (root / FOLDER / "12-no-number.txt").write_text("")
    (root / FOLDER / "notes.txt").write_text("")
    assert OutputFiles(root, CHAIN).write("a", b"2") == f"{FOLDER}/1000-a.txt"
    files = OutputFiles(root, CHAIN)
    files.remove(files.write("a", b"3"))
    assert files.write("a", b"4").endswith("/1002-a.txt")  # a number isn't used twice
    assert OutputFiles(root, "another").write("a", b"5").endswith("another/001-a.txt")


def test_git_does_not_see_them(root: Path) -> None:
    OutputFiles(root, CHAIN).write("a", b"1")
    assert (root / ".haima/tool-outputs/.gitignore").read_bytes() == b"*\n"
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    status = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=root, check=True, capture_output=True
    )
    assert status.stdout == b""


@pytest.mark.parametrize("content", [b"", b"!001-a.txt\n"])
def test_what_the_user_wrote_there_stays(root: Path, content: bytes) -> None:
    folder = root / ".haima/tool-outputs"
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_bytes(content)
    (root / ".haima").chmod(0o755)
    OutputFiles(root, CHAIN).write("a", b"1")
    assert (folder / ".gitignore").read_bytes() == content
    assert mode(root / ".haima") == 0o755


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("/etc/passwd", "_etc_passwd"),
        ("a\\..\\b", "a_.._b"),
        ("nul\0\n\x1b", "nul___"),
        ("海马", "__"),
        ("", "tool"),
        ("mcp.x:y", "mcp.x_y"),
        ("n" * 500, "n" * 60),
        ("..", ".."),
    ],
)
def test_a_tool_s_name_leads_nowhere(root: Path, tool: str, name: str) -> None:
    assert OutputFiles(root, CHAIN).write(tool, b"x") == f"{FOLDER}/001-{name}.txt"
    assert [path.name for path in (root / FOLDER).iterdir()] == [f"001-{name}.txt"]
    assert [path.name for path in root.iterdir()] == [".haima"]


@given(st.text(st.characters(codec=None)))
def test_any_name_is_a_name(tool: str) -> None:
    name = file_name(tool)
    assert 0 < len(name) <= 60
    assert not set(name) & set("/\\\0\n")


@pytest.mark.parametrize("chain", ["", "..", "a/b", "../x", ".hidden", "x" * 65])
def test_a_chain_is_an_id(root: Path, chain: str) -> None:
    with pytest.raises(ValueError, match="chain"):
        OutputFiles(root, chain)


@pytest.mark.parametrize("place", [".haima", ".haima/tool-outputs", FOLDER])
@pytest.mark.parametrize("inside", [True, False])
def test_a_link_in_place_of_a_folder_is_refused(
    root: Path, tmp_path: Path, place: str, inside: bool
) -> None:
    target = root / "elsewhere" if inside else tmp_path / "elsewhere"
    target.mkdir()
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).symlink_to(target)
    with pytest.raises(LinkedFolder) as caught:
        OutputFiles(root, CHAIN).write("a", b"secret")
    assert caught.value.path == root / place
    assert all(place in caught.value.sentence(Words(language)) for language in LANGUAGES)
    assert list(target.iterdir()) == []


def test_a_link_to_nothing_is_refused(root: Path, tmp_path: Path) -> None:
    (root / ".haima").symlink_to(tmp_path / "nothing")
    with pytest.raises(LinkedFolder):
        OutputFiles(root, CHAIN).write("a", b"secret")
    assert not (tmp_path / "nothing").exists()


def test_a_link_in_place_of_a_file_is_passed_by(root: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (root / FOLDER).mkdir(parents=True)
    (root / FOLDER / "001-a.txt").symlink_to(victim)
    (root / ".haima/tool-outputs/.gitignore").symlink_to(victim)
    assert OutputFiles(root, CHAIN).write("a", b"x").endswith("/002-a.txt")
    assert victim.read_text() == "mine"


def test_a_file_in_place_of_a_folder(root: Path) -> None:
    (root / ".haima").write_text("mine")
    with pytest.raises(StorageError) as caught:
        OutputFiles(root, CHAIN).write("a", b"x")
    assert not isinstance(caught.value, LinkedFolder)
    assert (root / ".haima").read_text() == "mine"


def test_a_full_disk_leaves_no_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OutputFiles(root, CHAIN).write("a", b"before")
    kept = everything(root)

    def full(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_files, "write_all", full)
    with pytest.raises(StorageError) as caught:
        OutputFiles(root, CHAIN).write("a", b"x" * 1_000)
    assert "full" in caught.value.sentence(Words("en"))
    assert everything(root) == kept


def test_a_disk_that_is_full_at_once_leaves_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_files, "write_all", full)
    with pytest.raises(StorageError):
        OutputFiles(root, CHAIN).write("a", b"x")
    assert everything(root) == [".haima", ".haima/tool-outputs"]


def _limited(root: Path, answers: "multiprocessing.Queue[str]") -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        OutputFiles(root, CHAIN).write("a", b"x" * 1_000_000)
    except StorageError as error:
        answers.put(error.sentence(Words("en")))
    else:
        answers.put("written")


def test_a_limit_of_the_system_leaves_no_file(root: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=_limited, args=(root, answers))
    process.start()
    answer = answers.get(timeout=60)
    process.join(60)
    assert "full" in answer
    assert list((root / FOLDER).iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(root: Path) -> None:
    root.chmod(0o500)
    try:
        with pytest.raises(StorageError) as caught:
            OutputFiles(root, CHAIN).write("a", b"x")
    finally:
        root.chmod(0o700)
    assert "writable" in caught.value.sentence(Words("en"))


@pytest.mark.parametrize("call", ["mkdir", "open"])
def test_a_folder_that_refuses(root: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    # As root the permissions themselves don't refuse.
    real = getattr(os, call)

    def refused(path: object, *more: object, dir_fd: int | None = None, **named: object) -> int:
        if dir_fd is not None:
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)  # type: ignore[no-any-return]

    monkeypatch.setattr(os, call, refused)
    with pytest.raises(StorageError) as caught:
        OutputFiles(root, CHAIN).write("a", b"x")
    assert "writable" in caught.value.sentence(Words("en"))


def _many(root: Path, letter: str, answers: "multiprocessing.Queue[list[str]]") -> None:
    files = OutputFiles(root, CHAIN)
    answers.put([files.write("same", f"{letter}{number}".encode()) for number in range(60)])


def test_two_processes_at_once_lose_nothing(root: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[list[str]] = context.Queue()
    processes = [context.Process(target=_many, args=(root, letter, answers)) for letter in "ab"]
    for process in processes:
        process.start()
    written = [answers.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)
    paths = [path for one in written for path in one]
    assert len(set(paths)) == 120
    assert sorted((root / path).read_text() for path in paths) == sorted(
        f"{letter}{number}" for letter in "ab" for number in range(60)
    )
    assert [path.name for path in sorted((root / FOLDER).iterdir())] == [
        f"{number:03}-same.txt" for number in range(1, 121)
    ]
