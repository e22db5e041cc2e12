"""Limits learned from refusals: what lies on the disk, and what becomes of a broken file."""

import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.errors import HaimaError
from app.session.learned import LearnedLimits, LimitsUnreadable
from app.storage import StorageError
from app.text import Words

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "https://api.example.com/v1"


def limits_in(folder: Path) -> LearnedLimits:
    return LearnedLimits(folder / "kept" / "limits.json", lambda: NOON)


def test_nothing_is_known_and_nothing_is_made_by_looking(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    assert limits.find(URL, "m") is None
    limits.forget(URL, "m")
    assert not limits.path.parent.exists()


def test_what_is_kept_is_found_by_another_object(tmp_path: Path) -> None:
    limits_in(tmp_path).keep(URL, "m", 65_536, "stated", 131_072)
    known = limits_in(tmp_path).find(URL, "m")
    assert known is not None
    assert (known.limit, known.source, known.live, known.at) == (65_536, "stated", 131_072, NOON)
    assert limits_in(tmp_path).find(URL, "n") is None
    assert limits_in(tmp_path).find("https://api.example.com/v2", "m") is None
    path = limits_in(tmp_path).path
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["limits.json"], "no lock, no half file"


def test_a_later_one_takes_its_place_and_the_others_stay(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    limits.keep(URL, "m", 65_536, "stated")
    limits.keep(URL, "n", 32_768, "stated")
    limits.keep(URL, "m", 50_000, "guessed")
    assert [one["limit"] for one in json.loads(limits.path.read_bytes())] == [32_768, 50_000]
    limits.forget(URL, "m")
    assert limits.find(URL, "m") is None
    assert limits.find(URL, "n") is not None


def test_passwords_and_keys_of_an_address_are_not_kept(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    limits.keep("https://me:secret@api.example.com/v1/?key=hidden", "m", 65_536, "stated")
    text = limits.path.read_text()
    assert "secret" not in text
    assert "hidden" not in text
    assert limits.find(URL, "m") is not None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b"[1]", b'[{"model": "m"}]', b"\xff\xfe", b"null"]
)
def test_a_file_that_is_something_else_is_told_and_begun_anew(
    tmp_path: Path, content: bytes
) -> None:
    limits = limits_in(tmp_path)
    limits.path.parent.mkdir()
    limits.path.write_bytes(content)
    with pytest.raises(LimitsUnreadable) as caught:
        limits.find(URL, "m")
    for language in ("en", "zh"):
        assert str(limits.path) in caught.value.sentence(Words(language))
    limits.keep(URL, "m", 65_536, "stated")
    assert limits.find(URL, "m") is not None


def test_a_limit_that_is_none_spoils_the_file_only_until_the_next(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    limits.keep(URL, "m", 65_536, "stated")
    limits.path.write_text(limits.path.read_text().replace("65536", "-1"))
    with pytest.raises(HaimaError):
        limits.find(URL, "m")


def test_a_folder_in_its_place_is_an_error_that_names_it(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    limits.path.mkdir(parents=True)
    with pytest.raises(StorageError, match=r"limits\.json"):
        limits.find(URL, "m")
    with pytest.raises(StorageError, match=r"limits\.json"):
        limits.keep(URL, "m", 65_536, "stated")
    with pytest.raises(StorageError, match=r"limits\.json"):
        limits.forget(URL, "m")


def test_it_stays_small(tmp_path: Path) -> None:
    limits = limits_in(tmp_path)
    entry = {"base_url": URL, "limit": 9_000, "source": "stated", "at": NOON.isoformat()}
    limits.path.parent.mkdir()
    limits.path.write_text(json.dumps([entry | {"model": str(n)} for n in range(500)]))
    limits.keep(URL, "new", 65_536, "stated")
    assert len(json.loads(limits.path.read_bytes())) == 200
    assert limits.find(URL, "new") is not None
    assert limits.find(URL, "499") is not None
    assert limits.find(URL, "0") is None


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    names = [str(number) for number in range(8)]
    threads = [
        threading.Thread(target=limits_in(tmp_path).keep, args=(URL, name, 9_000, "stated"))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(limits_in(tmp_path).find(URL, name) for name in names)
