"""Many summaries in a row, and what stands beside their text."""

import json
from pathlib import Path

import pytest

from app.config.model import AuxiliarySettings
from app.events import Notice, Summarised
from app.llm.dialects import dialect_for
from app.session.learned import LearnedLimits
from tests.endpoint import Call, Endpoint, Say, Status
from tests.endpoint.script import Body, Step
from tests.endpoint.server import estimate
from tests.session.summing import (
    FAILURES,
    Ids,
    Summariser,
    at_length,
    counted,
    data_of,
    fill,
    prose,
    request,
    talking,
    texts,
    why,
)


class TestManyTimes:
    async def test_ten_in_a_row_by_a_summariser_that_fails_in_every_way(
        self, tmp_path: Path
    ) -> None:
        """Each is undone, byte for byte; then it is made for good (issue 6, "Done when")."""
        script = Summariser()
        script.talk = at_length
        ways = list(FAILURES.values())
        async with talking(tmp_path, script, window=20_000) as (recorded, endpoint):
            session = recorded.session
            for number in range(10):
                await fill(session, 4, 400, topic=f"round {number}")
                before, node = request(session), session.node
                for step in ways[number::10]:
                    script.answers = [step] * 40
                    assert not await session.compact()
                    assert (request(session), session.node) == (before, node)
                script.answers.clear()
                assert await session.compact(), why(recorded)
                assert await session.undo_summary()
                assert (request(session), session.node) == (before, node)
                assert await session.compact(), why(recorded)
                generation = recorded.of("summarized")[-1]
                assert isinstance(generation, Summarised)
                assert generation.generation == number + 1
            await session.run("And now?")
            assert session.outcome.ok
            shown = request(session)
            assert "round 0 0 line 0:" in shown, "the goal"
            assert "round 9 3 line 0:" in shown, "the newest"
            ids = [one.id for one in session.history]
            assert len(ids) == len(set(ids))
            assert endpoint.violations == []
            child = session.node
        async with talking(tmp_path, script, window=20_000, new_id=Ids()) as (recorded, _):
            await recorded.session.resume(child)
            assert request(recorded.session) == shown

    async def test_what_stands_beside_the_summary(self, tmp_path: Path) -> None:
        """The goal, the changed files, the user's words, what is pinned, references."""
        script = Summariser()
        calls = iter(
            [
                Call("write_file", {"path": "made.py", "content": "x = 1\n"}),
                Call("edit_file", {"path": "absent.py", "old": "a", "new": "b"}),
                Call("read_file", {"path": "notes.md"}),
            ]
        )

        def talk(body: Body) -> Say:
            asks = "do it" in str(body["messages"][-1]["content"])
            again = body["messages"][-1]["role"] == "tool"
            call = next(calls, None) if asks or again else None
            if call is None:
                return Say("Done. " + prose("answer", 3_000), usage=counted(body, 750))
            return Say(calls=[call], usage=counted(body, 9))

        script.talk = talk
        async with talking(tmp_path, script, window=20_000) as (recorded, endpoint):
            session = recorded.session
            (recorded.root / "notes.md").write_text("The port is 5433, see docs/ports.md.\n" * 30)
            await session.run("Build me a parser for ports, do it")
            result = next(one for one in session.history if one.tool == "read_file")
            await session.pin([result.id], True)
            await session.run("Use tabs, please")
            await fill(session, 5, 400)
            for generation in (1, 2):
                assert await session.compact(), why(recorded)
                bearer = session.history[1]
                assert bearer.summary is not None
                assert bearer.summary.generation == generation
                shown = json.loads(request(session))[1]["content"]
                shown = shown if isinstance(shown, str) else "".join(p["text"] for p in shown)
                assert shown.startswith("<recovery>")
                assert shown.count("Build me a parser for ports, do it") == 1
                assert shown.count("Use tabs, please") == 1
                assert "made.py" in shown[: shown.index("</recovery>")]
                assert "- absent.py (an edit failed" in shown, "told as what failed, not as changed"
                assert shown.count("docs/ports.md") == 30, "pinned"
                assert shown.index("docs/ports.md") < shown.index("<summary")
                assert "read_history(" in shown
                (tmp_path / "project" / f"again{generation}").write_text("")
                await fill(session, 6, 400, f"more {generation}")
            assert endpoint.violations == []

    async def test_reasoning_that_a_model_demands_goes_with_the_acknowledgement(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        deepseek = dialect_for("https://api.deepseek.com", "deepseek-chat")
        monkeypatch.setattr("app.session.summarising.dialect_for", lambda *_: deepseek)
        async with talking(tmp_path, Summariser()) as (recorded, _):
            await fill(recorded.session, 6)
            assert await recorded.session.compact()
            reasoning = recorded.session.history[2].reasoning
            assert reasoning is not None
            assert reasoning.send

    async def test_another_model_may_write_them(self, tmp_path: Path) -> None:
        script, other = Summariser(), Summariser()
        async with (
            Endpoint(other, models=("small",)) as apart,
            talking(
                tmp_path, script, auxiliary=AuxiliarySettings(name="small", base_url=apart.base_url)
            ) as (recorded, endpoint),
        ):
            session = recorded.session
            await fill(session, 6)
            assert await session.compact(), why(recorded)
            assert not script.asked
            (asked,) = other.asked
            assert asked["model"] == "small"
            assert "tools" not in asked, "it isn't shown the session"
            assert prose("topic 0", 4_000).splitlines()[3] in "".join(texts(asked))
            row = next(one for one in reversed(recorded.ledger) if one["kind"] == "usage")
            assert (data_of(row)["model"], data_of(row)["purpose"]) == ("small", "summary")
            other.answers = [FAILURES["401"]] * 9
            await fill(session, 2, 4_000, "more")
            assert not await session.compact()
            assert (await session.run("Go on.")).ok
            assert [*endpoint.violations, *apart.violations] == []

    @pytest.mark.parametrize("stated", [True, False])
    async def test_what_its_window_takes_is_learned(self, tmp_path: Path, stated: bool) -> None:
        """Else each summary there would pay a refused request first; `/window auto` forgets it."""
        script, other = Summariser(), Summariser()
        refused: list[Body] = []

        def answer(body: Body) -> Step:
            if estimate(body) + body["max_tokens"] <= 7_000:
                return other(body)
            refused.append(body)
            more = "maximum context length is 7000 tokens" if stated else "prompt is too long"
            return Status(400, {"error": {"message": more, "code": "context_length_exceeded"}})

        async with Endpoint(answer, models=("small",)) as apart:
            small = AuxiliarySettings(name="small", base_url=apart.base_url)
            limits = LearnedLimits(tmp_path / "haima" / "limits.json")
            for number in range(2):
                ids = Ids(1_000 * (number + 1))
                async with talking(tmp_path, script, auxiliary=small, new_id=ids) as (recorded, _):
                    for topic in ("one", "two"):
                        await fill(recorded.session, 6, topic=topic)
                        await recorded.session.compact()
                    assert len(recorded.of("summarized")) >= 2, why(recorded)
                    assert len(refused) == 1, "only the very first one"
                    said = [one.text for one in recorded.of("notice") if isinstance(one, Notice)]
                    told = ["/window auto forgets that" in text for text in said]
                    assert told.count(True) == (1 if number == 0 else 0)
                    known = limits.find(apart.base_url, "small")
                    assert known is not None
                    assert known.source == ("stated" if stated else "guessed")
                    if number == 1:
                        recorded.session.context.set_window(None)
            assert limits.find(apart.base_url, "small") is None
            assert apart.violations == []

    async def test_the_costs_are_told_apart(self, tmp_path: Path) -> None:
        script = Summariser(FAILURES["no headings"])
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            before = await session.usage()
            assert await session.compact(), why(recorded)
            spent = [row for row in recorded.ledger if row["kind"] == "usage"]
            summaries = [row for row in spent if data_of(row).get("purpose") == "summary"]
            assert len(summaries) == 1, "the first answer told none"
            after = await session.usage()
            assert after.prompt > before.prompt
