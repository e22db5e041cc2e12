"""Chains whose rows tell work, and what their nodes know of it."""

import sqlite3
from collections.abc import Iterable
from itertools import chain as chained
from pathlib import Path

from app.archive.rows import Row, read_rows
from app.archive.work import load_work
from app.archive.work_of_rows import work_in
from app.conversation.work import (
    NOTHING,
    Progress,
    Rule,
    Work,
)
from app.conversation.work_state import LoadedWork
from tests.archive.recording import result, step, user
from tests.archive.tables import ROOT, File, caught_up

CHILD, FORK, OTHER = "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd"


def file(name: str, action: str = "edited", **more: object) -> Work:
    """The work of one touch of a file."""
    return Work.from_data({"touches": [["file", name, action, "", True, "", None]]} | more)


def rule(text: str) -> Work:
    return Work(rules=(Rule(text, text),))


def todo(*texts: str) -> Work:
    return Work(progress=Progress(texts))


def say(ledger: File, number: int, work: Work = NOTHING, node: str = "") -> None:
    """A message of the user."""
    ledger.say(user(f"u{number}"), node=node, **told(work))


def act(ledger: File, number: int, *work: Work, node: str = "") -> None:
    """A step, with a result for each work."""
    calls = [f"c{number}-{index}" for index in range(len(work))]
    ledger.say(step(f"a{number}", *calls), node=node)
    for call, one in zip(calls, work, strict=True):
        ledger.say(result(f"t{call}", call), node=node, **told(one))


def begin(ledger: File, node: str, **start: object) -> None:
    """A node's first row."""
    ledger.row("node", {"chain": ROOT, "project": "/p", **start}, node=node)


def told(work: Work) -> dict[str, object]:
    return {"work": work.to_data()} if work else {}


def loaded(connection: sqlite3.Connection, folder: Path, node: str) -> LoadedWork:
    """What a node knows, by the tables and by the rows alone: the same."""
    caught_up(connection, folder)
    found = load_work(connection, ROOT, node)
    assert work_in(lambda: rows_of(folder), node) == found
    return found


def rows_of(folder: Path) -> Iterable[Row]:
    paths = sorted(folder.glob("*.jsonl"))
    return chained.from_iterable(read_rows(path) for path in paths)


def said(work: LoadedWork) -> list[str]:
    """The texts of the rules."""
    return [one.text for mark in work.marks for one in mark.work.rules]


def names(work: LoadedWork) -> list[str]:
    return [entity.name for entity in work.entities]
