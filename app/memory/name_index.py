"""Which names a conversation has held, kept as it goes on.

Every message is added once, before a tier may shorten it (DESIGN 3.5), and stays added: a name
whose result was cleared, offloaded or summarised away is just what the index is asked for. So a
replaced body, a splice and an undo change nothing, and an index made afresh from the original
messages in their order equals one that grew with them.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from app.conversation.history import History
from app.conversation.messages import ImagePart, Message, TextPart, is_injected
from app.memory.name_calls import Work, names_in_call
from app.memory.names import Found, Name, names_in

MOST_NAMES = 40_000
"""Names that are remembered: about 10 MB. A session of 370,000 tokens has 5,000 to 10,000."""

_MOST_PROGRAMS = 100
"""Programs that make two words a command; the newest."""


_PIECE = 500
"""Names that are joined at once: about 2 ms."""

_LIGHT_PIECE = 4_000
"""Names that are only gone through at once: about 2 ms."""

_ByUse = dict[tuple[bool, int], list[Name]]
"""Names by whether anybody named them, and by the step that held them last."""


@dataclass(slots=True)
class Record:
    """What is known of a name; changed by its index alone. Steps count from 1.

    Attributes:
        messages: how many hold it (NAMES 4.1 "df").
        count: occurrences.
        own: the agent (text, arguments) or the user named it.
        arguments: how often it was named in arguments.
        user: the user named it.
        step: the last that held it.
        own_step: the last in which it was named; 0: never.
        defined: a text defined it.
        work: what held it last, None for words of agent, user or system.
    """

    messages: int = 0
    count: int = 0
    own: bool = False
    arguments: int = 0
    user: bool = False
    step: int = 0
    own_step: int = 0
    defined: bool = False
    work: Work | None = None


class NameIndex:
    """The names of one conversation.

    `add` costs what reading the message costs (0.1 s for a million characters, of which at most
    60,000 a text are read), `follow` without news costs nothing. Memory is bounded by `MOST_NAMES`.

    Attributes:
        root: the project's folder, "" where it isn't known.
    """

    def __init__(self, root: str = "") -> None:
        """Begins empty.

        Args:
            root: the project's folder; paths below it are kept relative to it.
        """
        self.root = root.rstrip("/")
        self._records: dict[Name, Record] = {}
        self._added: set[str] = set()
        self._works: dict[str, Work] = {}
        self._programs: dict[str, None] = {}
        self._folders: dict[str, int] = {}
        self._newest_user: frozenset[Name] | None = None
        self._step = 0
        self._seen_meanwhile: dict[Name, None] | None = None
        self._followed: tuple[History, int, int] | None = None

    @property
    def step(self) -> int:
        """How many assistant messages were added."""
        return self._step

    @property
    def newest_user(self) -> frozenset[Name]:
        """The names in the user's newest message."""
        return self._newest_user or frozenset()

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, name: Name) -> bool:
        return name in self._records

    def names(self) -> Iterable[Name]:
        """All names, those first seen first."""
        return self._records.keys()

    def record(self, name: Name) -> Record | None:
        """What is known of a name; not to be changed."""
        return self._records.get(name)

    def folder_step(self, folder: str) -> int:
        """The last step in which the agent named a file of this folder in arguments; 0: never."""
        return self._folders.get(folder, 0)

    def read(self, text: str, limit: int | None = None) -> tuple[Found, ...]:
        """The names in a text, by this conversation's root and programs; nothing is added.

        Args:
            text: any text.
            limit: as for `names_in`.
        """
        if limit is None:
            return names_in(text, root=self.root, programs=self._programs)
        return names_in(text, root=self.root, programs=self._programs, limit=limit)

    def follow(self, history: History) -> None:
        """Adds the messages of a history that weren't added yet, in their order.

        Only appended to since the last time, it costs what is new; after an edit the ids are gone
        through once.
        """
        start = 0
        if self._followed is not None:
            followed, edits, length = self._followed
            if followed is history and edits == history.edits and length <= len(history):
                start = length
        for position in range(start, len(history)):
            self.add(history[position])
        self._followed = (history, history.edits, len(history))

    def add(self, message: Message) -> None:
        """Adds a message, whole, before a tier shortens it; one that was added is ignored.

        Discarded messages are never sent and don't count, nor does what a summary's message says:
        the user's words in it came before, and what a summary claims proves nothing.
        """
        if message.id in self._added:
            return
        self._added.add(message.id)
        if message.discarded or message.summary is not None:
            return
        match message.role:
            case "assistant":
                self._add_step(message)
            case "tool":
                work = self._works.pop(message.call_id or "", "other")
                self._see(self.read(message.text), work=work)
            case "user":
                self._add_user(message)
            case "system":
                self._see(self.read(message.text))
        if len(self._records) > MOST_NAMES:
            self._forget()

    def before(self) -> "NameIndex":
        """An empty one, for messages that came before all of these; those added here it ignores."""
        earlier = NameIndex(self.root)
        earlier._added.update(self._added)
        return earlier

    def at_this_moment(self) -> "NameIndex":
        """The same names, whatever `begin_with` puts before them later; to be asked only."""
        seen = NameIndex(self.root)
        seen._records, seen._folders, seen._programs = self._records, self._folders, self._programs
        seen._newest_user, seen._step = self._newest_user, self._step
        return seen

    def begin_with(self, earlier: "NameIndex") -> None:
        """What came before all that was added by now, read apart (`before`) as it is long.

        As if it had been added first, but for what its programs would have made of later commands.

        Args:
            earlier: not used any longer after it.
        """
        for _ in self.beginning_with(earlier):
            pass

    def beginning_with(self, earlier: "NameIndex") -> Generator[None, None, None]:
        """The same in pieces of a few ms; before the end of the last one nothing has changed here.

        Messages may be added between them.
        """
        steps, early = earlier._step, earlier._records
        joined: dict[Name, Record] = {}
        known: dict[Name, Record] = {}
        self._seen_meanwhile = meanwhile = dict[Name, None]()
        try:
            for names in _pieces(tuple(self._records), _PIECE):
                for name in names:
                    if (late := self._records.get(name)) is not None:
                        joined[name] = _joined(early.get(name), late, steps)
                yield
            every = (*early, *(name for name in joined if name not in early))
            yield
            fading: frozenset[Name] = frozenset()
            if len(every) > MOST_NAMES:
                by_use: _ByUse = {}
                for names in _pieces(every, _LIGHT_PIECE):
                    for name in names:
                        _put(by_use, name, joined.get(name) or early[name])
                    yield
                fading = frozenset(_longest_unseen(by_use, len(every) // 4))
                yield
            for names in _pieces(every, _LIGHT_PIECE):
                for name in names:
                    if name not in fading:
                        known[name] = joined.get(name) or early[name]
                yield
        finally:
            self._seen_meanwhile = None
        for name in meanwhile:
            if (late := self._records.get(name)) is not None:
                known[name] = _joined(early.get(name), late, steps)
        self._records = known
        self._take_over(earlier)

    def _take_over(self, earlier: "NameIndex") -> None:
        """What came before, but for its names."""
        steps = earlier._step
        self._added |= earlier._added
        self._works = {**earlier._works, **self._works}
        programs = [*(one for one in earlier._programs if one not in self._programs),
                    *self._programs]  # fmt: skip
        self._programs = dict.fromkeys(programs[-_MOST_PROGRAMS:])
        late_folders = {folder: step + steps for folder, step in self._folders.items()}
        self._folders = {**earlier._folders, **late_folders}
        if self._newest_user is None:
            self._newest_user = earlier._newest_user
        self._step += steps

    def _add_step(self, message: Message) -> None:
        self._step += 1
        seen: set[Name] = set()
        self._see(self.read(message.text), own=True, seen=seen)
        for call in message.calls:
            names = names_in_call(
                call.name, call.arguments, root=self.root, programs=self._programs
            )
            # What a message says stands before what its arguments merely hold.
            self._see(names.held, own=True, work="body", seen=seen)
            self._see(names.named, own=True, arguments=True, seen=seen)
            self._works[call.id] = names.work
            if names.program:
                self._programs.pop(names.program, None)
                self._programs[names.program] = None
                if len(self._programs) > _MOST_PROGRAMS:
                    self._programs.pop(next(iter(self._programs)))
            for found in names.named:
                if found.name.kind == "path":
                    self._folders[found.name.text.rpartition("/")[0]] = self._step

    def _add_user(self, message: Message) -> None:
        own = self.read(
            "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
        )
        seen: set[Name] = set()
        for part in message.parts:
            if not isinstance(part, TextPart | ImagePart):
                self._see(self.read(part.text), seen=seen)
        self._see(own, own=True, user=True, seen=seen)
        if not is_injected(message):
            self._newest_user = frozenset(found.name for found in own)

    def _see(
        self,
        names: Iterable[Found],
        *,
        own: bool = False,
        arguments: bool = False,
        user: bool = False,
        work: Work | None = None,
        seen: set[Name] | None = None,
    ) -> None:
        """Counts names; `seen` are those that this message has shown before."""
        for found in names:
            record = self._records.get(found.name)
            if record is None:
                record = self._records[found.name] = Record()
            if self._seen_meanwhile is not None:
                self._seen_meanwhile[found.name] = None
            record.count += found.count
            record.step = self._step
            record.work = work
            record.defined = record.defined or found.defined
            record.arguments += arguments
            if own:
                record.own = True
                record.own_step = self._step
            record.user = record.user or user
            if seen is None:
                record.messages += 1
            elif found.name not in seen:
                record.messages += 1
                seen.add(found.name)

    def _forget(self) -> None:
        """Forgets a quarter: first those that nobody named, of each sort the longest unseen."""
        by_use: _ByUse = {}
        for name, record in self._records.items():
            _put(by_use, name, record)
        for name in _longest_unseen(by_use, len(self._records) // 4):
            del self._records[name]


def _pieces(names: Sequence[Name], size: int) -> Iterator[Sequence[Name]]:
    return (names[start : start + size] for start in range(0, len(names), size))


def _put(by_use: _ByUse, name: Name, record: Record) -> None:
    use = record.own, record.step
    alike = by_use.get(use)
    if alike is None:
        by_use[use] = [name]
    else:
        alike.append(name)


def _longest_unseen(by_use: _ByUse, count: int) -> tuple[Name, ...]:
    """So many names that are forgotten first."""
    return tuple(islice((name for use in sorted(by_use) for name in by_use[use]), count))


def _joined(early: Record | None, late: Record, steps: int) -> Record:
    """A name's record where so many steps came before; `early` is what they held of it."""
    moved = replace(late, step=late.step + steps, own_step=late.own_step + steps if late.own else 0)
    if early is None:
        return moved
    return replace(
        moved,
        messages=early.messages + late.messages,
        count=early.count + late.count,
        own=early.own or late.own,
        arguments=early.arguments + late.arguments,
        user=early.user or late.user,
        own_step=moved.own_step if late.own else early.own_step,
        defined=early.defined or late.defined,
    )
