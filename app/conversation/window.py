"""The model's window, and the marks at which something happens to the history.

Pure numbers, in tokens unless said otherwise. Every comparison with a mark is `>=`, and the number
that is shown is the number that is compared (DESIGN 4, Numbers).
"""

from dataclasses import dataclass, fields, replace
from typing import Literal

from app.errors import HaimaError
from app.text.sizes import parse_size

WindowSource = Literal["learned", "flag", "environment", "config", "live", "table", "default"]
SetBy = Literal["flag", "environment", "config"]

PRESETS = (128_000, 200_000, 256_000, 1_000_000)
"""The four windows that are always shown beside each other (STYLE 14, "Windows")."""

_WIDE = 200_000
"""Tokens from which a window is wide (DESIGN 4, "Recovery")."""

_LARGEST = 100_000_000
"""No window is larger; a hundred times the largest there is (PROVIDERS 1.1)."""


class WindowError(HaimaError):
    """A window that is none: not a number of tokens, zero, or negative."""

    code = "usage"


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers behind the marks; all from DESIGN 4, "Numbers", unless another source is named.

    Attributes:
        smallest: tokens for which the rules are made; below, all marks shrink in proportion.
        reserve: room for the answer and for a summary's own call: at most, at least, and the share
            of the window (1 of so many), as for the next two.
        buffer: stands for the 10% margin that the articles kept for errors of the estimate.
        clear_most: clearing begins here at the latest: clearing is cheap, and models read a shorter
            history better (FACTS 1.2).
        early_tenths: tenths of the summary mark at which clearing and the summary in the background
            begin (FACTS 1.2).
        warn_tenths: tenths of the window at which the user is warned.
        warn_twentieths: twentieths of the summary mark, where that comes first: a warning always
            comes before the summary.
        gain_tenths: a clear frees at least this share (1 of so many) of its mark: each clear costs
            a prefix cache.
        gain_window: or this share of the window, where that is more.
        gain_most: the latter in tokens, at most.
        memory: tokens of facts in a prompt: at most, at least, share (FACTS 1.2).
        offload: characters of a result from which it goes to a file: at most, share (FACTS 1.4).
        offload_shell: the same for a command's output: at most, share.
        offload_smallest: characters under which a result never goes to a file.
        result_bytes: a command that has put out so many is stopped.
        joint: characters that the results of one step may have together: at most, and times a
            share (1 of so many) of the tokens that are free.
        note_head: characters of a result's beginning in the note that stands for it (FACTS 1.4).
        note_tail: of its end (FACTS 1.4).
        note_names: characters of names in a note: at most, at least, share of the result
            (NAMES 4.3).
        half: a note or a pointer has at most this share (1 of so many) of what it replaces.
        keep: the newest results, which are never cleared (FACTS 1.6; NAMES 8.10).
        clear_smallest: characters under which a result isn't cleared.
        pointer_names: characters of names in a pointer (NAMES 4.5).
        asked: characters of what was asked, where the call itself is gone (ours: a path in full,
            of a command the beginning).
        pointer_asked: the same in a pointer, right under the call (ours: enough to know it by).
        guard_twentieths: twentieths of the window from which the newest step is cut (NAMES 4.9).
        guard_head: parts of twelve of a cut text that are its beginning (NAMES 4.9: two thirds).
        guard_tail: parts of twelve that are its end (NAMES 4.9: a quarter); the rest is names.
        guard_least: characters to which a text is cut at most (NAMES 4.9, for arguments).
        goal: tokens of the goal in the recovery block: at most, at least, share.
        entities: tokens of names in the recovery block: at most, at least, share.
        image: tokens of a picture: at most, at least, and bytes for one token (FACTS 1.1).
        image_address: tokens of a picture that is only an address (FACTS 1.1).
        picture: bytes of a file that is taken as a picture (ours: what Anthropic and Zhipu take).
        pictures: share of a request's bytes that its pictures may have (ours: the rest is text).
        body: bytes of a request where no smaller limit is known (ours: Gemini's for pictures that
            are sent along, the smallest of the large providers; Kimi's is in its dialect).
        paste: characters of a paste from which it goes to a file.
        quoted: tokens that one quotation of an earlier message may have: at most, share (ours: as
            many as the longest stretch of a file comes to; an eighth leaves a small window usable).
        pins: tokens of pinned messages in a summary: at most, share.
        system: tokens of documents and notebook in the system message: at most, share of the
            summary mark.
    """

    smallest: int = 8_000
    reserve: tuple[int, int, int] = (20_000, 1_000, 4)
    buffer: tuple[int, int, int] = (13_000, 1_000, 8)
    clear_most: int = 100_000
    early_tenths: int = 6
    warn_tenths: int = 7
    warn_twentieths: int = 19
    gain_tenths: int = 10
    gain_window: int = 20
    gain_most: int = 20_000
    memory: tuple[int, int, int] = (5_000, 500, 200)
    offload: tuple[int, int] = (32_000, 2)
    offload_shell: tuple[int, int] = (8_000, 2)
    offload_smallest: int = 2_000
    result_bytes: int = 64 * 1024 * 1024
    joint: tuple[int, int, int] = (64_000, 3, 4)
    note_head: int = 2_000
    note_tail: int = 800
    note_names: tuple[int, int, int] = (1_500, 600, 12)
    half: int = 2
    keep: int = 3
    clear_smallest: int = 400
    pointer_names: int = 300
    asked: int = 160
    pointer_asked: int = 60
    guard_twentieths: int = 19
    guard_head: int = 8
    guard_tail: int = 3
    guard_least: int = 800
    goal: tuple[int, int, int] = (4_000, 2_000, 4)
    entities: tuple[int, int, int] = (3_000, 1_000, 50)
    image: tuple[int, int, int] = (4_096, 256, 768)
    image_address: int = 1_024
    picture: int = 5_000_000
    pictures: tuple[int, int] = (3, 4)
    body: int = 20_000_000
    paste: int = 32_000
    quoted: tuple[int, int] = (8_000, 8)
    pins: tuple[int, int] = (20_000, 10)
    system: tuple[int, int] = (14_000, 5)


RULES = Rules()


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The marks of one window.

    Attributes:
        window: tokens of the window they are for.
        safe: tokens that the marks are computed from, 8,000 for any smaller window.
        reserve: kept free for the answer.
        buffer: kept free for errors of the estimate.
        clear: older tool results are cleared from here on.
        precompute: a summary is prepared in the background.
        warn: the user is told that a summary comes near.
        summary: the history is summarised before the next call.
        min_gain: tokens a clear must free, else it waits.
        memory: tokens of facts in a prompt.
        offload: characters of a tool result from which it goes to a file.
        offload_shell: the same for the output of a command.
        entities: tokens of names in the recovery block.
        pins: tokens of pinned messages that a summary keeps.
        system: tokens of documents, PROFILE, MEMORY and NOTES in the system message.
    """

    window: int
    safe: int
    reserve: int
    buffer: int
    clear: int
    precompute: int
    warn: int
    summary: int
    min_gain: int
    memory: int
    offload: int
    offload_shell: int
    entities: int
    pins: int
    system: int


def thresholds(
    window: int,
    *,
    clear_at: int | None = None,
    min_gain: int | None = None,
    rules: Rules = RULES,
) -> Thresholds:
    """The marks of a window.

    Args:
        window: tokens; below 8,000 each mark is that of 8,000, in proportion, and at least 1.
        clear_at: clears from here on instead; pulled below the summary mark.
        min_gain: a clear frees at least so many instead.
        rules: the numbers behind the marks.

    Raises:
        WindowError: the window is zero or negative.
    """
    if window <= 0:
        raise WindowError("window.not_positive", window=f"{window:,}")
    if min_gain is not None:
        return replace(thresholds(window, clear_at=clear_at, rules=rules), min_gain=min_gain)
    if window >= rules.smallest:
        return _marks(window, clear_at, rules)
    whole = _marks(rules.smallest, None, rules)
    small = Thresholds(
        **{
            field.name: max(1, getattr(whole, field.name) * window // rules.smallest)
            for field in fields(Thresholds)
        }
    )
    clear = small.clear if clear_at is None else _between(clear_at, 1, small.summary - 1)
    return replace(small, safe=rules.smallest, clear=clear)


def _marks(window: int, clear_at: int | None, rules: Rules) -> Thresholds:
    reserve = share(window, rules.reserve)
    buffer = share(window, rules.buffer)
    summary = _between(window - reserve - buffer, 1_000, window - 1)
    early = rules.early_tenths * summary // 10
    wanted = min(rules.clear_most, early) if clear_at is None else clear_at
    clear = _between(wanted, 1, summary - 1)
    gain = min(rules.gain_most, window // rules.gain_window)
    return Thresholds(
        window=window,
        safe=window,
        reserve=reserve,
        buffer=buffer,
        clear=clear,
        precompute=early,
        warn=min(rules.warn_tenths * window // 10, rules.warn_twentieths * summary // 20),
        summary=summary,
        min_gain=max(clear // rules.gain_tenths, gain),
        memory=share(window, rules.memory),
        offload=_part(window, rules.offload),
        offload_shell=_part(window, rules.offload_shell),
        entities=share(window, rules.entities),
        pins=_part(window, rules.pins),
        system=_part(summary, rules.system),
    )


def guard_mark(window: int, rules: Rules = RULES) -> int:
    """Tokens from which the newest step is cut as nothing else helped; at least 1."""
    return max(1, rules.guard_twentieths * window // 20)


def quoted_tokens(window: int, rules: Rules = RULES) -> int:
    """Tokens that one quotation of an earlier message may have; at least 1."""
    return max(1, _part(window, rules.quoted))


def nearest_count(window: int, top_n: int | None = None) -> int:
    """Entities that the recovery block tells with what was done to them (FACTS 4: measured there).

    Args:
        window: tokens.
        top_n: the user's own number; None: as usual.
    """
    return top_n or (25 if window >= _WIDE else 15)


def share(whole: int, rule: tuple[int, int, int]) -> int:
    """1 of so many of the whole, at most and at least as the rule says."""
    most, least, divisor = rule
    return min(most, max(least, whole // divisor))


def _part(whole: int, rule: tuple[int, int]) -> int:
    """1 of so many of the whole, at most as the rule says."""
    most, divisor = rule
    return min(most, whole // divisor)


def _between(value: int, least: int, most: int) -> int:
    """`value` within its limits; where they cross, the lower one holds."""
    return max(least, min(value, most))


@dataclass(frozen=True, slots=True)
class Window:
    """The window that holds, and how it is known.

    Attributes:
        size: tokens, as set, told or assumed.
        source: who said so; `learned` where a limit that an overflow told lies below it.
        max_input: the longest prompt the model takes, where it is less than its window.
        largest: the largest window known for this model at this endpoint; None: nothing is known.
            To go beyond it is asked first.
        learned: the limit that an overflow told.
    """

    size: int
    source: WindowSource
    max_input: int | None = None
    largest: int | None = None
    learned: int | None = None

    @property
    def effective(self) -> int:
        """W, which all marks are computed from."""
        limits = (self.size, self.max_input, self.learned)
        return min(limit for limit in limits if limit is not None)

    @property
    def certain(self) -> bool:
        """Whether anyone said so; else it is drawn with `?`."""
        return self.source != "default"


DEFAULT_PUBLIC, DEFAULT_PRIVATE = 128_000, 32_768
"""Where nothing is known: at a public host; on this machine or in a private network (DESIGN 4)."""


def choose_window(
    *,
    configured: tuple[int, SetBy] | None = None,
    live: int | None = None,
    table: int | None = None,
    max_input: int | None = None,
    learned: int | None = None,
    private: bool = False,
) -> Window:
    """The window that holds: what was set, else what the endpoint tells, the table, the default.

    Args:
        configured: set by flag, environment or settings file, and by which.
        live: what the endpoint tells.
        table: what the model table says.
        max_input: the longest prompt, from the table.
        learned: the limit an overflow told.
        private: the endpoint is on this machine or in a private network.

    Raises:
        WindowError: what was set is zero or negative.
    """
    size: int
    source: WindowSource
    if configured is not None:
        size, source = configured
        if size <= 0:
            raise WindowError("window.not_positive", window=f"{size:,}")
    elif live is not None:
        size, source = live, "live"
    elif table is not None:
        size, source = table, "table"
    else:
        size, source = (DEFAULT_PRIVATE if private else DEFAULT_PUBLIC), "default"
    if learned is not None and learned < size:
        source = "learned"
    return Window(size, source, max_input, live if live is not None else table, learned)


def parse_window(text: str) -> int:
    """The window that someone means who types `128k`, `1m` or `131072`.

    Raises:
        WindowError: it is no whole number of tokens from 1 on.
    """
    size = parse_size(text)
    if size is None or not 1 <= size <= _LARGEST:
        raise WindowError("window.not_a_window", text=" ".join(text.split())[:40])
    return size


def window_label(window: int, *, exact: bool = False) -> str:
    """A window in few cells: `128k`, `131k`, `1M`; under 1,000 in full.

    Args:
        window: tokens.
        exact: in whole k; else within 5% of a preset it is called as the preset is (issue 3).
    """
    if not exact:
        window = next((size for size in PRESETS if abs(window - size) * 20 <= size), window)
    if window < 1_000:
        return str(window)
    if window < 1_000_000:
        return f"{window // 1_000}k"
    millions, tenths = window // 1_000_000, window // 100_000 % 10
    return f"{millions}.{tenths}M" if tenths else f"{millions}M"
