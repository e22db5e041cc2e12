"""Writes the README's pictures from the real app: `python -m tests.pictures.write`.

The demo drives the real loop and tools, so the pictures show what a user sees in the first minute.
Needs the `pictures` extra and fonts with Chinese.
"""

import asyncio
import os
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from tests.pictures.draw import png
from tests.pictures.screen import grid
from tests.screens.stage import Stage, clock_of, make_app, until
from widgets.dialogs.approval import ApprovalDialog

PICTURES = Path(__file__).parents[1] / "data" / "pictures"


def save(app: Stage, name: str) -> None:
    """Writes what the app shows now."""
    (PICTURES / f"{name}.png").write_bytes(png(grid(app)))


async def answer(app: Stage, pilot: Pilot[int], key: str) -> None:
    """Answers the approval on the screen, once it takes keys."""
    clock_of(app).seconds += 2
    await pilot.press(key)
    await until(pilot, lambda: not isinstance(app.screen, ApprovalDialog))


async def demo(folder: Path, language: str, theme: str) -> None:
    """Plays the first story of the demo and takes pictures on the way."""
    ending = f"{theme}-{language}"
    app = make_app(folder, demo=True, language=language, flags={"ui.theme": theme})
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.session is not None and app.session.node)
        await pilot.press("1", "enter")
        for step in range(4):
            await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
            await pilot.pause(0.3)
            if step == 1 and language == "en":
                save(app, f"approval-{ending}")
            await answer(app, pilot, "y")
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        await pilot.pause(0.3)
        save(app, f"workbench-{ending}")


def main() -> None:
    """Writes all pictures."""
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", TEXTUAL_ANIMATIONS="none")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for language, theme in (("en", "dark"), ("zh", "light")):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(demo(Path(folder), language, theme))


if __name__ == "__main__":
    main()
