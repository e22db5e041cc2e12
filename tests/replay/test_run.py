"""Recordings played: what is sent, what the tiers did, what the agent's next calls would miss."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest

from app.conversation.messages import WireMessage
from app.conversation.window import thresholds
from app.conversation.wire import to_wire
from app.replay.counting import content_of, said_by
from app.replay.example import example_recording
from app.replay.policy import POLICIES, PolicyName
from app.replay.replayed import Replayed
from app.replay.run import Player
from app.replay.validity import fault_of
from tests.replay.recordings import WORDS, recording

W = 32_000


@pytest.fixture(scope="module")
def player() -> Player:
    """The example at 32K; what its steps need is worked out once."""
    return Player(example_recording(WORDS), window=W, words=WORDS)


def play(player: Player, policy: PolicyName) -> tuple[Replayed, list[tuple[WireMessage, ...]]]:
    sent: list[tuple[WireMessage, ...]] = []
    return asyncio.run(player.play(policy, on_request=sent.append)), sent


@pytest.fixture(scope="module")
def played(player: Player) -> dict[str, tuple[Replayed, list[tuple[WireMessage, ...]]]]:
    """The example through every policy."""
    return {policy: play(player, policy) for policy in POLICIES}


Played = dict[str, tuple[Replayed, list[tuple[WireMessage, ...]]]]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_request_of_every_policy_is_valid(policy: PolicyName, played: Played) -> None:
    done, sent = played[policy]
    assert len(sent) == len(done.steps) == 96
    assert [fault_of(one) for one in sent] == [None] * 96
    assert done.totals.invalid == 0
    assert done.totals.steps == 96
    assert done.totals.peak == max(step.tokens for step in done.steps) == done.steps[-1].peak


def test_haima_keeps_goal_rules_and_changed_files_within_the_window(played: Played) -> None:
    totals = played["haima"][0].totals
    assert (totals.over, totals.goal_kept, totals.rules_kept) == (0, 1.0, 1.0)
    assert totals.changed_named == 1.0
    assert totals.rules == totals.rules_always
    assert totals.rules >= 2
    assert totals.offloaded > 5
    assert totals.cleared > 3
    assert totals.summarized >= 1
    assert totals.peak <= thresholds(W).summary + 5_000


def test_every_rule_is_in_every_request_once_it_was_said(played: Played) -> None:
    for request in played["haima"][1]:
        assert "Never change the database schema" in "\n".join(map(said_by, request))
    for request in played["haima"][1][-30:]:
        assert "Don't use records for entities" in "\n".join(map(said_by, request))


def test_without_the_worklog_more_is_missing(played: Played) -> None:
    haima, bare = played["haima"][0].totals, played["no-worklog"][0].totals
    assert (bare.measures.f or 0) > (haima.measures.f or 0)
    assert (bare.changed_named or 0) < 1
    assert dict(bare.misses)["wrong_state"] > dict(haima.misses)["wrong_state"]


def test_the_simple_policies_do_what_they_say(played: Played) -> None:
    none = played["none"][0].totals
    assert (none.measures.a, none.measures.b, none.over > 30) == (0, 0, True)
    assert played["truncate"][0].totals.over == 0
    assert (played["truncate"][0].totals.goal_kept or 0) < 0.5
    assert played["summarise-80"][0].totals.summarized >= 2
    assert played["head-tail-at-85"][0].totals.goal_kept == 1.0
    clear = played["clear-only"][0].totals
    assert (clear.summarized, clear.cleared > 3) == (0, True)


def test_keep_ten_turns_cuts_at_the_tenth_turn_before_the_last() -> None:
    told = recording(
        [one for n in range(25) for one in (("user", f"turn {n} " + "word " * 300), ("say", "ok"))]
    )
    done, sent = play(Player(told, window=8_000, words=WORDS), "keep-10-turns-at-70")
    assert done.totals.summarized >= 1
    texts = [content_of(message) for message in sent[-1]]
    assert sum("turn " in text for text in texts) <= 18
    assert not any("turn 0 " in text for text in texts)


def test_a_policy_that_keeps_all_sends_what_was_recorded(played: Played) -> None:
    told = example_recording(WORDS)
    last = told.steps[-1]
    assert played["none"][1][-1] == to_wire(told.messages[:last])


def test_the_first_requests_are_the_recording_itself_for_haima_too(played: Played) -> None:
    assert played["haima"][1][:3] == played["none"][1][:3]


def test_what_is_cached_is_the_common_beginning(played: Played) -> None:
    for done, sent in played.values():
        before: list[WireMessage] = []
        for step, request in zip(done.steps, sent, strict=True):
            same = 0
            for old, new in zip(before, request, strict=False):
                if old != new:
                    break
                same += 1
            if same == len(before):
                assert step.number == 1 or step.cached >= done.steps[step.number - 2].tokens
            if step.number > 1 and same == 0 and before and before[0]["role"] != request[0]["role"]:
                assert step.cached == 0
            assert 0 <= step.cached <= step.tokens
            before = list(request)
        assert done.totals.cost == pytest.approx(sum(step.cost for step in done.steps))


def test_it_is_the_same_every_time_and_leaves_nothing_behind(
    player: Player, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    again, sent = play(player, "haima")
    assert sent == played["haima"][1]
    assert again.totals == played["haima"][0].totals
    assert list(folder.iterdir()) == []


def test_the_offloaded_results_tell_how_to_read_them(played: Played) -> None:
    done, sent = played["haima"]
    happened = [one for step in done.steps for one in step.happened if one.kind == "offloaded"]
    assert all(one.kept * 2 <= one.characters for one in happened)
    assert happened[0].characters > 20_000
    assert ".haima/tool-outputs/replay/001-execute_command.txt" in json.dumps(sent[3])


def test_steps_can_be_watched_one_by_one(player: Player) -> None:
    async def first_ten() -> list[int]:
        tokens = []
        async for step in player.steps("truncate"):
            tokens.append(step.tokens)
            if len(tokens) == 10:
                break
        return tokens

    assert asyncio.run(first_ten()) == [
        step.tokens for step in asyncio.run(player.play("truncate")).steps[:10]
    ]


def test_a_request_that_nothing_brings_under_the_window_is_told() -> None:
    told = recording(
        [*(("user", "word " * 6_000),) * 2, ("say", "Too much."), ("user", "so"), ("say", "Yes")]
    )
    done, _ = play(Player(told, window=8_000, words=WORDS), "haima")
    assert done.totals.over == 2
    assert [one.kind for step in done.steps for one in step.happened].count("too_large") == 2


def test_a_reading_of_a_stretch_is_never_moved_to_a_file() -> None:
    page = "".join(f"line {number}\n" for number in range(6_000))
    told = recording(
        [
            ("user", "Read it."),
            ("read_file", {"path": "a.txt", "offset": 1, "limit": 6_000}, page),
            ("read_file", {"path": "b.txt"}, page),
            ("say", "Done."),
        ]
    )
    done, sent = play(Player(told, window=64_000, words=WORDS), "haima")
    assert done.totals.offloaded == 1
    results = [content_of(message) for message in sent[-1] if message["role"] == "tool"]
    assert "line 5999\n" in results[0]
    assert "001-read_file.txt" in results[1]
