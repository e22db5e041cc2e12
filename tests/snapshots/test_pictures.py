"""Pictures of the screens, pairwise over size, theme, language, ASCII and NO_COLOR.

Chinese is compared as text: an SVG measures it wrongly (STYLE 13, LIBRARIES 10). After a wanted
change: `pytest tests/snapshots --snapshot-update`, and look at what changed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.snapshots.scenes import SCENES, build, perform
from tests.widgets.desk import text

SMALL, USUAL, WIDE = (80, 24), (120, 36), (160, 48)

DARK: dict[str, str] = {}
LIGHT = {"theme": "light"}
ASCII = {"glyphs": "ascii"}
GREY = {"no_color": "1"}

PICTURES = [
    ("talk", USUAL, DARK),
    ("talk", SMALL, ASCII),
    ("talk", WIDE, LIGHT),
    ("context", USUAL, DARK),
    ("context", SMALL, LIGHT),
    ("approval", USUAL, LIGHT),
    ("approval", SMALL, GREY),
    ("conflict", USUAL, DARK),
    ("conflict", SMALL, LIGHT | ASCII),
    ("queued", USUAL, DARK),
    ("left", USUAL, DARK),
    ("left_list", SMALL, LIGHT),
    ("summarised", USUAL, DARK),
    ("leader", SMALL, ASCII),
    ("palette", USUAL, GREY),
    ("help", USUAL, DARK),
    ("help", SMALL, LIGHT),
    ("doctor", WIDE, LIGHT),
    ("viewer", USUAL, DARK),
    ("sessions", USUAL, DARK),
    ("memory", USUAL, DARK),
    ("memory", WIDE, LIGHT),
    ("memory", SMALL, ASCII),
    ("replay", USUAL, DARK),
    ("replay", SMALL, DARK),
    ("recalled", USUAL, DARK),
    ("work_tab", USUAL, DARK),
    ("work_view", USUAL, DARK),
    ("past", SMALL, LIGHT),
    ("compaction", USUAL, DARK),
    ("compaction_edit", SMALL, LIGHT),
    ("first_run", USUAL, DARK),
    ("first_run", SMALL, ASCII | GREY),
    ("models", USUAL, LIGHT),
]

NOT_SMALL = ("past", "left", "left_list", "recalled", "work_tab")
TEXTS = [
    *((name, SMALL) for name in SCENES if name not in NOT_SMALL),
    ("work_tab", WIDE),
    *((name, USUAL) for name in ("talk", "context", "approval", "left_list", "memory", "recalled")),
    ("replay", USUAL),
]


def name_of(part: object) -> str | None:
    """`120x36`, `light`: what a case is called, and its picture with it."""
    if isinstance(part, tuple):
        return "x".join(map(str, part))
    if isinstance(part, dict):
        return (
            "-".join("grey" if key == "no_color" else value for key, value in part.items())
            or "dark"
        )
    return None


@pytest.mark.parametrize(("name", "size", "style"), PICTURES, ids=name_of)
def test_picture(
    name: str,
    size: tuple[int, int],
    style: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snap_compare: Callable[..., bool],
) -> None:
    style = dict(style)
    if style.pop("no_color", ""):
        monkeypatch.setenv("NO_COLOR", "1")
    app = build(name, tmp_path, **style)

    async def play(pilot: Any) -> None:
        await perform(name, app, pilot)

    assert snap_compare(app, terminal_size=size, run_before=play)


@pytest.mark.parametrize(("name", "size"), TEXTS, ids=name_of)
async def test_chinese(
    name: str, size: tuple[int, int], tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    app = build(name, tmp_path, language="zh")
    async with app.run_test(size=size) as pilot:
        await perform(name, app, pilot)
        assert text(app) == snapshot
