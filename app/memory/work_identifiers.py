"""Names that nobody guesses: error codes, ids, ports, environment variables, branches, venvs.

They are taken from commands, short arguments, the telling lines of failures, and the user's words;
not from files that are read. Of a variable the name is kept, and a value only where it is a port or
a path: never one that could be a secret.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.conversation.secret_words import MASKED, without_secrets
from app.memory.name_tables import words
from app.memory.work_shell import Script, Simple

MOST = 12
"""Identifiers that one call or message tells of."""

LONGEST = 200
"""Characters of a name; a longer one is left out."""

_LINES = 12
_LINE = 400
_HEAD, _TAIL = 2_000, 6_000

_TELLING = re.compile(
    r"error|fatal|fail|exception|panic|denied|not found|no such|refused|unable|cannot|can't|invalid"
    r"|abort|status|错误|失败|异常|拒绝|找不到|\bERR_|\bE[A-Z]{4,}\b",
    re.IGNORECASE,
)
_UUID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"(?![0-9A-Za-z])"
)
_ERRNO = words(
    "ENOENT EACCES EADDRINUSE ECONNREFUSED ECONNRESET EEXIST EISDIR ENOTDIR EMFILE EPERM EPIPE "
    "ETIMEDOUT ENOTFOUND EAI_AGAIN ENOSPC EROFS EBUSY EINVAL ENOTEMPTY ELOOP ENOMEM EHOSTUNREACH "
    "ERESOLVE ENOLOCK EUSAGE EBADENGINE EINTEGRITY ESRCH EXDEV EFAULT EAGAIN ELIFECYCLE E2BIG"
)
_CODES = re.compile(
    r"(?<![\w-])(?:"
    r"(?:ERR|ERROR|FAIL|EXC|WARN)_[A-Za-z0-9]\w{1,100}"
    r"|E0\d{3}(?!\d)|TS\d{4,5}|ORA-\d{5}|PGRST\d{3}|CVE-\d{4}-\d{4,7}|NU\d{4}|MSB\d{4}|NETSDK\d{4}"
    r"|0x[89A-F][0-9A-F]{7}"
    r"|E[A-Z_]{3,11}(?![\w])"
    r")(?![\w])"
)
_SAID_CODE = re.compile(
    r"(?:\berror|\bwarning|\bcode|\berrno|\bfailure|错误码?|异常)\s*(?:code)?[:：=\s\[(#]*"
    r"(?P<code>(?=[A-Z0-9-]*\d)[A-Z]{1,8}-?\d{3,6})\b",
    re.IGNORECASE,
)
_TWO_DIGITS, _THREE_DIGITS = re.compile(r"\d\d"), re.compile(r"\d\d\d")
"""What each port, and each status and said code, holds: without, the rules for them, which try each
word, find nothing."""

_HTTP = re.compile(
    r"\b(?:HTTP(?:/\d(?:\.\d)?)?(?: (?:error|status))?|status[ _]code|response code|状态码)"
    r"[\s:：=]*(?P<code>[1-5]\d\d)\b",
    re.IGNORECASE,
)
_SQLSTATE = re.compile(r"\bSQLSTATE\W{0,3}([0-9A-Z]{5})\b")
_IDS = re.compile(
    r"(?<![\w-])(?:req|request|run|job|task|trace|span|order|txn|sess|session|build|deploy|batch|evt|inc)"
    r"[_-](?=\w*\d)[A-Za-z0-9]{6,64}(?![\w])"
)
_PORT_OPTION = re.compile(r"(?<![\w-])(--?[a-z-]*port|-p|-P)[= ]([1-9]\d{1,4})(?![\d.])")
_PORT_HOST = re.compile(
    r"(?<![\w.])((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):([1-9]\d{1,4}))(?!\d)"
)
_PORT_MAPPED = re.compile(r"(?<![\w-])(?:-p|--publish)[= ]((?:[\d.]+:)?([1-9]\d{1,4}):\d{2,5})\b")
_PORT_SET = re.compile(r"\b([A-Z][A-Z0-9_]*PORT|PORT)[=:]\s*\"?([1-9]\d{1,4})\b")
_PORT_SAID = re.compile(
    r"(?:\bports?|端口)(?:\s*(?:号|是|为|is|=|:|：|to|number|用))*\s*([1-9]\d{1,4})(?!\d)", re.I
)
_VARIABLE = re.compile(
    r"(?:\bexport\s+|\$env:|\bset(?:x)?\s+(?:-gx\s+)?|\bENV\s+)([A-Za-z_]\w{1,80})\s*[= ]\s*"
    r"(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[^\s;&|]{0,300})"
)
_SAID_VARIABLE = re.compile(r"(?<![\w$-])([A-Z][A-Z0-9]*_[A-Z0-9_]{1,60}|PORT)=(\S{0,300})")
_PATH_VALUE = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:[\\/])[\w./\\~+@ -]{1,250}")
_PORT_VALUE = re.compile(r"[1-9]\d{1,4}")
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|pwd|credential|auth|cookie|private|salt|dsn")
_BRANCH = re.compile(r"(?!-)[\w./#@+-]{1,150}")
_BRANCH_SAID = re.compile(
    r"(?:\bbranch(?:\s+(?:is|called|named))?|分支(?:是|为|叫)?)\s*[`'\"「“]?"
    r"((?=[\w./-]*[/_-])[A-Za-z0-9][\w./-]{2,99})"
)
_SWITCHED = re.compile(
    r"^(?:Switched to (?:a new )?branch|On branch|切换到(?:一个新)?分支|位于分支) "
    r"'?([^'\s]{1,150})",
    re.MULTILINE,
)
_VENV_RUN = re.compile(r"(.{1,250}?)/(?:bin|Scripts)/(?:activate|python|pip|pytest)[\w.]*$", re.I)
_VENV_NAME = re.compile(r"(?:^|[._-])(?:v|virtual)?env(?:$|[\d._-])", re.IGNORECASE)
_VENV_WORD = re.compile(r"env|虚拟环境", re.IGNORECASE)
"""What the two rules below need: they try each word, this passes over a text at once."""

_VENV_SAID = re.compile(
    r"(?<![\w/.~-])((?:~|\.{0,2})?/?(?:[\w.@+-]{1,80}/){0,20}"
    r"(?:[\w.-]{0,40}[._-])?v(?:irtual)?env[\w.-]{0,40})",
    re.IGNORECASE,
)
_VENV_AT = re.compile(
    r"(?:v(?:irtual)?env|虚拟环境)(?:\s*(?:path|路径))?"
    r"(?:\s*(?:is|at|in|lives|under|stands|放在|位于|在|是|为|[:：=]))+\s*[`'\"“]?"
    r"((?:~|\.{0,2})/[\w./@+~-]{1,200}|[A-Za-z]:[\\/][\w.\\/@+~-]{1,200})",
    re.IGNORECASE,
)


class Identifier(NamedTuple):
    """An identifier.

    Attributes:
        name: of the thing; a port as `:8080`.
        detail: what it is for: a variable's value, a port's spelling, `branch`, `venv`.
    """

    name: str
    detail: str = ""


def identifiers_in_failure(text: str) -> tuple[Identifier, ...]:
    """Error codes and ids in the telling lines of a failing result."""
    return _some(one for line in telling_lines(text) for one in _codes(line))


def telling_lines(text: str) -> list[str]:
    """The lines of a failing result that say why; from its beginning and its end, at most 12."""
    ends = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    lines: list[str] = []
    for line in ends.splitlines():
        if line.strip() and (_TELLING.search(line) or _UUID.search(line)):
            lines.append(_cut(line.strip()))
            if len(lines) == _LINES:
                break
    return lines


def _cut(line: str) -> str:
    """The beginning of a long line, up to the end of a word."""
    if len(line) <= _LINE:
        return line
    return line[: max(line.rfind(" ", 0, _LINE + 1), 0)] or line[:_LINE]


def identifiers_in_words(text: str) -> tuple[Identifier, ...]:
    """Identifiers in what a user says."""
    text = without_secrets(text[:60_000])
    return _some((*_codes(text), *_ports(text), *_said_variables(text), *_said(text)))


def identifiers_in_arguments(text: str) -> tuple[Identifier, ...]:
    """Identifiers in the short arguments of a call."""
    text = without_secrets(text[:4_000])
    return _some((*_codes(text), *_ports(text)))


def identifiers_in_script(script: Script, command: str) -> tuple[Identifier, ...]:
    """Identifiers in a command: what it sets, opens, and names."""
    found: list[Identifier] = []
    for one in script.commands:
        found += _set(one)
        found += _branches(one)
        found += _venvs(one)
    line = without_secrets(_outside_bodies(command, script))[:4_000]
    return _some((*found, *_ports(line), *_codes(line)))


def switched_branch(text: str) -> tuple[Identifier, ...]:
    """The branch that git says it is on."""
    return _some(Identifier(found[1], "branch") for found in _SWITCHED.finditer(text[:2_000]))


def _outside_bodies(command: str, script: Script) -> str:
    for start, end in reversed(script.bodies):
        command = command[:start] + command[end:]
    return command


def _some(found: Iterable[Identifier]) -> tuple[Identifier, ...]:
    """Each once, the first spelling; at most `MOST`."""
    kept: dict[str, Identifier] = {}
    for one in found:
        if one.name and len(one.name) <= LONGEST and MASKED not in one.name:
            old = kept.get(one.name)
            if old is None or (one.detail and not old.detail):
                kept[one.name] = one
    return tuple(kept.values())[:MOST]


def _codes(text: str) -> Iterator[Identifier]:
    for found in _UUID.finditer(text):
        yield Identifier(found[0])
    for found in _CODES.finditer(text):
        code = found[0]
        if (
            not code.startswith("E")
            or not code.isupper()
            or "_" in code
            or code in _ERRNO
            or (code[1:2].isdigit())
        ):
            yield Identifier(code)
    numbered = _THREE_DIGITS.search(text) is not None
    for found in _SAID_CODE.finditer(text) if numbered else ():
        code = found["code"]
        if code[:1].isupper():
            yield Identifier(code)
    for found in _SQLSTATE.finditer(text):
        yield Identifier(f"SQLSTATE {found[1]}")
    for found in _HTTP.finditer(text) if numbered else ():
        yield Identifier(f"HTTP {found['code']}")
    for found in _IDS.finditer(text):
        yield Identifier(found[0])


def _ports(text: str) -> Iterator[Identifier]:
    if not _TWO_DIGITS.search(text):
        return
    for rule in (_PORT_MAPPED, _PORT_HOST):
        for found in rule.finditer(text):
            yield from _port(found[2], found[1])
    for found in _PORT_OPTION.finditer(text):
        # `-p` alone is anything; a port has four digits there, or the word.
        if found[1] not in {"-p", "-P"} or len(found[2]) >= 4:
            yield from _port(found[2], found[0])
    for found in _PORT_SET.finditer(text):
        yield from _port(found[2], f"{found[1]}={found[2]}")
    for found in _PORT_SAID.finditer(text):
        yield from _port(found[1], "")


def _port(number: str, spelt: str) -> Iterator[Identifier]:
    if int(number) <= 65_535:
        yield Identifier(f":{number}", spelt[:80])


def _set(one: Simple) -> Iterator[Identifier]:
    # A script's own variables are written small; what is set for programs in capitals.
    given = [word for word in one.assigned if word.text.partition("=")[0].rstrip("+").isupper()]
    program = one.program
    if program in {"export", "env", "declare", "setx", "set"} and one.words:
        rest = [word for word in one.arguments if not word.text.startswith("-")]
        if program in {"set", "setx"} and len(rest) == 2 and "=" not in rest[0].text:
            yield from _variable(rest[0].text, rest[1].text, plain=rest[1].plain)
        given += [word for word in rest if "=" in word.text]
    for word in given:
        name, _, value = word.text.partition("=")
        yield from _variable(name.rstrip("+"), value, plain=word.plain)


def _variable(name: str, value: str, *, plain: bool) -> Iterator[Identifier]:
    name = name.removeprefix("$env:")
    if not re.fullmatch(r"[A-Za-z_]\w{1,80}", name):
        return
    value = value.strip().strip("'\"")
    keep = (
        plain
        and not _SECRET_NAME.search(name)
        and (
            (_PORT_VALUE.fullmatch(value) and "PORT" in name.upper())
            or (_PATH_VALUE.fullmatch(value) and without_secrets(value) == value)
        )
    )
    yield Identifier(name, value if keep else "")
    if keep and "PORT" in name.upper() and _PORT_VALUE.fullmatch(value):
        yield from _port(value, f"{name}={value}")
    if keep and name == "VIRTUAL_ENV":
        yield Identifier(value.rstrip("/"), "venv")


def _said_variables(text: str) -> Iterator[Identifier]:
    for rule in (_VARIABLE, _SAID_VARIABLE):
        for found in rule.finditer(text):
            if found[1].isupper():
                value = found[2].rstrip(",.;:，。；")
                yield from _variable(found[1], value, plain="$" not in value)


def _said(text: str) -> Iterator[Identifier]:
    for found in _BRANCH_SAID.finditer(text):
        yield Identifier(found[1].rstrip("./"), "branch")
    for rule in (_VENV_AT, _VENV_SAID) if _VENV_WORD.search(text) else ():
        for found in rule.finditer(text):
            name = _venv_name(found[1].rstrip("./"))
            if "/" in name or name.startswith("."):
                yield Identifier(name, "venv")


def _venv_name(path: str) -> str:
    found = _VENV_RUN.match(path)
    return (found[1] if found else path).removeprefix("./")


def _branches(one: Simple) -> Iterator[Identifier]:
    if one.program != "git":
        return
    given = list(one.arguments)
    while len(given) > 1 and given[0].text in {"-C", "-c"}:
        given = given[2:]
    if not given:
        return
    verb = given[0].text
    rest = given[1:]
    making = next(
        (n for n, word in enumerate(rest) if word.text in {"-b", "-B", "-c", "-C", "--create"}),
        None,
    )
    name = None
    if verb in {"checkout", "switch", "worktree"} and making is not None:
        name = rest[making + 1] if making + 1 < len(rest) else None
    elif verb in {"switch", "branch"} or (
        verb == "checkout" and len(rest) == 1 and "." not in rest[0].text
    ):
        bare = [word for word in rest if not word.text.startswith("-")]
        name = (
            bare[
                -1
                if verb == "branch" and len(bare) == 2 and "-m" in {word.text for word in rest}
                else 0
            ]
            if bare
            else None
        )
    elif verb == "push":
        bare = [word for word in rest if not word.text.startswith("-")]
        name = bare[1] if len(bare) == 2 else None
    if name is not None and name.plain and _BRANCH.fullmatch(name.text):
        branch = name.text.removeprefix("origin/")
        if not branch.startswith(("HEAD", "@")):
            yield Identifier(branch, "branch")


def _venvs(one: Simple) -> Iterator[Identifier]:
    given = [word for word in one.words if word.plain]
    if not given:
        return
    texts = [word.text for word in given]
    program = one.program
    name = None
    if program in {"source", "."} and len(texts) == 2:
        found = _VENV_RUN.match(texts[1].replace("\\", "/"))
        name = found[1] if found else None
    elif texts[1:3] == ["-m", "venv"] or texts[:2] == ["uv", "venv"] or program == "virtualenv":
        start = 3 if texts[1:3] == ["-m", "venv"] else 2 if texts[0] == "uv" else 1
        bare = [text for text in texts[start:] if not text.startswith("-")]
        name = bare[-1] if bare else ".venv" if texts[0] == "uv" else None
    elif program == "conda" and texts[1:2] == ["activate"] and len(texts) == 3:
        yield Identifier(texts[2], "conda")
    elif "/" in texts[0] or "\\" in texts[0]:
        found = _VENV_RUN.match(texts[0].replace("\\", "/"))
        if found and _VENV_NAME.search(found[1].rpartition("/")[2]):
            name = found[1]
    if name:
        yield Identifier(name.rstrip("/").removeprefix("./"), "venv")
