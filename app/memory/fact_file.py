"""The file of long-term memory, parsed so that what isn't changed keeps its bytes.

Any content can be read: what is broken is salvaged, and told as flaws. A bad entry of a sound file
stays where it is, is no fact and is shown to nobody. Nothing here touches the disk.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, count
from operator import attrgetter, is_not
from typing import Literal

from app.memory.fact_salvage import salvage
from app.memory.facts import Fact, Tokens, entry_id, read_fact
from app.memory.json_text import Style, decode_at, dump, skip, with_member

FlawKind = Literal["empty", "null", "root", "corrupt", "encoding", "bad_entry", "doubled_id"]
"""No byte but white space; JSON `null`; a root that is no array; text that is no JSON (cut off, a
comma too many, two files in one); not UTF-8; entries that are no facts; ids that occur twice."""

_BROKEN = frozenset({"root", "corrupt", "encoding", "doubled_id"})
"""Flaws of a file that is copied aside before it is written anew."""

_HEAD, _BETWEEN, _FOOT = b"[\n  ", b",\n  ", b"\n]\n"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = "\ufeff"
_PIECE = attrgetter("piece")


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with the file, and how often."""

    kind: FlawKind
    count: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry.

    Attributes:
        piece: its bytes, with the gap to the next one.
        size: how many of them are its own.
        fact: what it says; None: not a fact, kept as it is.
        id: its fact's id; "" for one that is no fact.
        named: its id stands in its bytes, and belongs to no entry before it.
    """

    piece: bytes
    size: int
    fact: Fact | None
    id: str
    named: bool = True

    @classmethod
    def of(cls, raw: bytes, fact: Fact | None, gap: bytes = b"", *, named: bool = True) -> "Entry":
        """An entry of its own bytes and those of the gap behind it, none behind the last."""
        return cls(raw + gap, len(raw), fact, fact.id if fact else "", named)

    @property
    def raw(self) -> bytes:
        """Its own bytes."""
        return self.piece[: self.size]

    @property
    def gap(self) -> bytes:
        """What stands between it and the next one."""
        return self.piece[self.size :]

    def before(self, gap: bytes) -> "Entry":
        """The same with another gap."""
        return replace(self, piece=self.raw + gap)


@dataclass(frozen=True)
class FactFile:
    """The file's content.

    Attributes:
        entries: all of them, in order.
        head, foot: what stands before the first and after the last, brackets included.
        flaws: what was wrong with it.
        settled: every entry is named, and has a gap unless it was the last.
        mark: names this object.
        grown_from: the mark of the one that this one only goes on behind, if it is known.
    """

    entries: tuple[Entry, ...] = ()
    head: bytes = _HEAD
    foot: bytes = _FOOT
    flaws: tuple[Flaw, ...] = ()
    settled: bool = False
    mark: object = field(default_factory=object, compare=False, repr=False)
    grown_from: object = field(default=None, compare=False, repr=False)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the file's order."""
        return tuple([entry.fact for entry in self.entries if entry.fact])

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each fact stands in `entries`, by id."""
        return {entry.id: at for at, entry in enumerate(self.entries) if entry.fact}

    @cached_property
    def domains(self) -> Mapping[tuple[str, str, str], tuple[Fact, ...]]:
        """The facts of each domain, in the file's order; those without one are left out."""
        found: defaultdict[tuple[str, str, str], list[Fact]] = defaultdict(list)
        for fact in self.facts:
            if fact.domain is not None:
                found[fact.domain].append(fact)
        return {domain: tuple(facts) for domain, facts in found.items()}

    @property
    def broken(self) -> bool:
        """Whether writing it anew would lose what stands in it now: it is copied aside first."""
        return any(flaw.kind in _BROKEN for flaw in self.flaws)

    @property
    def damaged(self) -> bool:
        """Whether entries may be missing that nobody took out."""
        return any(flaw.kind in {"empty", "null", "root", "corrupt"} for flaw in self.flaws)

    @cached_property
    def _between(self) -> bytes:
        gap = next((entry.gap for entry in reversed(self.entries) if entry.gap), b"")
        return gap or b"," + self.head.rpartition(b"[")[2]

    @cached_property
    def _style(self) -> Style:
        last = next((entry for entry in reversed(self.entries) if entry.fact), None)
        return Style.of(as_text(last.raw)) if last else Style()

    def get(self, fact_id: str) -> Entry | None:
        """The entry of that id."""
        at = self.places.get(fact_id)
        return None if at is None else self.entries[at]

    def entry(self, fields: Mapping[str, object], tokens: Tokens) -> Entry:
        """A new entry, laid out like the last one."""
        return parsed(as_bytes(self._style.object(fields)), tokens)

    def with_entries(self, entries: Iterable[Entry]) -> "FactFile":
        """These entries instead, without flaws; each that stays keeps its bytes and its gap."""
        given = tuple(entries)
        first, last = differing(self.entries, given) if self.settled else (0, 0)
        first = min(first, max(0, len(self.entries) - 1))  # the last one may get a gap
        end = len(given) - last
        between = map(self._settled, given[first:end])
        return FactFile(
            (*given[:first], *between, *given[end:]), self.head, self.foot, settled=True
        )

    def with_more(self, more: Sequence[Entry]) -> "FactFile":
        """The same with new entries behind the others; only these are looked at."""
        if not self.settled or not self.entries:
            return self.with_entries([*self.entries, *more])
        new = [self._settled(entry) for entry in more]
        entries = (*self.entries[:-1], self._settled(self.entries[-1]), *new)
        file = FactFile(entries, self.head, self.foot, settled=True, grown_from=self.mark)
        begin = len(self.entries)
        facts = [entry.fact for entry in new if entry.fact]
        places = {entry.id: at for at, entry in enumerate(new, begin) if entry.fact}
        domains = dict(self.domains)
        for fact in facts:
            if fact.domain is not None:
                domains[fact.domain] = (*domains.get(fact.domain, ()), fact)
        file.__dict__.update(
            facts=(*self.facts, *facts), places={**self.places, **places}, domains=domains
        )
        return file

    def _settled(self, entry: Entry) -> Entry:
        """An entry that was the last, is new, or goes by an id that isn't written in it."""
        if entry.named and entry.gap:
            return entry
        entry = entry if entry.named else _named(entry)
        return entry if entry.gap else entry.before(self._between)

    def to_bytes(self, before: tuple["FactFile", bytes | None] | None = None) -> bytes:
        """The file.

        Args:
            before: the file that this one was made of, with its bytes: they are taken where this
                one only goes on behind them.
        """
        old, raw = before or (self, None)
        if raw and (data := self._behind(old, raw)):
            return data
        if not self.entries:
            return self.head.rstrip() + self.foot.lstrip()
        pieces = list(map(_PIECE, self.entries))
        pieces[-1] = self.entries[-1].raw
        return b"".join((self.head, *pieces, self.foot))

    def _behind(self, old: "FactFile", raw: bytes) -> bytes | None:
        """The bytes of a file and what comes behind it; None where that isn't all."""
        most = len(old.entries) - 1
        if not old.settled or not 0 <= most < len(self.entries):
            return None
        if self.grown_from is not old.mark and self.entries[:most] != old.entries[:most]:
            return None
        tail = old.entries[-1].raw + old.foot
        if old.flaws or not raw.startswith(old.head) or not raw.endswith(tail):
            return None
        more = b"".join(map(_PIECE, self.entries[most:-1])) + self.entries[-1].raw
        return b"".join((memoryview(raw)[: -len(tail)], more, self.foot))


def changed_between(old: FactFile, new: FactFile) -> tuple[int, int]:
    """How many entries at the beginning, and how many more at the end, are surely the same."""
    if new.grown_from is old.mark:
        return len(old.entries) - 1, 0  # the last one may have got a gap
    return differing(old.entries, new.entries)


def differing(old: tuple[Entry, ...], new: tuple[Entry, ...]) -> tuple[int, int]:
    """How many entries are the same objects at the beginning, and how many more at the end."""
    most = min(len(old), len(new))
    first = next(compress(count(), map(is_not, old, new)), most)
    last = next(compress(count(), map(is_not, reversed(old), reversed(new))), most)
    return first, min(last, most - first)


def as_text(raw: bytes) -> str:
    """An entry's bytes as text; bytes that are no UTF-8 come back as they were (`as_bytes`)."""
    return raw.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """The inverse of `as_text`."""
    return text.encode("utf-8", "surrogateescape")


def parsed(raw: bytes, tokens: Tokens) -> Entry:
    """One entry of its bytes, under the id it names.

    Raises:
        ValueError: it is no JSON.
    """
    fields, _ = decode_at(as_text(raw), 0)
    fact = read_fact(fields, entry_id(fields), tokens) if isinstance(fields, dict) else None
    return Entry.of(raw, fact)


def parse(raw: bytes | None, tokens: Tokens) -> FactFile:
    """Reads the file, whatever is in it.

    Args:
        raw: its bytes; None: there is none.
        tokens: estimates a count that an entry lacks.
    """
    if raw is None:
        return FactFile()
    text, flaws = _decoded(raw)
    begin = skip(text, 1 if text.startswith(_BOM) else 0)
    rest = text[begin : begin + 16].strip()
    if not rest or rest == "null":
        return FactFile(flaws=(*flaws, Flaw("null" if rest else "empty")))
    try:
        if text[begin] != "[":
            raise ValueError("the root is no array")
        head, pieces, foot = _array(text, begin)
    except ValueError:
        flaw = Flaw(_root_flaw(text, begin))
        pieces = [(value, found, _BETWEEN) for value, found in salvage(text)]
        head, foot, flaws = _HEAD, _FOOT, [*flaws, flaw]
    entries = _identified(pieces, tokens)
    bad = sum(entry.fact is None for entry in entries)
    doubled = _doubled(entries)
    flaws += [Flaw("bad_entry", bad)] if bad else []
    flaws += [Flaw("doubled_id", doubled)] if doubled else []
    settled = all(entry.named for entry in entries) and all(entry.gap for entry in entries[:-1])
    return FactFile(tuple(entries), head, foot, tuple(flaws), settled)


def with_known(file: FactFile, known: Sequence[Entry]) -> FactFile:
    """A damaged file with the entries it had before and has no more; flaws stay."""
    missing = [entry for entry in known if entry.fact and entry.fact.id not in file.places]
    if not missing:
        return file
    return replace(file.with_entries([*file.entries, *missing]), flaws=file.flaws)


def _decoded(raw: bytes) -> tuple[str, list[Flaw]]:
    if raw.startswith(_UTF16):
        return raw.decode("utf-16", "replace"), [Flaw("encoding")]
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        return as_text(raw), [Flaw("encoding")]


def _root_flaw(text: str, begin: int) -> FlawKind:
    if text[begin] == "[":
        return "corrupt"
    try:
        _, end = decode_at(text, begin)
    except ValueError:
        return "corrupt"
    return "root" if skip(text, end) == len(text) else "corrupt"


_Piece = tuple[object, str, bytes]


def _array(text: str, begin: int) -> tuple[bytes, list[_Piece], bytes]:
    """Head, pieces with the gap after each, foot.

    Raises:
        ValueError: it isn't one array.
    """
    at = skip(text, begin + 1)
    pieces: list[_Piece] = []
    if text[at : at + 1] == "]":
        head, foot = text[: begin + 1] + "\n  ", "\n" + text[at:]
    else:
        head = text[:at]
        while True:
            value, end = decode_at(text, at)
            after = skip(text, end)
            if text[after : after + 1] != ",":
                pieces.append((value, text[at:end], b""))
                foot = text[end:]
                break
            following = skip(text, after + 1)
            pieces.append((value, text[at:end], text[end:following].encode()))
            at = following
        at = after
    if text[at : at + 1] != "]" or skip(text, at + 1) != len(text):
        raise ValueError("the array isn't the whole file")
    return as_bytes(head), pieces, as_bytes(foot)


def _identified(pieces: Sequence[_Piece], tokens: Tokens) -> list[Entry]:
    """The entries; one without an id, or with one that is taken, gets one of its content."""
    ids = [entry_id(value) if isinstance(value, dict) else "" for value, _, _ in pieces]
    taken, used = set(ids), set[str]()
    entries: list[Entry] = []
    for (value, text, gap), own in zip(pieces, ids, strict=True):
        raw = as_bytes(text)
        if not isinstance(value, dict):
            entries.append(Entry.of(raw, None, gap))
            continue
        named = bool(own) and own not in used
        fact_id = own if named else _made(raw, taken | used)
        fact = read_fact(value, fact_id, tokens)
        if fact:
            used.add(fact_id)
        entries.append(Entry.of(raw, fact, gap, named=named or fact is None))
    return entries


def _made(raw: bytes, taken: set[str]) -> str:
    """An id that the entry has each time the file is read."""
    for number in range(len(taken) + 1):
        name = f"fact-{hashlib.sha256(raw + b'%d' % number).hexdigest()[:8]}"
        if name not in taken:
            return name
    raise AssertionError("there is always one more")


def _doubled(entries: Sequence[Entry]) -> int:
    return sum(
        1 for entry in entries if entry.fact and not entry.named and entry_id(entry.fact.fields)
    )


def _named(entry: Entry) -> Entry:
    """The entry with the id it goes by written into it."""
    raw = as_bytes(with_member(as_text(entry.raw), "id", dump(entry.id)))
    return Entry.of(raw, entry.fact, entry.gap)
