"""`haima` as these tests start it: `python -m tests.scenarios.plugged run …`; only tests load it.

The same program, but ids count up, its clock is set, and it kills itself at one fault point, as
`$PLUG` has it. It waits until the archive has caught up with the ledgers, so that the order of the
fault points is always the same.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Self
from unittest.mock import patch

NOON = "2026-11-29T12:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Plug:
    """How one process differs from the real one.

    Attributes:
        ids: two hex digits that all its ids begin with.
        first: how many of them were given away before.
        at: where its clock begins; every look at it is a millisecond later.
        kill: the fault point at which it dies; "" for none.
        nth: at which time that is reached.
        seen: a file that gets a line for every fault point; "" for none.
        largest: bytes a file may have; 0: any.
        humble: root too may write only what its owner may.
        provider: whose dialect the client speaks, an address and a model; () for the server's own.
    """

    ids: str = "aa"
    first: int = 0
    at: str = NOON
    kill: str = ""
    nth: int = 1
    seen: str = ""
    largest: int = 0
    humble: bool = False
    provider: tuple[str, str] | tuple[()] = ()

    def environ(self) -> dict[str, str]:
        """What the process is started with."""
        return {"PLUG": json.dumps(asdict(self))}

    @classmethod
    def of(cls, text: str) -> Self:
        """What `environ` wrote."""
        return cls(**json.loads(text))


def counting(digits: str, first: int) -> Callable[[], str]:
    """Ids that count up."""
    numbers = iter(range(first + 1, 1 << 32))
    return lambda: f"{digits}{next(numbers):010x}"


def ticking(at: str) -> Callable[[], datetime]:
    """A clock by milliseconds."""
    ticks = iter(range(1 << 32))
    begin = datetime.fromisoformat(at).astimezone(UTC)
    return lambda: begin + timedelta(milliseconds=next(ticks))


def hook(plug: Plug) -> Callable[[str], None]:
    """Counts the fault points, and dies at one."""
    counts: Counter[str] = Counter()

    def reached(name: str) -> None:
        counts[name] += 1
        if plug.seen:
            with Path(plug.seen).open("a") as file:
                file.write(f"{name} {counts[name]}\n")
        if (name, counts[name]) == (plug.kill, plug.nth):
            os.kill(os.getpid(), signal.SIGKILL)

    return reached


def drop_capabilities() -> None:
    """Root becomes a user like any other, where permissions are concerned (Linux)."""
    version_3, nothing = 0x20080522, (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(version_3, 0)
    if os.geteuid() == 0 and ctypes.CDLL(None).capset(header, nothing):
        raise OSError("the capabilities can't be dropped")


def prepare(plug: Plug) -> None:
    """Puts the hook, the ids and the clock in."""
    from app import headless
    from app.llm import client, dialects
    from app.session.build import build_session
    from app.session.chains import Chains
    from app.session.clock import SystemClock
    from app.session.parts import Parts
    from app.storage import faults

    if plug.provider:
        dialect = dialects.dialect_for(*plug.provider)
        patch.object(client, "dialect_for", lambda *_: dialect).start()
    if plug.largest:
        resource.setrlimit(resource.RLIMIT_FSIZE, (plug.largest, plug.largest))
    if plug.humble:
        drop_capabilities()
    if plug.kill or plug.seen:
        faults.install(hook(plug))
    now = ticking(plug.at)

    class Clock(SystemClock):
        def now(self) -> datetime:
            return now()

    as_it_is = Chains.prepare

    async def caught_up(self: Chains, parts: Parts) -> None:
        await as_it_is(self, parts)
        await self.caught_up()

    patch.object(headless, "SystemClock", Clock).start()
    build = partial(build_session, new_id=counting(plug.ids, plug.first))
    patch.object(headless, "build_session", build).start()
    patch.object(Chains, "prepare", caught_up).start()


if __name__ == "__main__":
    from app.cli import main

    prepare(Plug.of(os.environ["PLUG"]))
    sys.exit(main())
