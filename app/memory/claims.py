"""What a fact says, as far as words show: typed values, content, negation, what it drops."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Literal

from app.memory.claim_tables import (
    CONDITIONS,
    CONDITIONS_END,
    ENGLISH_NUMBERS,
    FILLERS,
    IDIOMS,
    IS,
    NEGATORS,
    SYNONYMS,
    TURNS,
    UNITS,
    USES,
    VERSIONED,
)
from app.memory.slots import Cut
from app.memory.stem import stem

LONGEST = 2_000
"""Characters of a text that are read; a fact is a sentence."""

_NUMERAL = "零一二两三四五六七八九十百"
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_CONTRACTION = re.compile(r"(?<=[a-z])n't\b")
_SCAN = re.compile(
    rf"""
    (?P<email>[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)
  | (?P<phone>(?<![0-9])1[3-9][0-9]{{9}}(?![0-9]))
  | (?P<date>(?<![0-9])(?:[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?![0-9])
      | (?:[0-9]{{4}}年)?[0-9]{{1,2}}月[0-9]{{1,2}}[日号]))
  | (?P<time>(?<![0-9:])[0-9]{{1,2}}:[0-9]{{2}}(?![0-9:]))
  | (?P<number>(?<![a-z0-9_.])v?(?P<digits>[0-9]+(?:[.][0-9]+)*)\+?
      (?:[ -]?个?(?P<unit>{_UNIT})(?![a-z0-9_]))?(?![a-z0-9_]))
  | (?P<latin>[a-zà-ɏ_.@$~/][a-zà-ɏ0-9_./@:\#+~$&-]*)
  | (?P<han>[\u3400-\u9fff]+)
  | (?P<other>[^\W\d_a-z\u3400-\u9fff]+|[\u2190-\u2bff\U0001f000-\U0001faff]+)
  | (?P<sign>[:=](?=\s|[\u3400-\u9fff]|$))
  | (?P<end>[,.;。，；!！?？])
    """,
    re.VERBOSE,
)
_HAN_NUMBER = re.compile(rf"[{_NUMERAL}]+(?=(?:{_UNIT}|月|日|号))")

_STOP = r"(?=[,.;:。，；：)）]|$|\s(?:for|when|in|to|and|because|as|on|if)\s)"
_DROPS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:instead of|rather than)\s+(?:using\s+)?(?P<y>.{{1,60}}?){_STOP}",
        r"[,(]\s*(?:and\s+)?(?:not|never)\s+(?P<y>[^\s,.;]+(?:\s[^\s,.;]+)?)\s*(?=[,.;)]|$)",
        rf"\bprefer\w*\b.{{1,60}}?(?P<drop>\b(?:over|to)\s+(?P<y>.{{1,60}}?)){_STOP}",
        r"\b(?:switch|migrat|mov|chang)\w*\b.{0,60}?(?P<drop>\bfrom\s+(?P<y>.{1,60}?))\s(?=to\s)",
        r"\b(?P<drop>replac\w*\s+(?P<y>.{1,60}?))\s(?=(?:with|by)\s)",
        r"(?:而不是|而非|代替|替代|取代|来替换)\s*(?:使用|用)?\s*(?P<y>[^,.;。，；]{1,40})",
        r"[,，]\s*(?:不用|别用|不要用|不再用|不再使用|不使用|不是)\s*(?P<y>[^,.;。，；]{1,40})",
        r"(?:从|由|把|将)\s*(?P<y>[^,.;。，；]{1,40}?)\s*"
        r"(?=(?:全部|都|已经|已)?(?:换成|改成|改为|换为|切换到|切换成|迁移到|升级到|升到|替换成|替换为))",
        r"(?:不再用|不再使用|弃用)\s*(?P<y>[^,.;。，；]{1,40}?)\s*[,，]\s*(?=(?:改|换)用)",
    )
)
_SWITCHES = re.compile(
    r"换成|改成|改为|换为|切换[到成]|迁移到|升级?到|替换[成为]|改用|换用"
    r"|\b(?:ha(?:s|ve)\s+)?(?:switched|changed)\s+(?:over\s+)?to\b"
    # A server moves to a place; people move to what they use.
    r"|(?P<who>\b(?:we|i|team|project)\s+)(?:have\s+|has\s+)?(?:moved|migrated)\s+(?:over\s+)?to\b"
)

_REMARK = re.compile(r"\s*[(（]([^()（）]{1,60})[)）]")
_NARROWS = re.compile(
    r"[0-9]|\b(?:not|never|no|only|for|in|on|at|if|when|until|since|before|after|except|was|old"
    r"|dev\w*|prod\w*|test\w*|stag\w*|local\w*|ci|default|optional)\b"
    r"|[不非别仅只旧除]|时|前|后|用于|环境|开发|测试|生产|预发|本地|默认|可选|没有",
    re.IGNORECASE,
)
"""A remark that says where or when a fact holds, or denies: without it, it is another fact."""

Role = Literal["word", "use", "is", "not", "filler", "value", "end"]


@dataclass(frozen=True)
class Value:
    """A typed value: its kind, and what is the same however it is written."""

    kind: str
    key: str


@dataclass(frozen=True)
class Token:
    """A word of a text: as it stands, and as it is compared."""

    role: Role
    text: str
    word: str
    value: Value | None = None


@dataclass(frozen=True, eq=False)
class Claim:
    """What a text says."""

    tokens: tuple[Token, ...]
    content: tuple[str, ...]
    """Words that carry the subject, in order: synonyms as one, English ones stemmed."""
    values: tuple[Value, ...]
    negated: bool
    dropped: frozenset[str]
    """The content of what it does away with: Y of "X instead of Y"."""

    @cached_property
    def about(self) -> frozenset[str]:
        """The content as a set."""
        return frozenset(self.content)


@lru_cache(4_096)
def read(text: str, cut: Cut) -> Claim:
    """What a text says; kept for the texts read last, so one text is one object.

    Args:
        text: a fact; only its first 2,000 characters are read.
        cut: makes words of a run of Chinese.
    """
    plain = _plain(text[:LONGEST])
    kept, dropped = _split(plain)
    tokens = tuple(_tokens(kept, cut))
    gone = frozenset(
        token.word
        for token in (_tokens(dropped, cut) if dropped else ())
        if token.role in ("word", "value")
    )
    return Claim(
        tokens=tokens,
        content=tuple(token.word for token in tokens if token.role == "word"),
        values=tuple(token.value for token in tokens if token.value),
        negated=_is_negated(tokens),
        dropped=gone,
    )


def without_remarks(text: str) -> str:
    """The text without its bracketed remarks; as it is where one of them narrows what it says."""
    found = _REMARK.findall(text)
    if not found or any(_NARROWS.search(remark) for remark in found):
        return text
    return _REMARK.sub("", text)


def _plain(text: str) -> str:
    """NFKC, lower case, no Markdown, no contractions."""
    wide = unicodedata.normalize("NFKC", text.replace("’", "'")).lower()
    wide = re.sub(r"[`*\"“”]|\[|\]\([^)]*\)", "", wide)
    wide = (
        wide.replace("won't", "will not").replace("can't", "can not").replace("cannot", "can not")
    )
    return _CONTRACTION.sub(" not", wide)


def _split(text: str) -> tuple[str, str]:
    """What a text holds to, and what it does away with."""
    gone: list[str] = []
    for pattern in _DROPS:
        found = pattern.search(text)
        if found:
            gone.append(found["y"])
            start, end = found.span("drop" if "drop" in pattern.groupindex else 0)
            text = f"{text[:start]} {text[end:]}"
    return _SWITCHES.sub(lambda found: f"{found['who'] or ''} 用 ", text), " ; ".join(gone)


def _tokens(text: str, cut: Cut) -> Iterator[Token]:
    text = _HAN_NUMBER.sub(lambda found: _number_of(found[0]), text)
    for found in _SCAN.finditer(text):
        kind = found.lastgroup
        if found["email"] or found["phone"] or found["time"]:
            yield _valued(found[0], str(kind), found[0])
        elif found["date"]:
            yield _valued(found[0], "date", "-".join(str(int(n)) for n in _digits(found[0])))
        elif found["number"]:
            yield _numbered(found[0], found["digits"], found["unit"] or "")
        elif found["latin"]:
            yield from _latin(found[0])
        elif found["han"]:
            for word in cut(found[0]):
                yield from _han(word)
        elif found["other"]:
            yield Token("word", found[0], found[0])
        elif found["sign"]:
            yield Token("is", found[0], found[0])
        else:
            yield Token("end", found[0], "")


def _digits(text: str) -> list[str]:
    return re.findall("[0-9]+", text)


def _valued(text: str, kind: str, key: str) -> Token:
    return Token("value", text, f"{kind}:{key}", Value(kind, key))


def _numbered(text: str, digits: str, unit: str) -> Token:
    if not unit or digits.count(".") > 1:
        return _valued(text, "number", digits)
    kind, factor = UNITS[unit]
    size = (Decimal(digits) * Decimal(factor)).normalize()
    return _valued(text, "number" if kind == "count" else kind, f"{size:f}")


@lru_cache(8_192)  # the same words stand in most facts
def _latin(run: str) -> tuple[Token, ...]:
    return tuple(_read_latin(run))


def _read_latin(run: str) -> Iterator[Token]:
    word = run.rstrip(".,:;-/@+~$&") if not run.endswith("++") else run
    if not word:
        return
    versioned = re.fullmatch(r"([a-z]+)-?([0-9]+(?:\.[0-9]+)*)", word)
    if versioned and versioned[1] in VERSIONED:
        yield _word(versioned[1])
        yield _valued(versioned[2], "number", versioned[2])
    elif word in ENGLISH_NUMBERS:
        yield _valued(word, "number", ENGLISH_NUMBERS[word])
    else:
        yield _word(word)
    if run != word and run.endswith(":"):
        yield Token("is", ":", ":")
    elif run.endswith("."):
        yield Token("end", ".", "")


def _han(word: str) -> Iterator[Token]:
    for ending in ("毕业", "上班"):
        if word.endswith(ending) and word != ending:
            yield _word(word.removesuffix(ending))
            word = ending
    if len(word) == 2 and word[0] in "我你他她它" and word[1] in USES | IS:  # 我用
        yield _word(word[0])
        word = word[1]
    if len(word) == 2 and word[0] == "不" and word not in NEGATORS | IDIOMS:
        yield _word("不")
        word = word[1]
    yield _word(word)


def _word(text: str) -> Token:
    word = SYNONYMS.get(text, text)
    if text in NEGATORS:
        return Token("not", text, "")
    if text in USES:
        return Token("use", text, "")
    if text in FILLERS:
        return Token("filler", text, "")
    if text in IS:
        return Token("word", text, stem(word)) if word == "name" else Token("is", text, "")
    return Token("word", text, stem(word))


def _is_negated(tokens: tuple[Token, ...]) -> bool:
    """Whether something is denied.

    Two in a row, or "don't forget", deny nothing; nor does a condition: if nothing else is said.
    """
    heard = [
        token
        for token in tokens
        if token.role not in ("filler", "is", "use") or token.text in CONDITIONS_END
    ]
    only_if = turned = False
    for place, token in enumerate(heard):
        if turned:
            turned = False
        elif token.role == "end" or token.text in CONDITIONS_END:
            only_if = False
        elif token.text in CONDITIONS:
            only_if = True
        elif token.role == "not" and not only_if:
            after = heard[place + 1] if place + 1 < len(heard) else None
            turned = bool(after and (after.role == "not" or after.text in TURNS))
            if not turned:
                return True
    return False


def _number_of(numeral: str) -> str:
    """Chinese numerals below a thousand, as digits: 十二 is 12, 三十 30, 一百零五 105."""
    total, digit = 0, 0
    for character in numeral:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = "零一二三四五六七八九".find("二" if character == "两" else character)
    return str(total + digit)
