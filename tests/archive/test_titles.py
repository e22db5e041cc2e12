"""What sessions are called holds no secrets, whoever gave the name and whenever."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.archive.schema import migrate, version_of
from app.archive.sessions import get_node
from app.archive.titles import Title, title_at
from tests.archive.recording import user
from tests.archive.tables import ROOT, File, assert_same_as_built, caught_up, connect

KEY = "ghp_abcdefghijklmnopqrstuvwxyz0123"
CHILD, FORK = "bbbbbbbbbbbb", "dddddddddddd"
LONG = "my key for the build of the whole project is the one that stands here: "
"""The title ends within what follows."""

SAID = {
    "the token is " + KEY: "the token is ‹secret›",
    "\n  use\t" + KEY + " for it\nplease": "use ‹secret› for it",
    f"{LONG}{KEY} please": (LONG + "‹secret› please")[:80],
    f"{'so ' * 18}postgres://app:hunter2234567@db/x": f"{'so ' * 18}postgres://app:‹secret›@db",
    f"{'so ' * 18}see https://example.org:8080/a@b": f"{'so ' * 18}see https://example.org:80",
    "rotate the token, it is old": "rotate the token, it is old",
}
"""First words, and what a session is called after them."""

_OF_VERSION_5 = (
    "DROP INDEX nodes_after",
    "ALTER TABLE nodes DROP COLUMN after_ledger",
    "ALTER TABLE nodes DROP COLUMN after_seq",
    "ALTER TABLE ledgers DROP COLUMN told",
    "PRAGMA user_version = 5",
)


def title(connection: sqlite3.Connection, node: str = ROOT) -> Title:
    found = get_node(connection, node)
    assert found is not None
    return title_at(connection, found)


@pytest.mark.parametrize("said", SAID)
def test_the_first_words_name_a_session_without_their_secrets(said: str, folder: Path) -> None:
    file = File(folder)
    file.say(user("u1", said))
    with closing(connect()) as connection:
        caught_up(connection, folder)
        assert title(connection) == Title(SAID[said])


def test_a_name_that_the_user_gave_is_masked_too(folder: Path) -> None:
    file = File(folder)
    file.say(user("u1", "hello"))
    file.row("title", {"title": f"with {KEY}"})
    with closing(connect()) as connection:
        caught_up(connection, folder)
        assert title(connection) == Title("with ‹secret›", given=True)


@pytest.mark.parametrize("said", SAID)
def test_titles_of_an_older_database_become_those_of_a_new_one(
    said: str, folder: Path, tmp_path: Path
) -> None:
    """Also what a title that was cut had of a secret, and one that a summary took over."""
    file, fork = File(folder), File(folder, FORK)
    file.say(user("u1", said), user("u2", "and more"))
    file.row("node", {"chain": ROOT, "parent": ROOT, "relation": "summary"}, node=CHILD)
    fork.row("node", {"chain": ROOT, "parent": ROOT, "relation": "fork", "layout": ["u1"]})
    fork.row("title", {"title": f"with {KEY}"})
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection)
        caught_up(connection, folder)
        cut = next(filter(None, (" ".join(line.split()) for line in said.splitlines())))[:80]
        for node, had in ((ROOT, cut), (CHILD, cut), (FORK, f"with {KEY}")):
            connection.execute("UPDATE nodes SET title = ? WHERE id = ?", (had, node))
        for statement in _OF_VERSION_5:
            connection.execute(statement)
        migrate(connection)
        assert version_of(connection) > 5
        assert title(connection, CHILD) == Title(SAID[said])
    assert_same_as_built(path, folder)
