"""`haima run` and a memory that is contradicted: it waits, and the exit code says so."""

import json
from pathlib import Path

from tests.endpoint import Call, Endpoint, Say
from tests.scenarios.support import Place
from tests.session.remembered import entry

OLD, NEW = "Builds run on Java 17", "Builds run on Java 21"
SAVE = Say(calls=[Call("save_memory", {"fact": NEW})])


def remembering(tmp_path: Path) -> tuple[Place, Path, bytes]:
    """A place that knows one fact; the file, and what is in it."""
    place = Place(tmp_path)
    path = place.home / "memory" / "long_term_memory.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([entry("fact-java", OLD, place.root)]))
    return place, path, path.read_bytes()


async def test_a_conflict_ends_in_a_code_of_its_own(tmp_path: Path) -> None:
    """No allowance is needed, nothing is written, and words for people say where it waits."""
    place, path, before = remembering(tmp_path)
    async with Endpoint([SAVE, Say("You have to decide.")]) as endpoint:
        ran = await place.run(endpoint, "--allow", "none", "Remember that builds run on Java 21")
        assert endpoint.violations == []
    assert (ran.code, ran.out) == (3, "You have to decide.\n"), ran.err
    assert f"≠  contradicts a memory and waits for your decision (haima memory inbox): {NEW}" in (
        ran.err.splitlines()
    )
    assert any(line.startswith("◆  1 memory recalled, ") for line in ran.err.splitlines())
    assert path.read_bytes() == before
    assert NEW in (path.parent / "inbox.json").read_text()


async def test_of_several_turns_a_failed_one_weighs_more(tmp_path: Path) -> None:
    place, path, before = remembering(tmp_path)
    other = Say(calls=[Call("save_memory", {"fact": "CI runs on arm64"})])
    script = [SAVE, Say("Decide."), other, Say("Saved.")]
    async with Endpoint(script) as endpoint:
        lines = "Remember Java 21\nRemember the CI\n/nope\n"
        ran = await place.run(endpoint, "--lines", "--json", stdin=lines)
    assert ran.code == 1, ran.err
    (conflict,) = ran.of("fact_conflict")
    assert (conflict["incoming"], conflict["existing"]) == (NEW, ["fact-java"])
    (saved,) = ran.of("fact_saved")
    assert (saved["content"], saved["scope"]) == ("CI runs on arm64", "project")
    assert [fact["id"] for fact in ran.of("memory_injected")[0]["facts"]] == ["fact-java"]
    assert [one["content"] for one in json.loads(path.read_bytes())] == [OLD, "CI runs on arm64"]
    assert path.read_bytes() != before
