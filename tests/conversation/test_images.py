"""Which files are pictures, what they weigh, how they are told."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.images import (
    Sight,
    file_bytes,
    image_kind,
    is_data,
    picture,
    sent_bytes,
    told,
)
from app.conversation.messages import ImagePart

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", None),
        (b"<svg", None),
        (b"BM", None),
        (b"", None),
        (b"\x89PNG", None),
    ],
)
def test_a_picture_is_known_by_its_beginning(start: bytes, kind: str | None) -> None:
    assert image_kind(start) == kind
    made = picture("a", start)
    assert (made is None) == (kind is None)
    if made is not None:
        assert made.url.startswith(f"data:{kind};base64,")
        assert is_data(made.url)


@given(st.binary(max_size=100))
def test_nothing_of_a_picture_is_lost_and_its_size_is_known(rest: bytes) -> None:
    made = picture("a/b.png", PNG + rest)
    assert made is not None
    assert base64.b64decode(made.url.partition(",")[2]) == PNG + rest
    assert file_bytes(made) == len(PNG + rest)
    assert sent_bytes(made) == len(made.url.partition(",")[2])


def test_it_is_told_by_name_and_size() -> None:
    made = picture("a/b.png", PNG + bytes(1_200_000))
    assert made is not None
    assert told(made) == "a/b.png 1.2 MB"
    assert told(ImagePart("https://example.org/a.png")) == "https://example.org/a.png"
    assert file_bytes(ImagePart("https://example.org/a.png")) == 0


@pytest.mark.parametrize("url", ["https://x/", "data:text/plain,a", "data:image/png;base64,é"])
def test_only_base64_is_left_alone(url: str) -> None:
    assert not is_data(url)


def test_the_largest_picture_fits_into_its_share_of_a_request() -> None:
    for body in (2 * 1024 * 1024, 20_000_000):
        sight = Sight(body=body)
        made = picture("a", PNG + bytes(sight.largest() - len(PNG)))
        assert made is not None
        assert len(made.url) <= sight.room() < body
