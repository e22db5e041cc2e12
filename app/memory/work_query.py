"""Answers of the worklog: `read_history(query="work: changed")`, in plain lines."""

from collections.abc import Callable, Iterable

from app.conversation.work import EntityKind
from app.conversation.work_state import Entity
from app.memory.work_notes import note
from app.memory.worklog import Worklog
from app.text import Words

PREFIXES = ("work", "工作")
"""What a question to the worklog begins with, before a colon."""

MOST_LINES = 200
"""Lines of an answer; then it says how many more there are."""

_LONGEST = 300
_ALIASES: dict[str, str] = {
    **dict.fromkeys(
        (
            *("changed", "changes", "edited", "modified", "changed files", "files changed"),
            *("改动", "已改", "修改", "改动的文件", "修改的文件"),
        ),
        "changed",
    ),
    **dict.fromkeys(("files", "file", "read", "文件"), "files"),
    **dict.fromkeys(("commands", "command", "命令"), "commands"),
    **dict.fromkeys(
        ("failed", "failures", "errors", "failed commands", "失败", "失败的命令"), "failed"
    ),
    **dict.fromkeys(("symbols", "symbol", "functions", "classes", "符号", "函数", "类"), "symbols"),
    **dict.fromkeys(("tables", "table", "columns", "表", "数据表"), "tables"),
    **dict.fromkeys(("identifiers", "identifier", "ids", "标识", "标识符"), "identifiers"),
    **dict.fromkeys(("rules", "rule", "acceptance", "规则", "验收"), "rules"),
    **dict.fromkeys(("goal", "目标"), "goal"),
    **dict.fromkeys(("todo", "待办"), "todo"),
    **dict.fromkeys(("done", "progress", "已完成", "完成", "进度"), "done"),
}
_KINDS: dict[str, EntityKind] = {
    "files": "file",
    "commands": "command",
    "symbols": "symbol",
    "tables": "table",
    "identifiers": "identifier",
}


def work_question(query: str) -> str | None:
    """What a query asks the worklog, without its prefix; None: it asks for something else."""
    head, colon, rest = query.strip().replace("：", ":", 1).partition(":")
    if head.strip().lower() in PREFIXES and (colon or head.strip() == query.strip()):
        return rest.strip()
    return None


def answer(worklog: Worklog, query: str, words: Words, *, limit: int = MOST_LINES) -> str:
    """What the worklog knows of a question.

    Args:
        worklog: what was done.
        query: `changed`, `files`, `commands`, `failed`, `symbols`, `tables`, `identifiers`, `goal`,
            `rules`, `todo`, `done`, also in Chinese; any other text is looked for in all of it; ""
            tells what can be asked and how much there is.
        words: the language.
        limit: lines.
    """
    asked = " ".join(query.split())
    what = _ALIASES.get(asked.lower())
    if not asked:
        return _overview(worklog, words)
    if what is None:
        return _told(
            words("work_query.found", query=asked[:80]),
            _search(worklog, asked, words),
            words,
            limit,
        )
    return _told(words.named(f"work_query.{what}"), _ANSWERS[what](worklog, words), words, limit)


def line(entity: Entity, words: Words) -> str:
    """An entity with what is told of it."""
    return words("work_query.line", name=entity.name, note=note(entity, words))


def _told(head: str, lines: Iterable[str], words: Words, limit: int) -> str:
    told = [" ".join(one.split()) for one in lines]
    if not told:
        return words("work_query.nothing", what=head)
    shown = [head, *(one[:_LONGEST] if len(one) > 2 * _LONGEST else one for one in told[:limit])]
    if len(told) > limit:
        shown.append(words("work_query.more", n=len(told) - limit))
    return "\n".join(shown)


def _overview(worklog: Worklog, words: Words) -> str:
    counts = (
        words("work_query.count", what=what, n=len(list(_ANSWERS[what](worklog, words))))
        for what in _ANSWERS
    )
    return "\n".join([words("work_query.overview"), *counts])


def _changed(worklog: Worklog, words: Words) -> Iterable[str]:
    return (line(one, words) for one in worklog.changed)


def _failed(worklog: Worklog, words: Words) -> Iterable[str]:
    return (line(one, words) for one in worklog.entities() if not one.ok)


def _of_kind(kind: EntityKind) -> Callable[[Worklog, Words], Iterable[str]]:
    def lines(worklog: Worklog, words: Words) -> Iterable[str]:
        return (line(one, words) for one in worklog.entities(kind))

    return lines


def _goal(worklog: Worklog, words: Words) -> Iterable[str]:
    del words
    return () if worklog.goal is None else (worklog.goal.text,)


def _rules(worklog: Worklog, words: Words) -> Iterable[str]:
    yield from (f"- {rule.text}" for rule in worklog.rules)
    yield from (words("work_query.revoked", rule=rule.text) for rule in worklog.revoked_rules)


def _todo(worklog: Worklog, words: Words) -> Iterable[str]:
    del words
    return (f"{number}. {one}" for number, one in enumerate(worklog.progress.todo, start=1))


def _done(worklog: Worklog, words: Words) -> Iterable[str]:
    return (
        words("work_query.done_by", text=one.text, by=one.by) if one.by else f"- {one.text}"
        for one in worklog.progress.done
    )


_ANSWERS: dict[str, Callable[[Worklog, Words], Iterable[str]]] = {
    "changed": _changed,
    "failed": _failed,
    **{what: _of_kind(kind) for what, kind in _KINDS.items()},
    "goal": _goal,
    "rules": _rules,
    "todo": _todo,
    "done": _done,
}


def _search(worklog: Worklog, asked: str, words: Words) -> Iterable[str]:
    """Everything that holds all of the words, what is called so first."""
    parts = asked.lower().split()
    entities = worklog.entities()
    whole = [one for one in entities if asked.lower() in one.name.lower()]
    named = {one.key for one in whole}
    yield from (line(one, words) for one in whole)
    for one in entities:
        text = f"{one.name} {one.detail} {one.file}".lower()
        if one.key not in named and all(part in text for part in parts):
            yield line(one, words)
    said = [_goal, _rules, _todo, _done]
    for lines in said:
        yield from (
            one for one in lines(worklog, words) if all(part in one.lower() for part in parts)
        )
