"""`search_files`: ripgrep and the fallback find the same, by the same rules."""

import asyncio
import os
import shutil
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.config import ToolSettings
from app.project import Project
from app.text import Words
from app.tools import search as search_module
from app.tools import search_fallback
from app.tools.search import SearchFiles, SearchFilesArguments
from app.tools.toolbox import Toolbox, find_ripgrep
from tests.tools.conftest import KEY, Call, pids

RG = find_ripgrep(os.environ)
needs_ripgrep = pytest.mark.skipif(RG is None, reason="no ripgrep for this machine")


def tree(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


SAMPLE: dict[str, str | bytes] = {
    ".git/HEAD": "needle in git\n",
    ".git/info/exclude": "excluded.txt\n",
    ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\n",
    ".haima/tool-outputs/c/001.txt": "needle in state\n",
    ".env": "needle=1\n",
    ".github/ci.yml": "- needle\n",
    ".ignore": "kept.txt\n",
    "excluded.txt": "needle\n",
    "kept.txt": "needle\n",
    "a.log": "needle\n",
    "keep.log": "needle\n",
    "build/out.txt": "needle\n",
    "build/x.log": "needle\n",
    "top.txt": "needle\n",
    "deep/top.txt": "needle\n",
    "src/a.py": "import needle\n\n\ndef f():\n    return needle(needle)\n",
    "src/b.ts": "const needle = 1;\n",
    "src/deep/c.tsx": "needle",
    "src/.gitignore": "local.py\n",
    "src/local.py": "needle\n",
    "资料/说明.md": "这里有一根 needle 针\n第二行\n",
    "crlf.txt": b"needle\r\nother\r\nend needle\r\n",
    "bom.txt": b"\xef\xbb\xbfneedle\n",
    "utf16.txt": "needle 16\n".encode("utf-16"),
    "latin.txt": b"caf\xe9 needle \xff\n",
    "binary.bin": b"needle\n\0\n",
    "late-binary.bin": b"needle\n" + b"x" * 200_000 + b"\0",
    "long.txt": "a" * 500 + "needle" + "b" * 500 + "\n",
    "lib/.git/HEAD": "",
    "lib/x.log": "needle in a repository of its own\n",
    "lib/y.txt": "needle\n",
    "-dash.txt": "needle\n",
    "sp ace.txt": "needle\n",
}


@pytest.fixture
def sample(root: Path) -> Path:
    tree(root, SAMPLE)
    (root / "link.txt").symlink_to("src/a.py")
    (root / "loop").symlink_to(".")
    return root


def searcher(root: Path, ripgrep: Path | None) -> SearchFiles:
    toolbox = Toolbox(Project(root), Words("en"), os.environ, ToolSettings(), (KEY,))
    implementation = toolbox.prepare("search_files", '{"pattern": "x"}').implementation
    return SearchFiles(replace(implementation.context, ripgrep=ripgrep))


async def both(root: Path, pattern: str, path: str = "", glob: str = "") -> str:
    """The result, the same from both programs."""
    arguments = SearchFilesArguments(pattern=pattern, path=path or None, glob=glob or None)
    fallback = await searcher(root, None).run(arguments)
    if RG is not None:
        assert (await searcher(root, RG).run(arguments)) == fallback
    return fallback.text


async def test_ignored_and_binary_files_are_left_out(sample: Path) -> None:
    text = await both(sample, "needle")
    assert text.split("\n") == [
        "-dash.txt:1: needle",
        ".env:1: needle=1",
        ".github/ci.yml:1: - needle",
        "bom.txt:1: needle",
        "crlf.txt:1: needle",
        "crlf.txt:3: end needle",
        "deep/top.txt:1: needle",
        "keep.log:1: needle",
        "kept.txt:1: needle",
        "latin.txt:1: caf\\xe9 needle \\xff",
        "lib/x.log:1: needle in a repository of its own",
        "lib/y.txt:1: needle",
        "long.txt:1: …" + "a" * 100 + "needle" + "b" * 192 + "…",
        "sp ace.txt:1: needle",
        "src/a.py:1: import needle",
        "src/a.py:5:     return needle(needle)",
        "src/b.ts:1: const needle = 1;",
        "src/deep/c.tsx:1: needle",
        "utf16.txt:1: needle 16",
        "资料/说明.md:1: 这里有一根 needle 针",
    ]


@pytest.mark.parametrize(
    ("pattern", "path", "glob"),
    [
        ("needle", "src", ""),
        ("needle", "src/deep/../a.py", ""),
        ("needle", "资料", "*.md"),
        ("needle", "", "*.py"),
        ("needle", "", "*.log"),
        ("needle", "", "src/**/*.{ts,tsx}"),
        ("needle", "src", "deep/*.tsx"),
        ("needle", "", "!*.py"),
        ("needle", "", "src/"),
        ("needle", "", "[ab]*.txt"),
        ("needle", "build", ""),
        ("needle", "build/out.txt", ""),
        ("needle", "binary.bin", ""),
        ("needle", "a.log", "*.py"),
        ("needle", "lib", ""),
        ("needle", "deep", ""),
        ("^needle$", "", ""),
        ("needle$", "crlf.txt", ""),
        ("(?i)NEEDLE", "", ""),
        (r"\bneedle\(", "", ""),
        ("一根|第二", "", ""),
        (r"\w+行", "", ""),
        (r"(?<=import )needle", "", ""),
        (r"(n)e\w+\1", "", ""),
        (r"^\s*$", "", ""),
        ("nothing like it", "", ""),
        ("-dash", "", ""),
        ("--files", "", ""),
    ],
)
async def test_both_find_the_same(sample: Path, pattern: str, path: str, glob: str) -> None:
    await both(sample, pattern, path, glob)


async def test_an_ignored_folder_can_be_searched_by_name(sample: Path) -> None:
    text = await both(sample, "needle", "build")
    assert text == "build/out.txt:1: needle\nbuild/x.log:1: needle"


async def test_rules_hold_without_git_and_stop_at_the_project(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("seen.txt\ny\n")
    root = tmp_path / "p"
    tree(
        root,
        {
            ".gitignore": "x\n",
            "x": "needle",
            "seen.txt": "needle",
            "d/x": "needle",
            "d/y": "needle",
        },
    )
    assert await both(root, "needle") == "d/y:1: needle\nseen.txt:1: needle"
    assert await both(root, "needle", "d") == "d/y:1: needle"


async def test_rules_above_a_project_in_a_repository_count(tmp_path: Path) -> None:
    tree(tmp_path / "mono", {".git/HEAD": "", ".gitignore": "gen/\n"})
    root = tmp_path / "mono" / "a"
    tree(root, {"gen/x": "needle", "src/gen/y": "needle", "src/z": "needle"})
    assert await both(root, "needle") == "src/z:1: needle"
    assert await both(root, "needle", "src") == "src/z:1: needle"


@needs_ripgrep
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120, deadline=None
)
@given(
    files=st.sets(
        st.lists(st.sampled_from(["a", "b.py", "c.log", "d", "针"]), min_size=1, max_size=4).map(
            "/".join
        ),
        min_size=1,
        max_size=10,
    ),
    rules=st.dictionaries(
        st.sampled_from(["", "a/", "d/", "a/d/"]),
        st.lists(
            st.sampled_from(
                ["a", "*.log", "!c.log", "/d", "d/", "a/*", "!a/b.py", "**/d", "a/**", "针", "#a"]
            ),
            max_size=4,
        ),
        max_size=3,
    ),
    git=st.sampled_from([(), ("",), ("", "d/"), ("a/",)]),
    path=st.sampled_from(["", "a", "d", "a/d"]),
)
async def test_both_find_the_same_in_any_tree(
    tmp_path: Path,
    files: set[str],
    rules: dict[str, list[str]],
    git: tuple[str, ...],
    path: str,
) -> None:
    root = tmp_path / "any"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for name in sorted(files, key=len, reverse=True):
        if not (root / name).exists() and not any(
            parent.is_file() for parent in (root / name).parents
        ):
            tree(root, {name: "needle\n"})
    for folder, lines in rules.items():
        if not folder or (root / folder).is_dir():
            tree(root, {f"{folder}.gitignore": "".join(f"{line}\n" for line in lines)})
    for folder in git:
        if not folder or (root / folder).is_dir():
            tree(root, {f"{folder}.git/HEAD": "", f"{folder}.git/info/exclude": "b.py\n"})
    await both(root, "needle", path if (root / path).exists() else "")


async def test_at_most_two_hundred_hits(root: Path) -> None:
    tree(root, {"a.txt": "needle\n" * 150, "b.txt": "needle\n" * 50})
    assert (await both(root, "needle")).count("\n") == 199
    tree(root, {"c.txt": "needle\n" * 1000})
    text = await both(root, "needle")
    assert text.count("\n") == 200
    assert "b.txt:50: needle\n[only the first 200 hits" in text


async def test_long_hits_stay_within_the_limit(root: Path) -> None:
    tree(root, {"a.txt": ("needle" + "x" * 400 + "\n") * 150})
    text = await both(root, "needle")
    assert len(text) < 32_500
    assert "left out" in text


@pytest.mark.parametrize("pattern", ["foo(", "[z-a]", "*x", "(?P<a"])
async def test_a_broken_pattern_is_explained(
    sample: Path, call: Call, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ripgrep in {RG, None}:
        arguments = SearchFilesArguments(pattern=pattern)
        output = await searcher(sample, ripgrep).run(arguments)
        assert not output.ok
        assert pattern in output.text
        assert "escape" in output.text
        assert len(output.text.split("\n")) > 1


async def test_what_cannot_be_searched(sample: Path, call: Call) -> None:
    (sample.parent / "out").mkdir()
    for arguments in (
        {"pattern": "a\nb"},
        {"pattern": "x", "path": "../out"},
        {"pattern": "x", "path": ".haima"},
        {"pattern": "x", "path": ".haima/tool-outputs"},
        {"pattern": "x", "path": "missing"},
        {"pattern": "x", "glob": "{a,b"},
    ):
        output = await call("search_files", **arguments)
        assert not output.ok, arguments
        assert output.reason


async def test_the_user_s_configuration_of_ripgrep_does_not_count(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample.parent / "rc").write_text("--ignore-case\n--no-ignore\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(sample.parent / "rc"))
    assert "No hits" in await both(sample, "NEEDLE")


@needs_ripgrep
async def test_a_ripgrep_that_is_gone_or_broken_does_not_matter(sample: Path) -> None:
    arguments = SearchFilesArguments(pattern="needle", path="src")
    expected = await searcher(sample, RG).run(arguments)
    broken = sample.parent / "rg"
    for content in ("not a program", "#!/bin/sh\nkill -9 $$\n"):
        broken.write_text(content)
        broken.chmod(stat.S_IRWXU)
        assert await searcher(sample, broken).run(arguments) == expected
    assert await searcher(sample, sample / "nowhere").run(arguments) == expected


async def test_cancelling_ends_the_program(sample: Path) -> None:
    marker = sample.parent / "pid"
    slow = sample.parent / "rg"
    slow.write_text(f"#!/bin/sh\necho $$ > {marker}\nexec sleep 60\n")
    slow.chmod(stat.S_IRWXU)
    task = asyncio.ensure_future(searcher(sample, slow).run(SearchFilesArguments(pattern="needle")))
    pid = (await pids(marker, 1))[0]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_the_time_limit_gives_what_was_found(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "_LIMIT", 0.3)
    slow = sample.parent / "rg"
    begin = '{"type":"begin","data":{"path":{"text":"./src/a.py"}}}'
    match = (
        '{"type":"match","data":{"path":{"text":"./src/a.py"},"lines":{"text":"needle"},'
        '"line_number":1,"submatches":[{"start":0}]}}'
    )
    slow.write_text(f"#!/bin/sh\necho '{begin}'\necho '{match}'\nsleep 60\n")
    slow.chmod(stat.S_IRWXU)
    output = await searcher(sample, slow).run(SearchFilesArguments(pattern="needle"))
    assert output.text.startswith("src/a.py:1: needle\n[stopped after")


def test_the_fallback_stops_when_told(sample: Path) -> None:
    stop = threading.Event()
    stop.set()
    tool = searcher(sample, None)
    query = tool._query(SearchFilesArguments(pattern="needle"))
    assert not hasattr(query, "text")
    found = search_fallback.search(query, tool.context.project, stop, 30)
    assert (found.hits, found.timed_out) == ((), True)


async def test_a_credential_in_a_hit_is_replaced(root: Path, call: Call) -> None:
    (root / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    assert (await call("search_files", pattern="API_KEY")).text == ".env:1: OPENAI_API_KEY=‹key›"


async def test_ripgrep_is_found_beside_the_interpreter(tmp_path: Path) -> None:
    assert find_ripgrep({"PATH": str(tmp_path)}) == RG or RG is None
    (tmp_path / "rg").write_text("#!/bin/sh\n")
    (tmp_path / "rg").chmod(0o755)
    assert find_ripgrep({"PATH": str(tmp_path)}) is not None
