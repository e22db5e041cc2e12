"""What can come back, and a file of some of the facts."""

import json
from pathlib import Path

from tests.memory.fact_desk import draft, put, store
from tests.memory.test_fact_store import FOREIGN


async def test_gone_are_the_facts_that_can_come_back(tmp_path: Path) -> None:
    facts = store(tmp_path / "facts.json")
    for content in ("one", "two", "three"):
        await facts.save(draft(content))
    one, two, three = (fact.id for fact in facts.facts)
    assert await facts.gone() == ()
    await facts.delete([two])
    await facts.replace(draft("first"), one)
    assert [(fact.id, fact.content) for fact in await facts.gone()] == [(one, "one"), (two, "two")]
    await facts.edit(three, "3")
    await facts.restore(two)
    assert [fact.id for fact in await facts.gone()] == [one], "an edited fact is still there"
    await facts.delete_everywhere([one])
    assert await facts.gone() == ()


async def test_an_export_holds_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    put(path, f"\ufeff{FOREIGN}")
    facts = store(path)
    await facts.refresh()
    assert facts.exported() == FOREIGN.encode(), "entries that are no facts included"
    data = facts.exported({"fact-0000aaaa", "fact-0000cccc"}).decode()
    assert [entry["id"] for entry in json.loads(data)] == ["fact-0000aaaa", "fact-0000cccc"]
    begin = FOREIGN.index("{", 3)
    assert FOREIGN[begin : FOREIGN.index("}, 5")] in data
    assert json.loads(facts.exported(())) == []
