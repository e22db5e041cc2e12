"""Only near facts are compared, and what matters is among them: however many there are."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from app.archive.fact_index import FactIndex
from app.memory.fact_outcomes import Conflict, Likeness
from app.memory.fact_store import FactStore
from app.memory.facts import Draft, Fact, FactScope, new_fields, read_fact
from app.memory.likeness import Likenesses
from app.memory.recall import Recall
from app.memory.segment import VERSION, segment
from app.storage.off_loop import to_the_end
from tests.memory.fact_desk import HERE, SetClock, draft, tokens

NOW = SetClock().now()


def fact(name: str, content: str, scope: FactScope = "project") -> Fact:
    found = read_fact(new_fields(draft(content, scope), name, NOW, tokens), name, tokens)
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


# What is asked before the facts are read


async def ahead(
    index: FactIndex,
    content: str,
    known: Sequence[Fact],
    told: Sequence[Fact] | None,
    others: Sequence[Fact],
) -> tuple[str, list[str]]:
    """As `alike`, asked ahead among those known; then the index is told of others, or not."""
    recall = Recall[Fact](index)
    await recall.update(known)
    likenesses = Likenesses(index)
    await to_the_end(lambda: likenesses.ahead(draft(content)))
    if told is not None:
        await recall.update(told)
    like = await to_the_end(lambda: likenesses(content, others))
    again = await to_the_end(lambda: likenesses(content, others))
    assert like == again
    return like.duplicate.id if like.duplicate else "", [c.fact.id for c in like.conflicts]


OLD, NEW = fact("old", "项目使用 JDK 17"), "项目使用 JDK 21"


@pytest.mark.parametrize("told", [None, MANY, (*MANY, OLD), ()])
async def test_what_came_after_the_question_is_compared_too(
    index: FactIndex, told: Sequence[Fact] | None
) -> None:
    assert await ahead(index, NEW, MANY, told, (*MANY, OLD)) == ("", ["old"])


@pytest.mark.parametrize("told", [None, MANY, (*MANY, OLD)])
async def test_what_went_or_was_changed_after_the_question_is_no_likeness(
    index: FactIndex, told: Sequence[Fact] | None
) -> None:
    assert await ahead(index, NEW, (*MANY, OLD), told, MANY) == ("", [])
    changed = (*MANY, fact("old", "the office cat is called Miso"))
    assert await ahead(index, NEW, (*MANY, OLD), told, changed) == ("", [])


async def test_an_answer_for_another_text_or_scope_is_not_taken(index: FactIndex) -> None:
    everywhere = tuple(fact(f"g{n}", f"module {n} is everyone's", "global") for n in range(40))
    other = fact("other", "项目使用 JDK 17", "global")
    await Recall[Fact](index).update((*MANY, OLD, *everywhere, other))
    likenesses = Likenesses(index)
    await to_the_end(lambda: likenesses.ahead(draft(NEW)))
    like = await to_the_end(lambda: likenesses(NEW, (*everywhere, other)))
    assert [clash.fact.id for clash in like.conflicts] == ["other"]
    like = await to_the_end(lambda: likenesses("项目使用 JDK 11", (*MANY, OLD)))
    assert [clash.fact.id for clash in like.conflicts] == ["old"]


async def test_a_fact_that_moved_to_another_scope_is_compared_there(index: FactIndex) -> None:
    everywhere = tuple(fact(f"g{n}", f"module {n} is everyone's", "global") for n in range(40))
    moved = fact("old", OLD.content, "global")
    assert await alike(index, NEW, (*everywhere, moved), (*MANY, *everywhere, OLD)) == (
        "",
        ["old"],
    )


class Interrupted:
    """Asks ahead; then another program writes the file, before the lock is taken."""

    def __init__(self, likenesses: Likenesses, path: Path, new: Fact) -> None:
        self.likenesses, self.path, self.new = likenesses, path, new

    def ahead(self, draft: Draft) -> None:
        self.likenesses.ahead(draft)
        entries = json.loads(self.path.read_bytes())
        self.path.write_text(json.dumps([*entries, dict(self.new.fields)]), encoding="utf-8")

    def __call__(self, content: str, others: Sequence[Fact]) -> Likeness:
        return self.likenesses(content, others)


async def test_a_fact_written_between_question_and_lock_stops_the_save(
    index: FactIndex, tmp_path: Path
) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps([dict(one.fields) for one in MANY]), encoding="utf-8")
    compare = Interrupted(Likenesses(index), path, OLD)
    kept = FactStore(path, project=HERE, clock=SetClock(), compare=compare, tokens=tokens)
    await kept.refresh()
    await Recall[Fact](index).update(kept.facts)
    outcome = await kept.save(draft(NEW))
    assert isinstance(outcome, Conflict)
    assert [clash.fact.id for clash in outcome.existing] == ["old"]
