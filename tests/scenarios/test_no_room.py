"""A full disk and a home that can only be read: a clear error, and nothing already said is lost."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endpoint import Call, Say
from tests.scenarios.plug import EN, Home, Wire, agree, note_of, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place, Ran

BIG = 9_000
"""Characters of a file whose lines don't fit any more; too few for a result to leave."""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, bytes]:
    """A home with one turn in it, and the request that goes on with it."""
    checkout = Place(tmp_path_factory.mktemp("room")).root
    (checkout / "big.txt").write_text("".join(f"line {n:09}\n" for n in range(BIG // 15)))
    home = Home(checkout, checkout.with_name("first"))

    async def talk() -> bytes:
        async with Wire([Say("One")]) as endpoint:
            # Longer than what SQLite keeps beside an open file: the limits are for the ledger.
            assert (await home.plugged(endpoint, Plug(), "-", stdin="first " * 10_000)).code == 0
        ran, bodies = await going_on(home.copy("control"), Plug("bb"))
        assert ran.code == 0, ran.err
        return bodies[0]

    return home, asyncio.run(talk())


async def going_on(
    home: Home,
    plug: Plug,
    *steps: Say,
    new: bool = False,
) -> tuple[Ran, list[bytes]]:
    """`--continue`; how it ended, and its requests."""
    async with Wire(steps or [Say("Two")]) as endpoint:
        asked = [] if new else ["--continue"]
        ran = await home.plugged(endpoint, plug, *asked, "second")
        assert endpoint.violations == []
    assert "Traceback" not in ran.err + ran.out
    return ran, endpoint.bodies


async def test_no_room_for_the_message(first: tuple[Home, bytes]) -> None:
    """It isn't sent, as it can't be kept; with room again all is as if it hadn't been tried."""
    home, body = first[0].copy("no-message"), first[1]
    (ledger,) = home.ledgers
    before = ledger.read_bytes()
    ran, bodies = await going_on(home, Plug("bb", largest=len(before) + 50))
    assert (ran.code, ran.out, bodies) == (1, "", [])
    # The endpoint is asked for its window meanwhile: a slow machine hears of it in time.
    aside = EN("window.unknown", model="scripted", window="32,768") + "\n"
    assert ran.err.replace(aside, "") == EN("storage.full", path=ledger) + "\n"
    assert ledger.read_bytes() == before
    ran, bodies = await going_on(home, Plug("cc"))
    assert (ran.code, ran.out, bodies) == (0, "Two\n", [body]), ran.err
    agree(home.home)


async def test_no_room_for_a_result(first: tuple[Home, bytes]) -> None:
    """The turn ends; what was said before the result is there, the call has its note."""
    home = first[0].copy("no-result")
    (ledger,) = home.ledgers
    read = Say("I read.", calls=(Call("read_file", {"path": "big.txt"}),))
    plug = Plug("bb", largest=len(ledger.read_bytes()) + 5_000)
    ran, bodies = await going_on(home, plug, read)
    assert (ran.code, ran.out, len(bodies)) == (1, "", 1)
    assert EN("storage.full", path=ledger) in ran.err
    ran, (body,) = await going_on(home, Plug("cc"))
    assert ran.code == 0, ran.err
    *before, _ = messages = json.loads(first[1])["messages"]
    call = json.loads(body)["messages"][4]["tool_calls"][0]
    assert body == with_messages(
        first[1],
        [
            *before,
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": "I read.", "tool_calls": [call]},
            note_of(call),
            messages[-1],
        ],
    )
    agree(home.home)


async def test_a_home_that_can_only_be_read(first: tuple[Home, bytes]) -> None:
    """Nothing is sent; made writable, it goes on."""
    home, body = first[0].copy("read-only"), first[1]
    folders = [home.home, home.home / "history", home.paths.ledgers]
    files = [path for path in home.home.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    modes = {path: path.stat().st_mode for path in [*files, *folders]}
    for path in modes:
        path.chmod(0o400 if path in before else 0o500)
    for new in (False, True):
        ran, bodies = await going_on(home, Plug("bb", humble=True), new=new)
        assert (ran.code, ran.out, bodies) == (1, "", [])
        assert str(home.home) in ran.err
        assert "can't be written" in ran.err
    for path, mode in modes.items():
        path.chmod(mode)
    assert {path: path.read_bytes() for path in files} == before
    ran, bodies = await going_on(home, Plug("cc"))
    assert (ran.code, bodies) == (0, [body]), ran.err
    agree(home.home)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_full_disk(first: tuple[Home, bytes], disk: Path) -> None:
    """Not one byte is left on it; with room again it goes on where it was."""
    kept, body = first
    home = Home(kept.root, disk / "haima")
    shutil.copytree(kept.home, home.home)
    (ledger,) = home.ledgers
    before = ledger.read_bytes()
    filler = disk / "filler"
    with pytest.raises(OSError, match="No space"), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4_096)
    ledger_room = 4_096 - len(before) % 4_096
    long = "word " * (ledger_room // 5 + 1)
    async with Wire([]) as endpoint:
        ran = await home.plugged(endpoint, Plug("bb"), "--continue", long)
    assert (ran.code, ran.out, endpoint.bodies) == (1, "", [])
    assert "full" in ran.err
    assert "Traceback" not in ran.err
    assert ledger.read_bytes() == before
    filler.unlink()
    ran, bodies = await going_on(home, Plug("cc"))
    assert (ran.code, ran.out, bodies) == (0, "Two\n", [body]), ran.err
    agree(home.home)
