"""Which of a user's message are the user's own words: what else stands in it is masked.

A mask has the length of the text, so places in it are places in the text. Rules must come from the
user's own text outside quotes, fences and pastes (DESIGN 4, "Worklog and recovery"); block tags,
quoted lines, indented code, diffs, logs and stack traces are left out as well.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.memory.rules_simplified import simplified
from app.text.paste_marks import paste_marks

MOST: Final = 20_000
"""Characters of the user's own text that are read."""
_OVER: Final = 1_000
"""Characters beyond, in which the last sentence ends."""
_ENDS: Final = re.compile(
    r"[。！？!?；]+|(?<!\be\.g)(?<!\bi\.e)\.+(?=\s|\Z)|\n(?![ \t]*[a-z`(\u3400-\u9fff])"
)
_LONGEST: Final = 400_000
"""Characters of a message that are looked through for them."""

CUT: Final = "\0"
"""Stands for a character that isn't the user's own; a sentence never goes across it."""
COVER: Final = "¤"
"""Stands for a character of a quote within a sentence: part of it, but it says nothing."""

_FOREIGN: Final = re.compile(
    r"\s*(?:Base directory for this skill:|This session is being continued from a previous"
    r"|\[user ran\]|Caveat: The messages below were generated)"
)
"""Messages in the user's name that other programs write; replayed sessions hold them."""

_OPEN: Final = re.compile(
    r"(?P<fence>^[ \t]*(?:`{3,}|~{3,}))"
    r"|(?P<quoted>^[ \t]*>[^\n]*)"
    r"|(?P<run>`{3,})"
    r"|<(?P<tag>[A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,400})?>",
    re.MULTILINE,
)
_RUN: Final = re.compile(r"`{3,}")
_CLOSES: Final = {sign: re.compile(rf"^[ \t]*{sign}{{3,}}(?=\s|\Z)", re.MULTILINE) for sign in "`~"}
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,400})?>")
_OURS: Final = frozenset(
    {"memory", "restored", "recovery", "summary", "tool_result", "system-reminder"}
)
"""Blocks that reach to the end of the text where they aren't closed."""

_BULLET: Final = re.compile(
    r"\s*(?:[-*•+–]|\(?\d{1,3}[.)、）]|[（(][一二三四五六七八九十]+[）)])\s*\S"
)
_NOISE: Final = re.compile(
    r"\s*(?:"
    r"(?:\w+[.:/\\])*\w*(?:Error|Exception|Panic|Warning)\b\s*[:(\[]"
    r"|(?:error|warning|fatal|panic|traceback|caused by|stderr|stdout)"
    r"\b\s*(?:\[[^\]\n]*\]|[A-Z]{0,4}\d+)?\s*[:!(]"
    r"|npm\s+(?:err!|warn\b|error\b)"
    r"|\[?(?:error|warn|warning|info|debug|trace|fatal|failed)\]?\s*[|:\]]"
    r"|(?-i:FAILED|PASSED|ERROR|FAIL|PASS|E)\s{1,3}(?=\S)(?=[\w./:]*[./:(])"
    r"|(?:報錯|报错|错误(?:信息|日志|输出)?|日志|异常|警告)\s*[:：]"
    r"|at\s+[\w$.<>\[\] ]+\((?=[^\n]*(?::\d|:line|Native M|Unknown S|native\)))|at\s+\S+:\d+"
    r"|File\s+\"|\^+\s*$"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d"
    r"|[\w./\\-]+\.\w{1,5}:\d+(?::\d+)?[:\s]"
    r"|[$❯➜]\s|>>>\s|PS [A-Z]:|\w+@[\w-]+:\S*[$#]\s|In \[\d+\]:"
    r"|[{\[]\s*[\"'{\[]|[}\])]+[,;]?\s*$"
    r"|(?://|/\*|--\s|<!--|import\s+[\w.*]+(?:\s+as\s+\w+)?\s*;?\s*$|import\s.*['\"]"
    r"|from\s[\w.]+\simport\s|def\s\w+\(|class\s\w+[:({]"
    r"|function\s\w+\(|const\s\w+\s*=|let\s\w+\s*=|var\s\w+\s*=|return\s+[\w(]+;)"
    r")",
    re.IGNORECASE,
)
"""Lines of output, logs, traces, prompts and bare code."""
_TRACE: Final = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|thread '[^']*' panicked|goroutine \d+ \["
    r"|Exception in thread|={3,} (?:FAILURES|ERRORS|short test summary))"
)
_DIFF: Final = re.compile(r"(?:diff --git |@@ -\d|--- a/|\+\+\+ b/|index [0-9a-f]{7})")

_STAR: Final = re.compile(r"^([ \t]*)\*(?=[ \t])", re.MULTILINE)
_INLINE: Final = 80
"""Characters of code that is a word of a sentence."""

_SOFT: Final = re.compile(r"\n(?!\s*\n)").pattern
_CODE: Final = re.compile(rf"`(?:[^`\n\0]|{_SOFT}){{1,2000}}`")
_QUOTES: Final = tuple(
    (sign, re.compile(pattern))
    for sign, pattern in (
        ("”", rf"“(?:[^“”\n\0]|{_SOFT}){{0,4000}}”"),
        ("」", rf"「(?:[^「」\n\0]|{_SOFT}){{0,4000}}」"),
        ("』", rf"『(?:[^『』\n\0]|{_SOFT}){{0,4000}}』"),
        ("»", rf"«(?:[^«»\n\0]|{_SOFT}){{0,4000}}»"),
        ('"', rf'(?<![A-Za-z0-9])"(?:[^"\n\0]|{_SOFT}){{0,4000}}"'),
        ("’", r"‘(?:[^‘’\n\0]|(?<=\w)’(?=\w)){1,300}’"),
        ("'", r"(?<!\w)'(?:[^'\n\0]|(?<=\w)'(?=\w)){1,300}'(?!\w)"),
    )
)
"""Closing sign first: where it doesn't stand, nothing is quoted with it."""
_ADDRESS: Final = re.compile(r"\bhttps?://[^\s\0，。]{1,500}")
_PLAIN: Final = (("’", "'"), ("´", "'"), ("*", " "), ("\r", " "), ("\u3000", " "), ("\u200b", " "))


def masked(text: str) -> str:
    """The text, what isn't the user's own masked; cut off after `MOST` own characters, at an end.

    Args:
        text: a message of the user's, as it was written.

    Returns:
        Of the text's length, or shorter where it was cut off; asterisks, curly apostrophes and
        traditional Chinese are made plain, so that words are found by one pattern; an asterisk that
        marks an item is a dash.
    """
    if _FOREIGN.match(text):
        return ""
    pieces: list[str] = []
    place = total = 0
    for start, until in _own(text[:_LONGEST]):
        end = start + MOST - total
        end = until if end >= until else _behind_sentence(text, end, until)
        pieces.append((COVER if _is_inline(text, place, start) else CUT) * (start - place))
        pieces.append(text[start:end].replace(CUT, " "))
        place, total = end, total + end - start
        if total >= MOST:
            break
    mask = _without_quotes(text, _without_noise("".join(pieces)))
    if "*" in mask:
        mask = _STAR.sub(r"\1-", mask)
    mask = simplified(mask)
    for sign, plain in _PLAIN:  # five times faster than `translate` where a text isn't ASCII
        mask = mask.replace(sign, plain)
    return mask


def _behind_sentence(text: str, place: int, until: int) -> int:
    """Where the sentence that stands at a place ends; the place itself if it is endless."""
    found = _ENDS.search(text, place, min(until, place + _OVER))
    if found:
        return found.end()
    return until if until <= place + _OVER else place


def _is_inline(text: str, start: int, end: int) -> bool:
    """Whether what isn't the user's own is code within a line: ```npm```."""
    mid = start and text[start - 1] != "\n" and text[start] == "`"
    return bool(mid and end - start <= _INLINE and "\n" not in text[start:end])


def _own(text: str) -> Iterator[tuple[int, int]]:
    """The stretches outside fences, quoted lines and block tags."""
    closing = {found[2].lower(): found.end() for found in _TAG.finditer(text) if found[1]}
    place = start = 0
    while found := _OPEN.search(text, place):
        end = _end_of(text, found, closing)
        if end is None:
            place = found.end()
            continue
        if found.start() > start:
            yield start, found.start()
        place = start = end
    if start < len(text):
        yield start, len(text)


def _end_of(text: str, found: re.Match[str], closing: dict[str, int]) -> int | None:
    """Where what opens here ends; None if nothing opens."""
    if found["quoted"]:
        return found.end()
    if found["fence"]:
        line = text.find("\n", found.end())
        line = len(text) if line < 0 else line
        if found["fence"].lstrip()[0] == "`" and (inline := _RUN.search(text, found.end(), line)):
            return inline.end()
        closes = _CLOSES[found["fence"].lstrip()[0]].search(text, line)
        return closes.end() if closes else len(text)
    if found["run"]:
        closes = _RUN.search(text, found.end())
        return closes.end() if closes else None
    name = found["tag"].lower()
    if found[0].endswith("/>"):
        return None
    last = closing.get(name, -1)
    if last < found.end():
        return len(text) if name in _OURS else None
    depth = 1
    for other in _TAG.finditer(text, found.end(), last):
        if other[2].lower() == name:
            depth += -1 if other[1] else 1
            if not depth:
                return other.end()
    return last


def _without_noise(text: str) -> str:
    """Lines of code, diffs, logs and traces are cut."""
    kept: list[str] = []
    trace = diff = code = listed = False
    blank = True
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        cut = False
        if not bare:
            trace = diff = False
            blank = True
            kept.append(line)
            continue
        if _TRACE.match(line):
            trace = cut = True
        elif trace:
            cut = True
            trace = line[0] in " \t|" or not re.match(r"[\w.]*(?:Error|Exception)\b", line)
        elif _DIFF.match(line):
            diff = cut = True
        elif diff and line[0] in " +-@\\":
            cut = True
        else:
            diff = False
            bullet = bool(_BULLET.match(line))
            deep = line.startswith(("    ", "\t"))
            code = deep and not bullet and (code or (blank and not listed))
            listed = bullet or (listed and (deep or line[0] == " "))
            cut = code or bool(_NOISE.match(line))
        blank = False
        kept.append(CUT * len(line) if cut else line)
    return "".join(kept)


def _without_quotes(text: str, mask: str) -> str:
    """Quotes, code of several words, addresses and pastes are covered."""
    for mark in paste_marks(text):
        if mark.end <= len(mask):
            mask = mask[: mark.start] + COVER * (mark.end - mark.start) + mask[mark.end :]
    if "`" in mask:
        mask = _CODE.sub(_code, mask)
    for sign, pattern in _QUOTES:
        if sign in mask:
            mask = pattern.sub(_covered, mask)
    return _ADDRESS.sub(_covered, mask) if "://" in mask else mask


def _covered(found: re.Match[str]) -> str:
    return COVER * len(found[0])


def _code(found: re.Match[str]) -> str:
    inside = found[0]
    if "\n" in inside and len(inside) > _INLINE:
        return CUT * len(inside)
    return COVER * len(inside) if len(inside.split()) > 1 else inside
