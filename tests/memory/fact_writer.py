"""Programs that write facts, each a process of its own: `python -m tests.memory.fact_writer …`.

`ours PATH NAME COUNT [POINT NUMBER]`: saves, replaces and deletes, and says what stands at the end;
with a fault point it dies there, the NUMBERth time.
`batches PATH NAME COUNT [POINT NUMBER]`: saves COUNT batches of five, each with one write.
`uses PATH NAME COUNT`: saves and confirms facts, and says each time that 200 were used.
`foreign PATH NAME COUNT`: adds entries as a program with `fcntl` locks does.
`unprivileged PATH`: saves one without the rights of root.
"""

import asyncio
import fcntl
import json
import os
import signal
import sys
from pathlib import Path

from app.memory.fact_keeper import lock_of
from app.memory.fact_outcomes import Deleted, Replaced, Stored, Verified
from app.storage.faults import install
from tests.memory.fact_desk import draft, store


def say(*words: object) -> None:
    print(*words, flush=True)


async def ours(path: Path, name: str, count: int) -> None:
    """Every fourth fact is replaced, every fourth deleted; each is told when it is certain."""
    kept = store(path, lock_timeout=60)
    for number in range(count):
        text = f"{name} says {'abcdefghijklmnop'[number % 16]}{'x' * (number // 16)}"
        outcome = await kept.save(draft(text))
        assert isinstance(outcome, Stored), outcome
        say("there", text)
        if number % 4 == 1:
            say("maybe", text)
            replaced = await kept.replace(draft(text + " again"), outcome.fact.id)
            assert isinstance(replaced, Replaced), replaced
            say("there", text + " again")
            say("gone", text)
        elif number % 4 == 2:
            say("maybe", text)
            assert isinstance(await kept.delete([outcome.fact.id]), Deleted)
            say("gone", text)


async def batches(path: Path, name: str, count: int) -> None:
    kept = store(path, lock_timeout=60)
    for number in range(count):
        drafts = [draft(f"{name} says {'abcde'[at]}{'x' * number}") for at in range(5)]
        assert all(isinstance(one, Stored) for one in await kept.save_all(drafts))
        for one in drafts:
            say("there", one.content)


async def uses(path: Path, name: str, count: int) -> None:
    kept = store(path, lock_timeout=60)
    for number in range(count):
        outcome = await kept.save(draft(f"{name} says {'x' * (number + 1)}"))
        assert isinstance(outcome, Stored), outcome
        assert await kept.used([f"used-{n}" for n in range(200)]) is None
        assert isinstance(await kept.verify([outcome.fact.id]), Verified)


def foreign(path: Path, name: str, count: int) -> None:
    lock = os.open(lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    for number in range(count):
        fcntl.lockf(lock, fcntl.LOCK_EX)
        entries = json.loads(path.read_bytes()) if path.exists() else []
        entries.append({"id": f"{name}-{number}", "content": f"{name} {'y' * (number + 1)}"})
        temporary = path.with_suffix(f".{name}")
        temporary.write_text(json.dumps(entries))
        temporary.replace(path)
        fcntl.lockf(lock, fcntl.LOCK_UN)
        say("there", entries[-1]["content"])


_WORKS = {"ours": ours, "batches": batches, "uses": uses}


def main() -> None:
    kind, path, *rest = sys.argv[1:]
    if kind in _WORKS:
        name, count, *fault = rest
        if fault:
            point, number = fault
            left = [int(number)]

            def die(at: str) -> None:
                left[0] -= at == point
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

            install(die)
        asyncio.run(_WORKS[kind](Path(path), name, int(count)))
    elif kind == "foreign":
        foreign(Path(path), rest[0], int(rest[1]))
    else:
        os.setuid(65534)
        outcome = asyncio.run(store(Path(path)).save(draft("new")))
        say(type(outcome).__name__, getattr(outcome, "error", ""))


if __name__ == "__main__":
    main()
