"""The rows of a ledger: how one is written as a line, and read back by whoever is tolerant.

A line is one JSON object in ASCII: `{seq, at, kind, node, conversation, data}`. Lone surrogates,
NaN and big integers survive; raw bytes stand as `{"$bytes": base64}` (`encode_bytes`).

What stands in the rows' `data`, by kind:

- `node`: see `nodes.NodeStart`: the node begins. Older ledgers lack it: their node begins empty.
- `session`: `project`, `model`, `version`, `branch`: it was opened, or model or branch changed.
- `message`: `message` (`encoding.message_to_json`), perhaps `raw`: the result's bytes as they came,
  `outcome`: how the call ended (`ToolOutcome`), `offloaded`: the file its content went to at
  once (`Offloaded`); the message is then the note that stands for it. And `work`: what it adds to
  the worklog (`Work.to_data`), left out where it adds nothing.
- `work`: `work`: what the user changed in the worklog by hand, perhaps `taken_from`: the chain
  whose unfinished work this one goes on with, or that was settled otherwise.
- `replace`: `id`, `message`: the message with its new body, `state`: how it stands now, perhaps
  `offloaded`: the file of its content, each time anew.
- `pin`: `ids`, `pinned`.
- `paused`: `tier` (`standing.Tier`), `on`: it doesn't work by itself from now on, or does again.
- `splice`: `start`, `end`, `first`, `last` (ids of the outermost messages taken out), `removed`
  (all their ids), `before`: the message that follows, or null, `messages`: those put there.
- `recovery`: `slot`: `message`, `text`, `first`; or null.
- `usage`: the figures of `ports.Usage`, `message`: the answer's id, or null, `model`, perhaps
  `purpose`: what the call was for, unless an answer.
- `error`: `code`, `text`. `title`: `title`. `clear`: `node`: the one that begins, empty.
- `undo`: `parent`: the node goes on nowhere, its parent does (`stepping`); perhaps `paused`: the
  tier that doesn't work by itself there from now on.
- `delete`: `deleted`: of the whole chain; in the root's ledger, not written here.
- `state`: `id`, `state`: another state with the same body; nothing writes it yet.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.storage import StorageError
from app.text import Key, Words

Kind = Literal[
    "node",
    "session",
    "message",
    "work",
    "replace",
    "state",
    "pin",
    "paused",
    "splice",
    "recovery",
    "usage",
    "error",
    "clear",
    "undo",
    "title",
    "delete",
]
"""What a row of this version tells; readers pass over kinds they don't know."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        seq: its number; rows are ordered by it, whatever the clock said.
        at: when, ISO 8601 UTC.
        kind: one of `Kind`, or one of a later version.
        node: which session it belongs to.
        conversation: which agent: `main`, later `task-3`.
        data: what is told; its shape goes with the kind (above).
        ledger: the name of the ledger it stands in; "" where it wasn't read from one. Not in the
            line itself.
    """

    seq: int
    at: str
    kind: str
    node: str
    conversation: str
    data: Mapping[str, object]
    ledger: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is passed over, or was read although something is wrong with it.

    Attributes:
        path: the ledger.
        line: its number, from 1.
        fault: `torn`: the last one, cut in the middle; `unreadable`: not a row; `repeated`: the
            same row a second time, passed over; `doubled`: another row under a number already
            used, read nevertheless.
    """

    path: Path
    line: int
    fault: Literal["torn", "unreadable", "repeated", "doubled"]

    def sentence(self, words: Words) -> str:
        """What the user reads about it."""
        keys: Mapping[str, Key] = {
            "torn": "ledger.line_torn",
            "unreadable": "ledger.line_unreadable",
            "repeated": "ledger.line_repeated",
            "doubled": "ledger.line_doubled",
        }
        return words(keys[self.fault], name=self.path.name, line=self.line)


def dump_row(row: Row) -> bytes:
    """The row as its line, newline included.

    Raises:
        TypeError: `data` holds something that isn't JSON (a fault of the program).
    """
    fields = {
        "seq": row.seq,
        "at": row.at,
        "kind": row.kind,
        "node": row.node,
        "conversation": row.conversation,
        "data": row.data,
    }
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def parse_row(line: bytes, ledger: str = "") -> Row:
    """The row in a line; NULs around it, left by a crash of the machine, are passed over.

    Args:
        line: with or without its line end.
        ledger: the name of the ledger it stands in.

    Raises:
        ValueError: it isn't one.
    """
    try:
        fields = json.loads(line.strip(b"\0 \t\r\n").decode("utf-8").removeprefix("\ufeff"))
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    seq, kind, data = fields.get("seq"), fields.get("kind"), fields.get("data")
    if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
        raise ValueError("no sequence number")
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise ValueError("no kind or data")
    return Row(
        seq=seq,
        at=str(fields.get("at", "")),
        kind=kind,
        node=str(fields.get("node", "")),
        conversation=str(fields.get("conversation", "main")),
        data=data,
        ledger=ledger,
    )


def read_rows(path: Path, report: Callable[[BadLine], None] | None = None) -> Iterator[Row]:
    """The rows of a ledger in the order of the file; a bad line costs that line only.

    Lines end at a line feed alone: other separators are data. A file that isn't there has no rows.

    Args:
        path: the ledger.
        report: told about every line that is passed over or doubtful.

    Raises:
        StorageError: the file can't be read.
    """
    tell = report or (lambda _: None)
    seen: dict[int, int] = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line in {b"\n", b"\r\n"}:
                    continue
                try:
                    row = parse_row(line, path.stem)
                except ValueError:
                    torn = not line.endswith(b"\n")
                    tell(BadLine(path, number, "torn" if torn else "unreadable"))
                    continue
                mark = hash(line.strip())
                if row.seq in seen:
                    tell(BadLine(path, number, "repeated" if seen[row.seq] == mark else "doubled"))
                    if seen[row.seq] == mark:
                        continue
                seen[row.seq] = mark
                yield row
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError.from_os(path, error) from error


def encode_bytes(raw: bytes) -> dict[str, str]:
    """Raw bytes as JSON: `{"$bytes": base64}`."""
    return {"$bytes": base64.b64encode(raw).decode("ascii")}


def decode_bytes(value: object) -> bytes:
    """The bytes `encode_bytes` was given.

    Raises:
        ValueError: the value isn't of that shape.
    """
    text = value.get("$bytes") if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise ValueError("not bytes")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
