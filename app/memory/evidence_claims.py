"""What a fact claims that files can tell: versions, tools, ports. Pure, and silent when unsure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from app.memory.evidence_readings import subject_of
from app.memory.evidence_versions import Span, family, java_family
from app.memory.evidence_words import at_least, clauses, hedged

LONGEST = 2000
"""Characters of a fact; in a longer one nothing is looked for."""

KINDS: dict[str, str] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), "js packages"),
    **dict.fromkeys(("maven", "gradle"), "java build"),
    **dict.fromkeys(("poetry", "uv", "pdm", "pipenv"), "python packages"),
}
"""Tools of which a project has one of a kind."""

_FILL = re.compile(
    r"(?:版本号|版本|是|为|使用|用|保持|可以|还是|仍然?|在|升级到|升到|升级为|已经?|到|至|了|的|统一|固定|锁定|要求|需要|必须"
    r"|最低|至少|基础镜像|镜像"
    r"|\b(?:version|versions|ver|is|are|at|to|of|now|still|stays|remains|on|release|level|language"
    r"|least|minimum|must|be|has|been|upgraded|updated|set|pinned|the|image|LTS)\b"
    r"|>=|≥|==|[\s:：=@`\"'（(「“])*$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"(?<![\d.])(?:(?<![A-Za-z])[vV])?(\d{1,4}(?:\.\d{1,6}){0,3})(\.[xX*])?"
    r"(?![\d_%])(?!\.\d)(?![A-Za-z])",
)
_NAME = re.compile(r"((?:@?[A-Za-z][A-Za-z0-9_.+#/@-]*)(?: [A-Za-z][A-Za-z0-9_.+#-]*){0,2})$")
_GLUED = re.compile(r"(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z.]*)$")
_BAD_BEFORE = re.compile(r"(?:[<!^~≤]=?|(?<!>)>|\d|[./\\-])\s*$")
_NO_VERSION = re.compile(
    r"-(?:rc|beta|alpha|m\d|snapshot|dev|pre|canary|next)"
    r"|\s*(?:->|=>|→|-|–|~|～|/|to|through|到|至|or|and|或者|或|和|与|、|,|，|&)\s*[vV]?\d"
    r"|\s*(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|h|days?|weeks?|months?|years?|times|users?"
    r"|people|files?|lines?|[kmgt]i?b|tests?|threads?|connections?|retries|workers?|percent"
    r"|requests?|bits?|cores?|items?|columns?|spaces?|characters?|modules?|projects?)\b"
    r"|\s*(?:%|个|次|秒|分|天|小时|周|月|年|人|行|条|种|位|倍|台|字|块|元|毫秒|核|线程|页|层|列|端口)",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\s*(?:\+|及以上|或以上|或更高|以上|or (?:newer|later|higher|above))", re.IGNORECASE
)
_NUMBER = r"(?<!\d)(\d{2,5})(?![\d.]*\d)(?![A-Za-z%])"
_PORTS = (
    re.compile(rf"\bports?\b(?:\s*(?:number|is|=|:|to|set to|at))*\s*{_NUMBER}", re.IGNORECASE),
    re.compile(
        r"\b(?:listen(?:s|ing)?|runs?|running|serve[sd]?|available|exposed|starts?)\s+(?:on|at)\s+"
        rf"(?:https?://)?(?:localhost)?:\s*{_NUMBER}",
        re.IGNORECASE,
    ),
    re.compile(rf"\blisten(?:s|ing)?\s+on\s+{_NUMBER}", re.IGNORECASE),
    re.compile(rf"(?:https?://)?\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):{_NUMBER}(?:/\S*)?"),
    re.compile(
        rf"端口号?\s*(?:是|为|：|:|=|用|使用|设为|在|固定为|默认为|默认是|改为|改成|改到|\s)*\s*{_NUMBER}"
    ),
    re.compile(rf"监听\s*(?:在|于|:|：)?\s*{_NUMBER}"),
    re.compile(rf"{_NUMBER}\s*端口"),
)
_TOOL = re.compile(
    rf"(?<![\w./@-])({'|'.join(sorted(KINDS, key=len, reverse=True))})(?![\w./-])"
    # A command that is quoted doesn't say that it is the project's own tool.
    r"(?!\s+(?:run|install|i|test|ci|start|build|exec|dlx|add|sync|lock|x|create|init|publish"
    r"|audit|update|upgrade|link|pack|view|config|remove|pip|tool|assemble|check)\b|\s+-)",
    re.IGNORECASE | re.ASCII,
)
_USES = re.compile(
    r"(?:\b(?:uses?|using|depends on|built (?:with|on)|relies on)\s+|(?:使用|采用|基于|依赖|用)\s*)"
    r"(@?[A-Za-z][A-Za-z0-9_.+#/@-]*(?: [A-Z][A-Za-z0-9_.+#-]*){0,2})\s*(?:[.。]|$)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a fact says.

    Attributes:
        kind: of what.
        subjects: what about, the likeliest first; whichever the files know.
        value: as written: `17`, `pnpm`, `8080`; "" if only that it is used.
        before: the clause up to it, without other claims.
        after: the clause after it.
        name: the words of its name, as written.
        span: the versions meant.
        tool: the Java meant is the tools', which may be newer than the language level.
    """

    kind: Literal["version", "tool", "port", "use"]
    subjects: tuple[str, ...]
    value: str
    before: str
    after: str
    name: tuple[str, ...] = ()
    span: Span | None = None
    tool: bool = False


@lru_cache(maxsize=20_000)
def claims(fact: str) -> tuple[Claim, ...]:
    """The claims of a fact; of two that differ on one thing, neither."""
    if len(fact) > LONGEST or hedged(fact):
        return ()
    found = [one for clause in clauses(fact) for one in _claims_of(clause)]
    values: dict[tuple[str, str], set[str]] = {}
    for one in found:
        for subject in one.subjects[-1:]:
            values.setdefault((one.kind, subject), set()).add(one.value)
    return tuple(one for one in found if len(values[one.kind, one.subjects[-1]]) == 1)


def _claims_of(clause: str) -> Iterator[Claim]:
    ports = _spans_of_ports(clause)
    blanked = clause
    for start, end, _ in ports:
        blanked = blanked[:start] + " " * (end - start) + blanked[end:]
    versions = list(_versions(blanked))
    rest = blanked
    for _, start, end, _ in versions:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for start, end, port in ports:
        yield Claim("port", ("port",), port, rest[:start], rest[end:])
    for name, start, end, number in versions:
        subjects = _subjects(name)
        java = subjects[-1] == "java"
        span = (java_family if java else family)(number)
        if span is None:
            continue
        if at_least(clause) or _MORE.match(clause[end:]):
            span = Span(span.low)
        yield Claim(
            *("version", subjects, number, rest[:start], rest[end:]),
            name=tuple(name.split(" ")),
            span=span,
            tool=java and re.search(r"jdk|temurin|corretto", clause, re.IGNORECASE) is not None,
        )
    tools = list(_TOOL.finditer(rest))
    for found in tools:
        name = found[1].lower()
        before, after = rest[: found.start()], rest[found.end() :]
        yield Claim("tool", (f"tool:{KINDS[name]}",), name, before, after)
    if not (ports or versions or tools) and (match := _USES.search(clause)) is not None:
        yield Claim(
            *("use", _subjects(match[1]), "", clause[: match.start()], clause[match.end() :])
        )


def _spans_of_ports(clause: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for pattern in _PORTS:
        for match in pattern.finditer(clause):
            start, end = match.span()
            if 10 <= int(match[1]) < 65_536 and not any(
                start < other and end > first for first, other, _ in found
            ):
                found.append((start, end, match[1]))
    return sorted(found)


def _versions(clause: str) -> Iterator[tuple[str, int, int, str]]:
    """Names with a version behind them, where they begin and end, the number."""
    for match in _VERSION.finditer(clause):
        number, end = match[1], match.end()
        if _NO_VERSION.match(clause[end:]):
            continue
        before = clause[: match.start()]
        glued = _GLUED.search(before) if before[-1:].isalpha() else None
        name: re.Match[str] | None = glued
        if glued is None:
            filled = _FILL.sub("", before)
            if _BAD_BEFORE.search(before) or _BAD_BEFORE.search(filled):
                continue
            name = _NAME.search(filled)
        if name is None:
            continue
        subject = _subjects(name[1])[-1]
        if "." not in number and (subject == "go" or int(number) >= 1000):  # noqa: SIM102
            if subject != "edition":
                continue
        # Only the last word is taken away: the others may be what the sentence is about.
        start = name.start(1) + name[1].rfind(" ") + 1
        tail = re.match(r"(?:-[A-Za-z0-9.]+)*", clause[end:])
        yield name[1], start, end + (tail.end() if tail else 0), number


def _subjects(name: str) -> tuple[str, ...]:
    """A name of up to three words: all of them, the last two, the last."""
    words = name.split(" ")
    found = [subject_of("".join(words[-count:])) for count in range(len(words), 0, -1)]
    return tuple(dict.fromkeys(one for one in found if one)) or ("",)
