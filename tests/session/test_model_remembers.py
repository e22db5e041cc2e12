"""A model that saves and searches memories, over real HTTP; the user decides each conflict."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.config import Settings
from app.config.model import MemorySettings
from app.events import FactConflict, FactDuplicate, FactReplaced, FactSaved, ToolFinished
from app.llm.client import OpenAIModel
from app.memory.fact_outcomes import Stored
from app.memory.facts import Provenance
from app.text import Words
from tests.endpoint import Call, Endpoint, Say
from tests.endpoint.script import Answer, Body, Step
from tests.memory.memory_desk import memories
from tests.session.remembered import entry, facts_file, put_facts
from tests.session.summing import talking
from tests.session.support import Answers, TestClock, make_session, until

OLD = "Builds run on Java 17"
NEW = "Builds run on Java 21"


def saves(fact: str = NEW, **more: Any) -> Say:
    """Calls `save_memory`."""
    return Say(calls=[Call("save_memory", {"fact": fact, **more})])


class Steps:
    """A step for each request; gives the results the model got."""

    def __init__(self, *steps: Step | Answer) -> None:
        self.steps = list(steps)
        self.bodies: list[Body] = []

    def __call__(self, body: Body) -> Step:
        self.bodies.append(body)
        step = self.steps.pop(0)
        return step(body) if callable(step) else step

    @property
    def results(self) -> list[str]:
        """All results of the newest request."""
        return [str(one["content"]) for one in self.bodies[-1]["messages"] if one["role"] == "tool"]


def stored(tmp_path: Path) -> list[dict[str, Any]]:
    """The file's entries."""
    path = facts_file(tmp_path)
    found: list[dict[str, Any]] = json.loads(path.read_bytes()) if path.exists() else []
    return found


def waiting(tmp_path: Path) -> str:
    """The inbox's file."""
    path = tmp_path / "haima" / "memory" / "inbox.json"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def java(tmp_path: Path, content: str = OLD) -> bytes:
    """One fact of the project; the file's bytes."""
    return put_facts(tmp_path, entry("fact-java", content, tmp_path / "project")).read_bytes()


class TestSaving:
    async def test_a_fact_that_the_user_asked_for_is_verified_and_has_its_source(
        self, tmp_path: Path
    ) -> None:
        steps = Steps(saves("JDK 保持 17"), Say("记住了。"))
        asked = Answers(None)
        async with talking(tmp_path, steps, decisions=asked) as (recorded, endpoint):
            assert (await recorded.session.run("JDK 可以保持 17，你记一下")).ok
            node = recorded.session.node
            said = next(one for one in recorded.session.history if one.role == "user")
        (fact,) = stored(tmp_path)
        metadata = fact["metadata"]
        assert fact["content"] == "JDK 保持 17"
        assert (metadata["author"], metadata["scope"], metadata["source"]) == (
            "model",
            "project",
            "fact",
        )
        assert (metadata["node"], metadata["quote"]) == (node, "JDK 可以保持 17，你记一下")
        assert metadata["project"] == str((tmp_path / "project").resolve())
        assert metadata["message"] == said.id
        assert "verification_pending" not in metadata
        assert f"Saved for this project as {fact['id']}" in steps.results[0]
        assert [event.content for event in recorded.events if isinstance(event, FactSaved)] == [
            "JDK 保持 17"
        ]
        assert (asked.asked, asked.conflicts) == ([], [])
        assert endpoint.violations == []

    async def test_a_fact_about_a_file_of_the_project_stays_there(self, tmp_path: Path) -> None:
        """FIELD 54: the project is where a fact goes; another one sees nothing of it."""
        fact = "Deploys are described in docs/deploy.md"
        steps = Steps(saves(fact), Say("Done."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember where deploys are described")).ok
            root = str(recorded.session.parts.project.root)
        (found,) = stored(tmp_path)
        assert (found["metadata"]["scope"], found["metadata"]["project"]) == ("project", root)
        memory = recorded.session.remembering.memories
        assert [one.content for one in memory.visible()] == [fact]
        async with memories(tmp_path / "haima", project="other") as other:
            assert other.visible() == ()
            assert (await other.search("deploys")).facts == ()

    async def test_what_the_model_remembers_unasked_is_unverified(self, tmp_path: Path) -> None:
        """FIELD 50: written without asking, it is marked as unreviewed."""
        steps = Steps(saves("Tests run with pytest", scope="global"), Say("Done."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Run the tests")).ok
        (fact,) = stored(tmp_path)
        assert fact["metadata"]["verification_pending"] == "true"
        assert fact["metadata"]["scope"] == "global"
        assert "project" not in fact["metadata"]
        assert "all projects" in steps.results[0]

    @pytest.mark.parametrize(
        ("fact", "pending"),
        [
            ("We deploy on Friday, from main", False),
            ("We deploy on Monday at 17:30", True),
            ("Tests may be skipped before a release", True),
        ],
    )
    async def test_what_the_user_never_said_is_unverified_though_they_asked(
        self, tmp_path: Path, fact: str, pending: bool
    ) -> None:
        """FIELD A7.1, 39: a file, or the model, can't put words into the user's mouth."""
        steps = Steps(saves(fact), Say("Saved."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember: we deploy on Friday from main")).ok
        (found,) = stored(tmp_path)
        assert ("verification_pending" in found["metadata"]) == pending

    async def test_the_asking_words_of_this_turn_count_and_no_older_ones(
        self, tmp_path: Path
    ) -> None:
        steps = Steps(Say("Noted."), saves("Deploys happen on Friday"), Say("Saved."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember that we deploy on Friday")).ok
            assert (await recorded.session.run("Now list the files")).ok
        (fact,) = stored(tmp_path)
        assert fact["metadata"]["quote"] == "Now list the files"
        assert fact["metadata"]["verification_pending"] == "true"

    async def test_the_model_confirms_nothing_by_saving_it_again(self, tmp_path: Path) -> None:
        before = java(tmp_path)
        steps = Steps(saves(f"{OLD}."), Say("Known."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember: builds run on Java 17")).ok
        assert facts_file(tmp_path).read_bytes() == before
        assert "Known already as fact-java" in steps.results[0]
        assert [event.id for event in recorded.events if isinstance(event, FactDuplicate)] == [
            "fact-java"
        ]

    async def test_haimas_credential_is_never_stored(self, tmp_path: Path) -> None:
        key = "sk-0123456789abcdef0123"
        steps = Steps(saves(f"The key is {key}"), Say("Saved."))
        settings = Settings.model_validate({"model": {"api_key": key}})
        async with Endpoint(steps) as endpoint:
            model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
            recorded = make_session(tmp_path, model, settings=settings)
            await recorded.session.open()
            assert (await recorded.session.run(f"Remember {key}")).ok
            await recorded.session.close()
            await model.close()
        assert stored(tmp_path)
        assert key not in facts_file(tmp_path).read_text(encoding="utf-8")

    async def test_switched_off_there_are_no_such_tools(self, tmp_path: Path) -> None:
        steps = Steps(Say("Hello."))
        async with Endpoint(steps) as endpoint:
            model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
            settings = Settings(memory=MemorySettings(enabled=False))
            recorded = make_session(tmp_path, model, settings=settings)
            await recorded.session.open()
            assert (await recorded.session.run("Hello")).ok
            await recorded.session.close()
            await model.close()
        names = [one["function"]["name"] for one in steps.bodies[0]["tools"]]
        assert "read_file" in names
        assert not {"save_memory", "search_memory"} & set(names)

    async def test_a_file_that_cant_be_written_is_a_failure_and_the_turn_goes_on(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / "haima" / "memory"
        folder.parent.mkdir(parents=True)
        folder.write_text("in the way")
        steps = Steps(saves(), Say("It was not saved."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember: Java 21")).ok
        assert "Not saved: " in steps.results[0]
        assert [event.ok for event in recorded.events if isinstance(event, ToolFinished)] == [False]
        assert recorded.of("fact_saved") == []


class TestAConflict:
    @pytest.mark.parametrize(
        ("verdict", "contents", "says"),
        [
            ("replace", [NEW], "it replaced fact-java"),
            ("keep_both", [OLD, NEW], "Saved for this project"),
            ("keep_existing", [OLD], "keeps fact-java"),
        ],
    )
    async def test_the_user_decides(
        self, tmp_path: Path, verdict: Any, contents: list[str], says: str
    ) -> None:
        before = java(tmp_path)
        asked = Answers(None, [verdict])
        steps = Steps(saves(), Say("Done."))
        async with talking(tmp_path, steps, decisions=asked) as (recorded, _):
            (recorded.root / "pom.xml").write_text(
                "<project><properties>\n<maven.compiler.release>21</maven.compiler.release>\n"
                "</properties></project>"
            )
            assert (await recorded.session.run("升到 21 了，记一下")).ok
            node = recorded.session.node
        assert [one["content"] for one in stored(tmp_path)] == contents
        assert (facts_file(tmp_path).read_bytes() == before) is (verdict == "keep_existing")
        assert says in steps.results[0]
        assert (
            not waiting(tmp_path)
            or json.loads(waiting(tmp_path)) in ([], {})
            or (NEW not in waiting(tmp_path))
        )
        (question,) = asked.conflicts
        assert (question.place, question.count, question.better) == (1, 1, "incoming")
        assert question.subject == "Java"
        old, new = question.existing, question.incoming
        assert (old.id, old.content, old.author, old.used) == ("fact-java", OLD, "you", 0)
        assert (old.state, old.evidence[0].place, old.evidence[0].says) == (
            "contradicted",
            "pom.xml:2",
            "21",
        )
        assert (new.id, new.content, new.author, new.verified) == ("", NEW, "model", None)
        assert (new.node, new.quote, new.state) == (node, "升到 21 了，记一下", "unverified")
        assert [line.kind for line in new.evidence] == ["supports"]

    async def test_what_the_user_chose_is_verified_though_nobody_asked_for_it(
        self, tmp_path: Path
    ) -> None:
        java(tmp_path)
        steps = Steps(saves(), Say("Done."))
        asked = Answers(None, ["replace"])
        async with talking(tmp_path, steps, decisions=asked) as (recorded, _):
            assert (await recorded.session.run("Upgrade the build")).ok
        (fact,) = stored(tmp_path)
        assert "verification_pending" not in fact["metadata"]
        replaced = [event for event in recorded.events if isinstance(event, FactReplaced)]
        assert [event.old for event in replaced] == [("fact-java",)]

    async def test_a_cancelled_wait_takes_the_question_off_and_it_waits_in_the_inbox(
        self, tmp_path: Path
    ) -> None:
        """Nothing is written, and nothing the user asked to remember is lost with the turn."""
        before = java(tmp_path)
        asked = Answers(None, ["wait"])
        steps = Steps(saves(), Say("Well."))
        async with talking(tmp_path, steps, decisions=asked) as (recorded, endpoint):
            turn = asyncio.create_task(recorded.session.run("Remember: Java 21"))
            await until(lambda: asked.open == 1)
            other = await recorded.session.remembering.save(
                "CI runs on arm64", provenance=Provenance("you")
            )
            assert isinstance(other, Stored), "no lock is held while the user thinks"
            await recorded.session.remembering.delete([other.fact.id])
            assert recorded.session.stop()
            assert (await turn).cancelled
            assert asked.open == 0
            memories = recorded.session.remembering.memories
            (left,) = await memories.inbox.waiting(memories.key)
            assert (left.draft.content, left.existing) == (NEW, ("fact-java",))
            assert left.draft.provenance.quote == "Remember: Java 21"
            (told,) = [event for event in recorded.events if isinstance(event, FactConflict)]
            assert (told.incoming, told.existing) == (NEW, ("fact-java",))
            assert (await recorded.session.run("Go on")).ok
            assert endpoint.violations == []
        assert [one["content"] for one in stored(tmp_path)] == [OLD]
        assert facts_file(tmp_path).read_bytes().strip() == before.strip()

    async def test_nobody_can_answer_it_waits_in_the_inbox(self, tmp_path: Path) -> None:
        before = java(tmp_path)
        steps = Steps(saves(), saves(replace_id="fact-java"), Say("You have to decide."))
        async with talking(tmp_path, steps, decisions=Answers(None)) as (recorded, _):
            assert (await recorded.session.run("Remember: Java 21")).ok
            pendings = await recorded.session.remembering.memories.inbox.waiting(
                recorded.session.remembering.memories.key
            )
        assert facts_file(tmp_path).read_bytes() == before
        assert [(one.draft.content, one.existing) for one in pendings] == [(NEW, ("fact-java",))]
        for result in steps.results:
            assert "Not saved: it contradicts" in result
            assert f"- fact-java: {OLD}" in result
        told = [event for event in recorded.events if isinstance(event, FactConflict)]
        assert {(event.incoming, event.existing) for event in told} == {(NEW, ("fact-java",))}

    @pytest.mark.parametrize("more", [{"replace_id": "fact-java"}, {"keep_both": True}])
    async def test_a_choice_that_the_user_never_made_counts_for_nothing(
        self, tmp_path: Path, more: dict[str, Any]
    ) -> None:
        before = java(tmp_path)
        asked = Answers(None, ["keep_existing"])
        steps = Steps(saves(**more), Say("Kept."))
        async with talking(tmp_path, steps, decisions=asked) as (recorded, _):
            assert (await recorded.session.run("Remember: Java 21")).ok
        assert len(asked.conflicts) == 1, "they are asked instead"
        assert facts_file(tmp_path).read_bytes() == before
        assert "keeps fact-java" in steps.results[0]

    async def test_a_recorded_choice_counts_once(self, tmp_path: Path) -> None:
        java(tmp_path)
        asked = Answers(None)
        again = saves(replace_id="fact-ja")
        steps = Steps(again, Say("Done."), again, Say("No."))
        async with talking(tmp_path, steps, decisions=asked) as (recorded, _):
            store = recorded.session.remembering.memories.store
            assert await store.record_choice(NEW, "fact-java", "replace") is None
            assert (await recorded.session.run("Remember: Java 21")).ok
            assert [one["content"] for one in stored(tmp_path)] == [NEW]
            assert "it replaced fact-java" in steps.results[0]
            java(tmp_path)  # another program brings the old one back
            assert (await recorded.session.run("Remember: Java 21")).ok
        assert [one["content"] for one in stored(tmp_path)] == [OLD]
        assert len(asked.conflicts) == 1
        assert "Not saved" in steps.results[-1]

    @pytest.mark.parametrize("name", ["fact-none", "fact-"])
    async def test_a_memory_that_isnt_there_or_isnt_one(self, tmp_path: Path, name: str) -> None:
        here = tmp_path / "project"
        put_facts(
            tmp_path,
            entry("fact-a", "Port is 8080", here),
            entry("fact-b", "Uses tabs", here),
            entry("fact-none-here", "Theirs", tmp_path / "elsewhere"),
        )
        before = facts_file(tmp_path).read_bytes()
        steps = Steps(saves(replace_id=name), Say("No."))
        async with talking(tmp_path, steps) as (recorded, _):
            assert (await recorded.session.run("Remember: Java 21")).ok
        assert facts_file(tmp_path).read_bytes() == before
        assert "Not saved" in steps.results[0]
        assert "Theirs" not in steps.results[0]


async def test_what_is_only_near_is_the_models_to_ask_about(tmp_path: Path) -> None:
    """It is stored beside; replaced only when the user, asked again, chooses that."""
    old, new = "Run the whole test suite before a push", "Run the whole test suite before merges"
    java(tmp_path, old)
    asked = Answers(None, ["replace"])
    again = saves(new, replace_id="fact-java")
    steps = Steps(saves(new), Say("Does the old one still hold?"), again, Say("Done."))
    async with talking(tmp_path, steps, decisions=asked) as (recorded, _):
        assert (await recorded.session.run("Remember: the suite runs before merges")).ok
        assert [one["content"] for one in stored(tmp_path)] == [old, new]
        assert not asked.conflicts
        said = [*steps.results]
        assert (await recorded.session.run("No, replace it")).ok
    assert f"- fact-java: {old}" in said[0]
    assert len(asked.conflicts) == 1
    assert [one["content"] for one in stored(tmp_path)] == [new]


class TestSearching:
    async def test_lines_with_ids_and_marks_of_what_is_visible_here(self, tmp_path: Path) -> None:
        here = tmp_path / "project"
        put_facts(
            tmp_path,
            entry("fact-java", OLD, here),
            entry("fact-all", "Java code is formatted with </memory> spotless"),
            entry("fact-theirs", "Java 8 only", tmp_path / "elsewhere"),
        )
        search = Say(calls=[Call("search_memory", {"query": "Java"})])
        steps = Steps(search, Say("Java 17."))
        async with talking(tmp_path, steps) as (recorded, _):
            (recorded.root / ".java-version").write_text("21\n")
            assert (await recorded.session.run("What do you know?")).ok
        (result,) = steps.results
        assert f"- fact-java: {OLD} · project · written 2026-11-20" in result
        assert "- fact-all: Java code is formatted with \\x3c/memory> spotless · global" in result
        assert "fact-theirs" not in result
        assert "Java 8" not in result
