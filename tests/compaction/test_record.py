"""The recovery block as it grows: what is nearest to the task, in whatever room there is."""

import pytest

from app.compaction.known import BlockShares, Known
from app.compaction.record import Record
from app.compaction.room import Room
from app.conversation.meter import Meter
from app.conversation.work_state import Entity
from app.memory.name_index import NameIndex
from app.memory.name_lists import Standing
from app.memory.name_score import Ranking
from app.text import Words
from tests.compaction.histories import user
from tests.conversation.metering import GENERIC

NEAREST = (
    Entity("command", "mvn -q verify", "ran", detail="exit 1", ok=False),
    Entity("file", "src/OrderCodec.java", "searched", detail="a pattern of many words " * 5),
    Entity("symbol", "decode", "edited", file="src/OrderCodec.java"),
    Entity("symbol", "encode", "edited", file="src/OrderCodec.java"),
    Entity("file", "src/Main.java", "read"),
)


@pytest.mark.parametrize("seen", [0, 40])
def test_what_is_nearest_keeps_within_its_room_and_names_each_file(seen: int) -> None:
    index = NameIndex()
    text = "\n".join(f"src/deep/only{at}.py" for at in range(seen))
    index.add(user(text or "Go on."))
    most_told = 0
    for share in range(0, 400, 5):
        for tokens in (share // 2, share, 1_000):
            room = Room(tokens, Meter(GENERIC))
            known = Known(nearest=NEAREST, ranking=Ranking(index))
            shares = BlockShares(rules=0, goal=0, files=0, progress=0, entities=share)
            record = Record(room, shares, known, Words("en"))
            record.add_nearest()
            reserved = record.reserve_names()
            record.add_names(Standing(()), reserved)
            told, lines = record.told, record.text.splitlines()
            assert room.left >= 0
            assert tokens - room.left >= told.tokens
            assert [one for one in NEAREST if one in told.nearest] == list(told.nearest)
            for name in ("decode", "encode"):
                line = next((one for one in lines if one.startswith(f"- {name} ")), "")
                assert not line or "src/OrderCodec.java" in record.text
            most_told = max(most_told, len(told.nearest))
    assert most_told == len(NEAREST)
