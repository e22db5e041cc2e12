"""Only near facts are compared, and what matters is among them: however many there are."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from app.archive.fact_index import FactIndex
from app.memory.facts import Fact, new_fields, read_fact
from app.memory.likeness import Likenesses
from app.memory.recall import Recall
from app.memory.segment import VERSION, segment
from app.storage.off_loop import to_the_end
from tests.memory.fact_desk import HERE, SetClock, draft, tokens

NOW = SetClock().now()


def fact(name: str, content: str) -> Fact:
    found = read_fact(new_fields(draft(content), name, NOW, tokens), name, tokens)
    assert found
    return found


MANY = tuple(fact(f"f{n}", f"module {n} of the project is built with tool {n}") for n in range(400))


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[FactIndex]:
    made = await FactIndex.open(tmp_path / "recall.db", segment, VERSION)
    yield made
    await made.close()


async def alike(
    index: FactIndex, content: str, others: Sequence[Fact], known: Sequence[Fact]
) -> tuple[str, list[str]]:
    """Ids of the duplicate and of the conflicts."""
    await Recall[Fact](index).update(known)
    like = await to_the_end(lambda: Likenesses(index)(content, others))
    return like.duplicate.id if like.duplicate else "", [c.fact.id for c in like.conflicts]


CASES = (
    ("数据库是 PostgreSQL", "We use MySQL", "conflict"),
    ("项目使用 JDK 17", "项目使用 JDK 21", "conflict"),
    ("always rebase feature branches", "never rebase feature branches", "conflict"),
    ("Module 7 of the project is built with tool 7!", "", "duplicate"),
    ("the office cat is called Miso", "deploys happen on Fridays", ""),
)


@pytest.mark.parametrize("known", ["all", "none", "half"])
@pytest.mark.parametrize(("old", "new", "kind"), CASES)
async def test_what_matters_is_found_among_many(
    index: FactIndex, old: str, new: str, kind: str, known: str
) -> None:
    """Also where the index knows nothing yet, or not this fact: another program wrote it."""
    others = (*MANY[:200], fact("old", old), *MANY[200:])
    told = {"all": others, "none": (), "half": MANY[:390]}[known]
    found = await alike(index, new or MANY[7].content, others, told)
    if kind == "duplicate":
        assert found[0] == "f7"
    else:
        assert found == ("", ["old"] if kind else [])


async def test_what_the_index_still_has_but_the_file_has_not_is_no_likeness(
    index: FactIndex,
) -> None:
    gone = fact("gone", "项目使用 JDK 17")
    assert await alike(index, "项目使用 JDK 21", MANY, (*MANY, gone)) == ("", [])
    changed = fact("gone", "the office cat is called Miso")
    others = (*MANY, changed)
    assert await alike(index, "项目使用 JDK 21", others, (*MANY, gone)) == ("", [])


async def test_a_text_without_words_equals_only_itself(index: FactIndex) -> None:
    others = (*MANY, fact("dots", "…"), fact("bang", "!"))
    assert await alike(index, "!", others, others) == ("bang", [])
    assert await alike(index, "!!", others, others) == ("", [])
    assert MANY[0].project == HERE
