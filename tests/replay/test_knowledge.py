"""A replay tells again what a session would."""

from app.replay.knowledge import NEAREST, NEAREST_WIDE, WIDE
from app.session import chain_work


def test_as_many_entities_are_told_as_in_a_session() -> None:
    assert (NEAREST, NEAREST_WIDE) == (chain_work.NEAREST, chain_work.NEAREST_WIDE)
    assert WIDE == chain_work._WIDE
