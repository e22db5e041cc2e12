"""`haima run --resume`, `--continue`, `--fork`: processes one after the other, one conversation."""

import asyncio
from pathlib import Path

from tests.endpoint import Call, Endpoint, Say
from tests.scenarios.support import Place, at


def said(endpoint: Endpoint, number: int) -> list[tuple[str, str]]:
    """Who said what in a request, the system message apart."""
    messages = endpoint.requests[number]["messages"][1:]
    return [(message["role"], message["content"]) for message in messages]


async def listed(place: Place, *arguments: str) -> list[dict[str, object]]:
    """The records of `haima sessions list`."""
    ran = await place.haima("sessions", "list", "--json", *arguments)
    assert ran.code == 0, ran.err
    return ran.lines


async def test_continue_and_resume_go_on_where_it_ended(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("One"), Say("Two"), Say("Three")]) as endpoint:
        assert (await place.run(endpoint, "first")).code == 0
        assert (await place.run(endpoint, "--continue", "second")).code == 0
        (record,) = await listed(place)
        prefix = str(record["id"])[:6]
        assert (await place.run(endpoint, "--resume", prefix, "third")).code == 0
        assert said(endpoint, 2) == [
            ("user", "first"),
            ("assistant", "One"),
            ("user", "second"),
            ("assistant", "Two"),
            ("user", "third"),
        ]
    (record,) = await listed(place)
    assert (record["title"], record["messages"], len(place.ledgers)) == ("first", 6, 1)


async def test_a_fork_leaves_its_parent_as_it_was(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("One"), Say("Two"), Say("Other")]) as endpoint:
        assert (await place.run(endpoint, "first")).code == 0
        assert (await place.run(endpoint, "--continue", "second")).code == 0
        (parent,) = await listed(place)
        shown = await place.haima("sessions", "show", "--json", str(parent["id"]))
        last = shown.lines[0]["prompts"][0]["last"]
        fork = f"{parent['id']}:{last[:8]}"
        ran = await place.run(endpoint, "--fork", fork, "another way")
        assert (ran.code, ran.out) == (0, "Other\n")
        assert said(endpoint, 2) == [
            ("user", "first"),
            ("assistant", "One"),
            ("user", "another way"),
        ]
    child, same = await listed(place)
    assert same["messages"] == parent["messages"]
    assert (child["relation"], child["parent_id"], child["chain"]) == (
        "fork",
        parent["id"],
        parent["id"],
    )


async def test_what_is_not_there_ends_with_4(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([]) as endpoint:
        for arguments in (("--continue",), ("--resume", "ffff"), ("--fork", "ffff")):
            ran = await place.run(endpoint, *arguments, "Hi")
            assert (ran.code, ran.out, ran.err.count("\n")) == (4, "", 1), ran.err
    assert place.ledgers == []


async def test_an_ambiguous_id_lists_the_candidates(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("x") for _ in range(17)]) as endpoint:
        # Of 17 ids two begin with the same digit.
        prompts = "\n/clear\n".join(f"prompt {number}" for number in range(17))
        assert (await place.run(endpoint, "--lines", stdin=prompts)).code == 0
        ids = [str(record["id"]) for record in await listed(place)]
        digit = next(one[0] for one in ids if sum(id_[0] == one[0] for id_ in ids) > 1)
        ran = await place.run(endpoint, "--resume", digit, "Hi")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert sum(id_ in ran.err for id_ in ids if id_[0] == digit) >= 2


async def test_a_session_open_elsewhere_can_be_forked(tmp_path: Path) -> None:
    place = Place(tmp_path)
    held = asyncio.Event()
    steps = [Say("One"), Say("Long answer", hold=held, chunk=4), Say("Beside it")]
    async with Endpoint(steps) as endpoint:
        assert (await place.run(endpoint, "first")).code == 0
        (record,) = await listed(place)
        id_ = str(record["id"])
        other = await place.start("run", *at(endpoint), "--json", "--resume", id_, "second")
        while b'"type": "text"' not in (line := await other.stdout.readline()):
            assert line
        ran = await place.run(endpoint, "--resume", id_, "third")
        assert (ran.code, ran.out) == (1, "")
        assert f"haima run --fork {id_}" in ran.err
        beside = await place.run(endpoint, "--fork", id_, "beside")
        assert (beside.code, beside.out) == (0, "Beside it\n")
        held.set()
        await asyncio.wait_for(other.communicate(), 30)
    assert other.returncode == 0
    assert len(place.ledgers) == 2


async def test_a_tool_result_comes_back_as_it_was(tmp_path: Path) -> None:
    place = Place(tmp_path)
    steps = [Say("", calls=(Call("read_file", {"path": "calc.py"}),)), Say("Read"), Say("Again")]
    async with Endpoint(steps) as endpoint:
        assert (await place.run(endpoint, "Read it")).code == 0
        assert (await place.run(endpoint, "--continue", "And?")).code == 0
        before, after = endpoint.requests[1]["messages"], endpoint.requests[2]["messages"]
        assert after[: len(before)] == before
