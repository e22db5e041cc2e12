"""How long to wait: what the headers ask, else doubling with jitter."""

import pytest

from app.llm.waits import asked_wait, backoff
from tests.llm.support import NOON


def test_backoff_doubles_from_half_a_second() -> None:
    assert [backoff(n, 0.5) for n in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, 4.0]


def test_jitter_is_a_quarter_either_way() -> None:
    assert backoff(1, 0.0) == pytest.approx(0.375)
    assert backoff(1, 1.0) == pytest.approx(0.625)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1"}, 1.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:05 GMT"}, 5.0),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:05 -0000"}, 5.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_what_the_headers_ask(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOON) == seconds
