"""Limits that endpoints told when a request was too long, kept from one process to the next.

`~/.haima/limits.json` (PROVIDERS 1.3: what a provider says of a window differs from every list by
up to a fifth; the refusal is the truth). It is state, not a setting: a file that can't be read is
told and begun anew, and losing it costs one refused request.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from app.errors import HaimaError
from app.llm.place import Place
from app.storage import Conflict, Lock, StorageError, private_folder, write_atomic

Source = Literal["stated", "guessed"]
"""The endpoint gave the figure, or only refused what was larger."""

_MOST = 200
"""Entries; the newest stay."""

_TRIES = 3
_PATIENCE = 2.0
"""Seconds to wait for another haima that keeps a limit."""


class LimitsUnreadable(HaimaError):  # noqa: N818
    """The file holds something else; what it knew is forgotten."""

    code = "limits"


class Learned(BaseModel):
    """One limit.

    Attributes:
        base_url: of the endpoint, without user, password and query.
        model: as the endpoint calls it.
        limit: tokens of the window.
        source: whether the endpoint gave the figure.
        live: the window that the endpoint told of itself at that time; a server that tells another
            one now was started anew, and the limit is no longer its.
        at: when it was learned.
    """

    model_config = ConfigDict(frozen=True)

    base_url: str
    model: str
    limit: int = Field(ge=1, le=100_000_000)
    source: Source
    live: int | None = None
    at: AwareDatetime

    def holds_for(self, base_url: str, model: str) -> bool:
        """Whether it is that of this model at this endpoint."""
        return (self.base_url, self.model) == (_bare(base_url), model)


_ENTRIES = TypeAdapter(tuple[Learned, ...])


class LearnedLimits:
    """The limits of all endpoints; every method reads or writes the file."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Reads nothing yet.

        Args:
            path: the file (`Paths.limits_file`).
            now: the present, aware.
        """
        self.path = path
        self._now = now

    def find(self, base_url: str, model: str) -> Learned | None:
        """What was learned of a model at an endpoint.

        Raises:
            LimitsUnreadable: the file holds something else.
            StorageError: it can't be read.
        """
        found = self._parsed(self._bytes())
        return next((one for one in found if one.holds_for(base_url, model)), None)

    def keep(
        self, base_url: str, model: str, limit: int, source: Source, live: int | None = None
    ) -> None:
        """Keeps a limit instead of the one that was known before.

        Raises:
            StorageError: it can't be written; the file is as it was.
        """
        entry = Learned(
            base_url=_bare(base_url),
            model=model,
            limit=limit,
            source=source,
            live=live,
            at=self._now().replace(microsecond=0),
        )
        self._change(base_url, model, entry)

    def forget(self, base_url: str, model: str) -> None:
        """Forgets what was learned of a model at an endpoint.

        Raises:
            StorageError: it can't be written; the file is as it was.
        """
        if self._bytes() is not None:
            self._change(base_url, model, None)

    def _change(self, base_url: str, model: str, entry: Learned | None) -> None:
        private_folder(self.path.parent)
        with Lock(self.path.with_name(self.path.name + ".lock"), timeout=_PATIENCE):
            for attempt in range(1, _TRIES + 1):
                raw = self._bytes()
                try:
                    found = self._parsed(raw)
                except LimitsUnreadable:
                    found = ()
                kept = [one for one in found if not one.holds_for(base_url, model)]
                if entry is not None:
                    kept.append(entry)
                data = _ENTRIES.dump_json(tuple(kept[-_MOST:]), indent=1) + b"\n"
                if data == raw:
                    return
                try:
                    write_atomic(self.path, data, 0o600, expected=raw)
                except Conflict:
                    if attempt == _TRIES:
                        raise
                else:
                    return

    def _bytes(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error

    def _parsed(self, raw: bytes | None) -> tuple[Learned, ...]:
        try:
            return () if raw is None else _ENTRIES.validate_json(raw)
        except ValidationError as error:
            raise LimitsUnreadable("window.limits_unreadable", path=self.path) from error


def _bare(base_url: str) -> str:
    return Place(base_url).address.rstrip("/")
