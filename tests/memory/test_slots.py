"""jieba: read once, in the background, silent, and a loss of it loses no fact."""

import asyncio
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from app.memory.slots import Cut, Words, characters

ROOT = Path(__file__).parents[2]

READING = """
    import asyncio, sys, time
    import app.memory.similarity
    from app.memory.slots import jieba_words
    assert "jieba" not in sys.modules
    async def main():
        gaps, last = [], time.perf_counter()
        begun = last
        jieba_words.start()
        gaps.append(time.perf_counter() - begun)
        while not jieba_words.ready:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
        assert len(gaps) > 10 and max(gaps) < (last - begun) / 3, (max(gaps), last - begun)
        assert not jieba_words.trouble
        assert jieba_words("用户名是") == ["用户名", "是"]
    asyncio.run(main())
"""


def test_read_in_the_background_silent_and_leaving_nothing_behind(tmp_path: Path) -> None:
    """Not at import; the loop goes on; no word on stderr; no `jieba.cache` for all to write to."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READING)],
        cwd=ROOT,
        env={"TMPDIR": str(temporary), "PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert list(temporary.iterdir()) == []


def test_read_once_whoever_asks() -> None:
    calls: list[str] = []
    gate = threading.Event()

    def reading() -> Cut:
        calls.append(threading.current_thread().name)
        assert gate.wait(10)
        return str.split

    async def ask() -> list[str]:
        words = Words(reading)
        words.start()
        words.start()
        waiting = [asyncio.create_task(words.loaded()) for _ in range(3)]
        await asyncio.sleep(0.02)
        assert not words.ready
        assert not any(task.done() for task in waiting)
        gate.set()
        await asyncio.gather(*waiting)
        assert words.ready
        return words("a b")

    assert asyncio.run(ask()) == ["a", "b"]
    assert calls == ["jieba"]


def test_without_a_dictionary_characters_serve_and_the_reason_is_kept() -> None:
    def missing() -> Cut:
        raise FileNotFoundError("dict.txt")

    words = Words(missing)
    assert words("中文") == characters("中文") == ["中", "文"]
    assert words.ready
    assert words.trouble == "FileNotFoundError: dict.txt"
