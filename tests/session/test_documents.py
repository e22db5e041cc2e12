"""Which documents for agents are told, how much of them, and what is said about the rest."""

import os
from pathlib import Path

import pytest

from app.project import Project
from app.session.documents import LIMIT, Documents, read_documents
from app.text import Words


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "haima"
    folder.mkdir()
    return folder


def found(root: Path, home: Path) -> Documents:
    return read_documents(Project(root), home, Words("en"))


def test_none(root: Path, home: Path) -> None:
    assert found(root, home) == Documents()
    assert found(root, home / "missing") == Documents()


def test_the_first_name_wins_and_the_project_comes_first(root: Path, home: Path) -> None:
    (root / "PAI.md").write_text("pai")
    (root / "CLAUDE.md").write_text("claude")
    (home / "CLAUDE.md").write_text("mine")
    (home / "AGENTS.md").write_text("mine first")
    result = found(root, home)
    assert [(one.path, one.text) for one in result.documents] == [
        ("CLAUDE.md", "claude"),
        (str(home / "AGENTS.md"), "mine first"),
    ]
    assert result.notices == ()


def test_an_empty_document_counts_as_none(root: Path, home: Path) -> None:
    (root / "AGENTS.md").write_text("")
    (root / "CLAUDE.md").write_text("claude")
    assert [one.path for one in found(root, home).documents] == ["CLAUDE.md"]


def test_exactly_the_limit_is_whole_and_one_more_is_cut_at_a_line(root: Path, home: Path) -> None:
    line = "x" * 99 + "\n"
    (root / "AGENTS.md").write_text(line * (LIMIT // 100))
    assert found(root, home).documents[0].kept is None
    (root / "AGENTS.md").write_text(line * (LIMIT // 100) + "y")
    result = found(root, home)
    assert result.documents[0].kept == LIMIT
    assert [notice.code for notice in result.notices] == ["document_cut"]
    assert "24000" in result.notices[0].text


def test_a_long_line_is_cut_where_it_must(root: Path, home: Path) -> None:
    (root / "AGENTS.md").write_text("长" * (LIMIT + 1))
    document = found(root, home).documents[0]
    assert document.text == "长" * LIMIT


def test_both_share_the_limit(root: Path, home: Path) -> None:
    (root / "AGENTS.md").write_text("a" * (LIMIT - 10))
    (home / "AGENTS.md").write_text("b" * 20)
    assert [len(one.text) for one in found(root, home).documents] == [LIMIT - 10, 10]
    (root / "AGENTS.md").write_text("a" * LIMIT)
    result = found(root, home)
    assert len(result.documents) == 1
    assert len(result.notices) == 1, "what is left out is said"


def test_a_link_out_of_the_project_is_not_sent_to_the_provider(
    root: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "id_rsa").write_text("PRIVATE")
    (root / "AGENTS.md").symlink_to(tmp_path / "id_rsa")
    (root / "CLAUDE.md").write_text("claude")
    result = found(root, home)
    assert [one.text for one in result.documents] == ["claude"]
    assert len(result.notices) == 1


def test_strange_bytes_are_visible_and_a_byte_order_mark_is_gone(root: Path, home: Path) -> None:
    (root / "AGENTS.md").write_bytes(b"\xef\xbb\xbfok \x1b[31m \xff")
    assert found(root, home).documents[0].text == r"ok \x1b[31m \xff"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_document_is_told(root: Path, home: Path) -> None:
    (root / "AGENTS.md").write_text("x")
    (root / "AGENTS.md").chmod(0)
    result = found(root, home)
    assert result.documents == ()
    assert [notice.code for notice in result.notices] == ["document_unreadable"]


def test_a_home_that_is_the_project_is_read_once(root: Path) -> None:
    (root / "AGENTS.md").write_text("once")
    assert len(found(root, root).documents) == 1
