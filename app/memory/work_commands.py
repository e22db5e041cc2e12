"""Commands as entities: what they are called, and whether they went well.

A name is the command as a person would write it down: without the folder it is run in, variables
set before it, filters of its output, texts of heredocs and programs given in quotes. So the same
command is one entity, and a later success takes the place of a failure.
"""

import re

from app.conversation.secret_words import MASKED, without_secrets
from app.memory.work_shell import READ, Script, Simple, read_script

LONGEST_COMMAND = 200
"""Characters of a name."""

SHOWN = 100
"""Characters of a name in a list that a person reads."""

LEFT_OUT = "…"
"""What stands in a name for code and for what is too long."""

_LOOKED_AT = 4_000
_LONG_WORD = 60
_CODE_AFTER = frozenset({"-c", "-e", "-r", "-p", "--eval", "--print", "-command", "-Command"})
_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|Rscript|psql)\Z")
_CODE = re.compile(r"-[a-z0-9]*[ce]\Z")
_TALKING = frozenset({"echo", "printf"})
_LEADING = frozenset({"cd", "export", "set", "source", ".", "pushd"})
_FILTERS = frozenset({"tail", "head", "cat", "tee", "less", "more"})
_TRAILING = re.compile(r"[\s;&]*(?:2>&1|2>\s*/dev/null|&>\s*/dev/null)?[\s;&]*\Z")
_BEARER = re.compile(r"(?i)\b(bearer|basic|token)(\s+)[A-Za-z0-9._~+/=-]{12,}")
_GOING_ON = re.compile(r"\\\r?\n")
_JOINT = re.compile(r"(&&|\|\|?|;|\bdo|\bthen|\belse|[({])\s*\n\s*")
_LINES = re.compile(r"\s*\n\s*")
_JOINTS = re.compile(r"\s*(?:&&|\|\|?|;)(?=\s)")
_ENOUGH = 12
"""Characters of a command that say enough where it is cut at a joint."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+|\s+")

_EXIT = (
    re.compile(
        r"\A\W{0,40}(?:error: )?(?:Process exited with |The command failed with |Command failed "
        r"with |Command finished with )?exit(?:ed with)?[ _]?(?:code|status)?[:= ]+(-?\d{1,5})\b",
        re.IGNORECASE,
    ),
    re.compile(r"(?:Process exited with code|Exit code:|退出码：)\s*(-?\d{1,5})\b"),
    re.compile(r"<returncode>\s*(-?\d{1,5})\s*</returncode>"),
    re.compile(r"\"exit_code\"\s*:\s*(-?\d{1,5})\b"),
    re.compile(r"completed with exit code (-?\d{1,5})\b"),
)
_AT_AN_END = 400
_TIMEOUT = re.compile(
    r"\A(?:<[^>\n]{0,80}>\s*)?(?:exit code: none|退出码：无)|timed out after|Command timed out",
)
_FAILED = re.compile(
    r"(?:^|[ =(,])[1-9]\d* (?:failed|errors?|failures?)\b|^FAILED\b|^ERROR\b|^Traceback \(most"
    r"|^error(?:\[\w+\])?:|npm ERR!|BUILD FAILED|BUILD FAILURE|^--- FAIL|^FAIL\b|test result: FAIL"
    r"|^fatal: ",
    re.MULTILINE,
)


def command_name(command: str, script: Script | None = None) -> str:
    """What a command is called; "" where nothing is left.

    Naming a name again changes nothing but what was cut off.

    Args:
        command: the whole command.
        script: the same, read.
    """
    script = read_script(command) if script is None else script
    text = _without_code(command[:READ], script)
    text = _JOINT.sub(r"\1 ", _GOING_ON.sub(" ", text))
    text = _LINES.sub("; ", text.strip())
    name = _UNSEEN.sub(" ", without_secrets(_BEARER.sub(rf"\1\2{MASKED}", text))).strip(" ;")
    if len(name) > LONGEST_COMMAND:
        name = name[: LONGEST_COMMAND - 1].rstrip() + LEFT_OUT
    return name


def shortened(name: str, most: int = SHOWN) -> str:
    """A name for a list: whole if it is short, else up to a joint of commands, or to a word.

    Args:
        name: of a command.
        most: characters it may have; a single longer word is cut.
    """
    if len(name) <= most:
        return name
    room = name[: most - 1]
    joints = [found.start() for found in _JOINTS.finditer(room) if found.start() >= _ENOUGH]
    end = joints[-1] if joints else room.rfind(" ")
    if end < _ENOUGH and not joints:  # `x /a/very/long/path`: the path is an entity of its own
        end = end if end > 0 else len(room) - 1
    return f"{room[:end].rstrip(f' {LEFT_OUT}')} {LEFT_OUT}"


def outcome(text: str, command: str, *, ok: bool, script: Script | None = None) -> tuple[bool, str]:
    """Whether a command went well, and how it ended: `exit 1`, or "" where nothing tells.

    Where a filter's exit code is all there is (`pytest | tail`), the output is asked.

    Args:
        text: of the result; its ends are read.
        command: what ran.
        ok: what the caller knows.
        script: the command, read.
    """
    ends = text[:_AT_AN_END], text[-_AT_AN_END:]
    if not ok and _TIMEOUT.search(ends[0]):
        return False, "exit 124"
    code = _exit_code(*ends)
    if code is not None and code != 0:
        return False, f"exit {code}"
    if not ok:
        return False, ""
    script = read_script(command) if script is None else script
    last = script.commands[-1] if script.commands else None
    hidden = (
        last is not None
        and last.link in {"|", "||"}
        and last.program in {*_FILTERS, "true", "grep", "sed", "awk", "sort", "wc", ":", "echo"}
    )
    if hidden and _FAILED.search(text[-2_000:]):
        return False, ""
    return True, "" if code is None else f"exit {code}"


def _exit_code(head: str, tail: str) -> int | None:
    first, *others = _EXIT
    body = head.lstrip()
    if body.startswith("<tool_result") and "\n" in body:
        body = body.partition("\n")[2]
    if found := first.match(body):
        return int(found[1])
    for rule in others:
        if found := rule.search(head) or rule.search(tail):
            return int(found[1])
    return None


def _without_code(command: str, script: Script) -> str:
    """The command without heredocs' texts, code in quotes, what leads to it and what filters it."""
    kept = list(script.commands)
    if not kept:
        return command[:_LOOKED_AT]
    # From the first command that does something to the last one that isn't a filter.
    while len(kept) > 1 and (not kept[0].words or kept[0].program in _LEADING):
        kept.pop(0)
    while len(kept) > 1 and kept[-1].link == "|" and kept[-1].program in _FILTERS:
        kept.pop()
    if len(kept) > 1 and kept[-1].link == "||" and kept[-1].program in {"true", ":"}:
        kept.pop()
    start, end = _start(kept[0]), _end(kept[-1])
    cuts = [*_code_spans(kept), *((a, b, "") for a, b in (*script.bodies, *script.comments))]
    pieces: list[str] = []
    at = start
    for begin, stop, instead in sorted(cuts):
        if begin >= at and begin < end:
            pieces += [command[at:begin], instead]
            at = stop
    pieces.append(command[at : max(at, end)])
    return _TRAILING.sub("", "".join(pieces)[:_LOOKED_AT])


def _start(one: Simple) -> int:
    given = one.words or one.assigned or tuple(word for word, _ in one.writes)
    # `env A=1 python x`: the variable isn't the command.
    if one.words and one.words[0].text == "env":
        rest = [word for word in one.words[1:] if "=" not in word.text]
        given = tuple(rest) or given
    return given[0].start


def _end(one: Simple) -> int:
    ends = [word.end for word in (*one.words, *one.assigned)]
    ends += [word.end for word, _ in one.writes]
    ends += [one.delimiter_end] if one.delimiter_end else []
    return max(ends)


def _code_spans(commands: list[Simple]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    for one in commands:
        program = one.program
        coded = _INTERPRETERS.match(program) is not None
        for number, word in enumerate(one.words[1:], start=1):
            before = one.words[number - 1].text
            is_code = coded and (before in _CODE_AFTER or _CODE.match(before) is not None)
            said = program in _TALKING and bool(one.writes)
            if (
                is_code
                or said
                or len(word.text) > LONGEST_COMMAND
                or (len(word.text) > _LONG_WORD and any(c in word.text for c in " \n"))
                or "\n" in word.text
            ):
                spans.append((word.start, word.end, LEFT_OUT))
    return _joined(spans)


def _joined(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    joined: list[tuple[int, int, str]] = []
    for start, end, instead in spans:
        if joined and start - joined[-1][1] <= 1:
            joined[-1] = joined[-1][0], end, instead
        else:
            joined.append((start, end, instead))
    return joined
