"""`haima replay`: recorded sessions, played through the compaction again."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.archive.database import Connection
from app.archive.sessions import NodeRecord, children, find_node, goes_on
from app.boundary import one_line
from app.cli.archive import opened
from app.cli.codes import OK, exit_code
from app.cli.place import Place, prepare
from app.cli.replay_json import record, suggestion_record
from app.cli.table import Column, fit, table_lines
from app.cli.wrap import wrap
from app.conversation.window import DEFAULT_PUBLIC, thresholds, window_label
from app.errors import HaimaError
from app.replay.example import EXAMPLE, example_recording
from app.replay.importers import is_ledger, read_recording
from app.replay.importers.haima import ledger_recording, session_recording
from app.replay.policy import PolicyName, Tuning
from app.replay.recording import Counted, NoSuchRecording, Recording
from app.replay.replayed import Replayed, Step, Totals
from app.replay.run import Player
from app.replay.suggest import Suggestion, settable, suggest
from app.storage import StorageError
from app.text.numbers import tokens as shown

if TYPE_CHECKING:
    from app.cli.console import Console
    from app.config import Settings
    from app.text import Key


def replay(console: "Console", place: Place, options: Namespace) -> int:
    """Plays recordings, each through each policy; one that can't be had costs itself only.

    Raises:
        ConfigError: a wrong setting.
    """
    settings = prepare(console, place).settings
    return asyncio.run(_Replay(console, place, settings, options).run())


class _Replay:
    """One run of the command."""

    def __init__(
        self, console: "Console", place: Place, settings: "Settings", options: Namespace
    ) -> None:
        self._console = console
        self._place = place
        self._settings = settings
        self._json: bool = options.json
        self._suggest: bool = options.suggest
        self._sources: list[str] = options.recordings
        first: PolicyName = options.policy or "haima"
        self._policies = tuple(dict.fromkeys((first, *(options.compare or ()))))
        self._progress = _Progress(console)

    async def run(self) -> int:
        """All of it; the exit code of the last that failed."""
        code, played, kept = OK, 0, list[tuple[Recording, int, Player]]()
        for source in self._sources:
            try:
                recording = await self._recording(source)
            except HaimaError as error:
                code = self._console.fail(error.sentence(self._console.words), exit_code(error))
                continue
            window = self._window(recording)
            player = self._player(recording, window)
            await self._played(recording, window, player, first=not played)
            played += 1
            if self._suggest:  # else it is let go: a folder full of recordings may be large
                kept.append((recording, window, player))
        if played and not self._json:
            self._explain()
        if kept:
            await self._suggested(kept)
        return code

    async def _recording(self, source: str) -> Recording:
        """A file, the example, or a session by its id."""
        words = self._console.words
        if source == EXAMPLE:
            return await asyncio.to_thread(example_recording, words)
        path = _file(source)
        if path is None:
            return await self._session(source)
        if await asyncio.to_thread(is_ledger, path):
            recording = await ledger_recording(path, words)
        else:
            recording = await asyncio.to_thread(read_recording, path, words)
        # As it was given: files of one name in different folders can be told apart.
        return replace(recording, source=source)

    async def _session(self, prefix: str) -> Recording:
        def read(connection: Connection) -> Recording:
            node = _meant(connection, find_node(connection, prefix))
            return session_recording(connection, node, self._console.words)

        async with opened(self._console, self._place) as database:
            return await database.run(read)

    def _window(self, recording: Recording) -> int:
        """What was asked for or is set, else what was recorded, else the usual one."""
        return self._settings.model.window or recording.window or DEFAULT_PUBLIC

    def _player(self, recording: Recording, window: int) -> Player:
        return Player(
            recording,
            window=window,
            words=self._console.words,
            settings=self._settings.compaction,
        )

    async def _played(
        self, recording: Recording, window: int, player: Player, *, first: bool
    ) -> None:
        """One recording through each policy, told as soon as it is known."""
        done: list[Replayed] = []
        for policy in self._policies:
            follow = self._progress.follow(recording, policy)
            done.append(await player.play(policy, on_step=follow))
            if self._json:
                self._progress.clear()
                self._console.print_records([record(done[-1])])
        self._progress.clear()
        if not self._json:
            lines = self._text(recording, window, done)
            self._console.print(("" if first else "\n") + "".join(f"{one}\n" for one in lines))

    async def _suggested(self, there: Sequence[tuple[Recording, int, Player]]) -> None:
        """What settings would have helped, for each window by itself."""
        for window in dict.fromkeys(window for _, window, _ in there):
            players = [player for _, one, player in there if one == window]
            names = [recording.source for recording, one, _ in there if one == window]
            source = ", ".join(map(one_line, names))

            async def play(tuning: Tuning, players: list[Player] = players) -> list[Replayed]:
                return [await player.play("haima", tuning=tuning) for player in players]

            now = self._settings.compaction
            marks = thresholds(window, clear_at=now.clear_at, min_gain=now.min_gain)
            follow = self._progress.trying(source)
            found = await suggest(play, marks, settable(), follow, top_n=now.top_n)
            self._progress.clear()
            if self._json:
                self._console.print_records([suggestion_record(names, window, found)])
            else:
                self._console.print(f"\n{self._suggestion(source, found)}\n")

    def _text(self, recording: Recording, window: int, done: Sequence[Replayed]) -> Iterable[str]:
        """A recording's title, what it is, and the table."""
        words, columns = self._console.words, self._console.columns
        ascii_only = self._console.ascii_only
        name = words.named(f"replay.format_{recording.format}")
        about = words(
            "replay.about",
            format=name,
            messages=words("replay.messages", n=len(recording.entries)),
            steps=words("replay.steps", n=len(recording.steps)),
            window=window_label(window),
        )
        yield fit(one_line(recording.title), columns, ascii_only=ascii_only)
        yield from wrap(about, columns)
        if recording.past_missing:
            file = one_line(f"{recording.past_missing}.jsonl")
            yield from wrap(words("replay.past_missing", file=file), columns)
        if recording.skipped:
            yield from wrap(self._counted(recording.skipped, "replay.skipped"), columns)
        if recording.repaired:
            yield from wrap(self._counted(recording.repaired, "replay.repaired"), columns)
        yield ""
        heads = [Column(words(key), right=True, keep=keep) for key, keep in _FIGURES]
        rows = [(one.policy, *figures(one.totals)) for one in done]
        yield from table_lines(
            [Column(words("replay.policy")), *heads], rows, width=columns, ascii_only=ascii_only
        )

    def _counted(self, counted: Iterable[Counted], key: "Key") -> str:
        words = self._console.words
        reasons = (
            words("replay.counted", n=one.count, what=words.named(f"replay.{one.what}"))
            for one in counted
        )
        return words(key, reasons=", ".join(reasons))

    def _explain(self) -> None:
        words = self._console.words
        text = f"{words('replay.legend').strip()} {words('replay.nothing_generated')}"
        lines = wrap(text, self._console.columns)
        self._console.print("\n" + "".join(f"{line}\n" for line in lines))

    def _suggestion(self, source: str, found: Suggestion) -> str:
        words = self._console.words
        if not found.settings:
            return words("replay.nothing_better", source=source, tried=found.tried)
        values = {
            "b_before": share(found.before.b),
            "b": share(found.after.b),
            "f_before": share(found.before.f),
            "f": share(found.after.f),
            "cost_before": shown(round(found.before.cost)),
            "cost": shown(round(found.after.cost)),
        }
        lines = ["[compaction]", *(f"{name} = {value}" for name, value in found.settings)]
        told = words("replay.suggestion_figures", **values)
        return "\n".join([words("replay.suggested", source=source), *lines, told])


def _meant(connection: Connection, node: NodeRecord) -> NodeRecord:
    """A chain's id, which is its first node's too, means that conversation as it stands now.

    Forks have ids of their own; a node in between, asked for by its id, is played as far as it
    goes.
    """
    if node.id == node.chain:
        met = set[str]()  # damaged sessions may follow each other in a ring
        while (after := next(filter(goes_on, children(connection, node.id)), None)) is not None:
            met.add(node.id)
            if after.id in met:
                break
            node = after
    return node


def _file(source: str) -> Path | None:
    """The file that is meant; None: a session is.

    Raises:
        NoSuchRecording: a file is meant, and there is none.
        StorageError: it can't be looked at.
    """
    path = Path(source)
    try:
        path = path.expanduser()
        if path.is_file():
            return path
        folder, there = path.is_dir(), path.exists()
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    except RuntimeError:  # `~nobody/x`: no such home
        folder = there = False
    if folder:
        raise NoSuchRecording("replay.folder", path=source)
    if there or path.suffix or len(path.parts) > 1:
        raise NoSuchRecording("replay.no_file", path=source)
    return None


class _Progress:
    """One line on stderr that is written over, where somebody looks."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def follow(self, recording: Recording, policy: str) -> Callable[[Step], None]:
        """Hears the steps of a replay."""
        source, steps = one_line(recording.source), len(recording.steps)

        def tell(step: Step) -> None:
            self._write(
                "replay.progress", source=source, policy=policy, step=step.number, steps=steps
            )

        return tell

    def trying(self, source: str) -> Callable[[int, int], None]:
        """Hears the tries of `--suggest`."""
        return lambda done, of: self._write("replay.trying", source=source, done=done, of=of)

    def clear(self) -> None:
        """The line is empty again."""
        if self._on and self._width:
            self._put("\r\x1b[K")
            self._width = 0

    def _write(self, key: "Key", **values: object) -> None:
        if self._on:
            line = fit(self._console.words(key, **values), self._console.columns - 1)
            self._put(f"\r\x1b[K{line}")
            self._width = len(line)

    @staticmethod
    def _put(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


_FIGURES: tuple[tuple["Key", int], ...] = (
    ("replay.b", 0),
    ("replay.c", 9),
    ("replay.f", 0),
    ("replay.goal", 13),
    ("replay.rules", 12),
    ("replay.files", 11),
    ("replay.sent", 0),
    ("replay.peak", 8),
    ("replay.cache", 7),
    ("replay.cost", 14),
    ("replay.offloaded", 6),
    ("replay.cleared", 6),
    ("replay.summarized", 6),
    ("replay.over", 10),
    ("replay.invalid", 5),
    ("replay.repeated_work", 3),
    ("replay.wrong_state", 2),
    ("replay.goal_drift", 1),
)
"""The columns behind the policy, and how long each stays while room gets scarce."""


def figures(totals: Totals) -> tuple[str, ...]:
    """A row of the table, in the order of `_FIGURES`."""
    measures, misses = totals.measures, dict(totals.misses)
    return (
        *map(share, (measures.b, measures.c, measures.f)),
        *map(share, (totals.goal_kept, totals.rules_kept, totals.changed_named)),
        shown(totals.tokens_sent),
        shown(totals.peak),
        share(totals.cache_reuse),
        shown(round(totals.cost)),
        f"{totals.offloaded:,}",
        f"{totals.cleared:,}",
        f"{totals.summarized:,}",
        f"{totals.over:,}",
        f"{totals.invalid:,}",
        *(f"{misses[kind]:,}" for kind in ("repeated_work", "wrong_state", "goal_drift")),
    )


def share(value: float | None) -> str:
    """A share in percent: `4.9%`, `100%`, a dash where there is none."""
    if value is None:
        return "–"
    percent = 100 * value
    return "100%" if value == 1 else f"{min(percent, 99.9):.1f}%"
