"""The fence: nothing leads out of the project, however it is spelt."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.paths import tool_outputs
from app.project import BadPath, OutsideProject, Project, ProjectError, find_project_root
from app.project.fence import OUTPUTS, STATE
from app.text import Words


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a\n")
    (tmp_path / "secret.txt").write_text("secret\n")
    return Project(root)


@pytest.mark.parametrize(
    "text",
    [
        "src/a.py",
        "./src/a.py",
        "src/../src/a.py",
        "src//a.py",
        "src\\a.py",
        ".\\src\\..\\src\\a.py",
    ],
)
def test_one_file_however_it_is_spelt(project: Project, text: str) -> None:
    assert project.resolve(text) == project.root / "src" / "a.py"


def test_an_absolute_path_inside_is_fine(project: Project) -> None:
    assert project.resolve(str(project.root / "src" / "a.py")) == project.root / "src" / "a.py"
    assert project.relative(project.resolve(str(project.root))) == "."


@pytest.mark.parametrize(
    "text",
    [
        "..",
        "../secret.txt",
        "src/../../secret.txt",
        "missing/../../secret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "/",
        "~",
        "~/x",
        "~root/x",
        "C:\\Windows\\x",
        "c:/x",
        "//etc/passwd",
    ],
)
def test_what_leads_out_is_refused(project: Project, text: str) -> None:
    with pytest.raises(OutsideProject):
        project.resolve(text)


def test_a_neighbour_with_the_same_beginning_is_outside(project: Project) -> None:
    (project.root.parent / "work2").mkdir()
    with pytest.raises(OutsideProject):
        project.resolve("../work2")


def test_links_that_lead_out_are_outside(project: Project) -> None:
    (project.root / "file-link").symlink_to(project.root.parent / "secret.txt")
    (project.root / "folder-link").symlink_to(project.root.parent)
    (project.root / "src" / "deep").symlink_to("../folder-link")
    for text in (
        "file-link",
        "folder-link",
        "folder-link/secret.txt",
        "folder-link/new/file.txt",
        "src/deep/secret.txt",
        "folder-link/../x",
    ):
        with pytest.raises(OutsideProject):
            project.resolve(text)


def test_a_dangling_link_out_is_outside(project: Project) -> None:
    (project.root / "dangling").symlink_to(project.root.parent / "not-yet")
    with pytest.raises(OutsideProject):
        project.resolve("dangling")


def test_links_inside_are_resolved(project: Project) -> None:
    (project.root / "alias").symlink_to("src")
    assert project.resolve("alias/a.py") == project.root / "src" / "a.py"
    assert project.resolve("alias/new/b.py") == project.root / "src" / "new" / "b.py"


def test_a_link_in_a_circle_is_an_error(project: Project) -> None:
    (project.root / "one").symlink_to("two")
    (project.root / "two").symlink_to("one")
    for text in ("one", "one/x"):
        with pytest.raises(ProjectError):
            project.resolve(text)


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "x" * 5000, "y" * 300, "\ud83d", "a/" * 2100])
def test_what_is_no_path_is_an_error(project: Project, text: str) -> None:
    with pytest.raises(BadPath):
        project.resolve(text)


def test_every_error_is_a_sentence_in_both_languages(project: Project) -> None:
    for text in ("", "a\0", "x" * 5000, "~", "../x", "y" * 300):
        with pytest.raises(ProjectError) as caught:
            project.resolve(text)
        assert len(caught.value.sentence(Words("en"))) > 20
        assert caught.value.sentence(Words("zh")) != caught.value.sentence(Words("en"))


@pytest.fixture(scope="module")
def tangled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    base = tmp_path_factory.mktemp("tangled")
    root = base / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "out").symlink_to(base)
    (root / "src" / "back").symlink_to(root)
    return Project(root)


@given(
    st.lists(st.sampled_from(["..", ".", "src", "work", "out", "back", "new", "中文"]), max_size=8)
)
def test_no_mixture_of_steps_leads_out(tangled: Project, steps: list[str]) -> None:
    try:
        resolved = tangled.resolve("/".join(steps) or ".")
    except ProjectError:
        return
    assert Path(os.path.realpath(tangled.root / "/".join(steps))) == resolved
    assert resolved.is_relative_to(tangled.root)


def test_the_root_is_the_same_through_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project.root)
    other = Project(tmp_path / "alias")
    assert (other.root, other.slug) == (project.root, project.slug)
    assert other.resolve(str(tmp_path / "alias" / "src")) == project.root / "src"


def test_the_slug_is_the_name_and_eight_digits(project: Project, tmp_path: Path) -> None:
    name, _, digits = project.slug.rpartition("-")
    assert name == "work"
    assert len(digits) == 8
    assert int(digits, 16) >= 0
    (tmp_path / "b" / "work").mkdir(parents=True)
    assert Project(tmp_path / "b" / "work").slug != project.slug
    assert Project(Path("/")).slug.startswith("root-")


def test_the_slug_of_a_long_name_fits_a_file_name(tmp_path: Path) -> None:
    long = tmp_path / ("海" * 80)
    long.mkdir()
    slug = Project(long).slug
    assert len(slug.encode()) <= 130
    slug.encode().decode()


def test_the_place_shows_the_home_as_a_tilde(project: Project, tmp_path: Path) -> None:
    assert project.place({"HOME": str(tmp_path)}) == "~/work"
    assert project.place({"HOME": "/"}) == str(project.root)
    assert project.place({}) == str(project.root)


def test_state_is_recognised(project: Project) -> None:
    assert project.is_state(project.resolve(".haima/config.toml"))
    assert project.is_state(project.resolve(".Haima"))
    assert project.is_state(project.resolve("src/../.haima/x"))
    assert not project.is_state(project.resolve("src/.haima/x"))
    assert not project.is_state(project.root)


def test_results_in_files_are_recognised(project: Project) -> None:
    for path in (
        ".haima/tool-outputs/c/001-x.txt",
        ".Haima/Tool-Outputs",
        ".haima\\tool-outputs\\c",
        ".haima/pastes/c/001-paste.txt",
        "./.HAIMA/../.haima/Pastes",
    ):
        assert project.is_kept(project.resolve(path))
    for path in (".", ".haima", ".haima/paste/x", "tool-outputs/x", "src/.haima/pastes/x"):
        assert not project.is_kept(project.resolve(path))
    assert tool_outputs(project.root, "c") == project.root / STATE / OUTPUTS / "c"


def test_open_reads_a_plain_file_only(project: Project) -> None:
    os.mkfifo(project.root / "pipe")
    with project.open(project.resolve("src/a.py")) as file:
        assert file.read() == b"a\n"
    for name in ("pipe", "src"):
        with pytest.raises(BadPath):
            project.open(project.resolve(name))


def test_open_notices_a_link_put_there_meanwhile(project: Project) -> None:
    file = project.resolve("src/a.py")
    folder = project.resolve("src")
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("foreign\n")
    folder.rename(project.root / "moved")
    folder.symlink_to(outside)
    with pytest.raises(OutsideProject):
        project.open(file)
    with pytest.raises(OutsideProject):
        project.check_unchanged(file)
    folder.unlink()
    folder.mkdir()
    file.symlink_to(outside / "a.py")
    with pytest.raises(OSError, match="symbolic links"):
        project.open(file)


class TestProjectRoot:
    def test_is_the_enclosing_work_tree(self, tmp_path: Path) -> None:
        deep = tmp_path / "repo" / "a" / "b"
        deep.mkdir(parents=True)
        (tmp_path / "repo" / ".git").mkdir()
        assert find_project_root(deep) == (tmp_path / "repo").resolve()

    def test_knows_a_worktree_by_its_file(self, tmp_path: Path) -> None:
        (tmp_path / "tree" / "a").mkdir(parents=True)
        (tmp_path / "tree" / ".git").write_text("gitdir: /elsewhere\n")
        assert find_project_root(tmp_path / "tree" / "a") == (tmp_path / "tree").resolve()

    def test_is_the_folder_itself_without_git(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        assert find_project_root(tmp_path / "plain") == (tmp_path / "plain").resolve()

    def test_never_grows_to_the_whole_home(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = tmp_path / "home"
        (home / "notes").mkdir(parents=True)
        (home / ".git").mkdir()
        monkeypatch.setenv("HOME", str(home))
        assert find_project_root(home / "notes") == (home / "notes").resolve()
