"""The demo's stories: what it says and asks for next, by what has come back so far."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.llm.demo_log_story import log_story
from app.llm.demo_scene import (
    Line,
    Result,
    Scene,
    ask,
    content,
    lost,
    make_scene,
    paragraphs,
    plain,
    says,
    telling,
)
from app.llm.demo_summary import summary_of
from app.ports import ModelRequest
from app.text import LANGUAGES, Key, Language, Words

SUGGESTIONS: tuple[Key, ...] = (
    "demo.ask_fix",
    "demo.ask_look",
    "demo.ask_log",
    "demo.ask_show",
)
"""Prompts the demo has a story for, as the screens propose them."""

COMMAND = "python3 -m unittest"
_PRICING = "orders/pricing.py"
_TESTS = "tests/test_pricing.py"
_READ = ("README.md", "orders/models.py", "orders/stock.py")


@dataclass(frozen=True, slots=True)
class _Fix:
    """One change of the sample's bug.

    Attributes:
        old, new: the passage.
        reasoning, text: said before it.
        item: said of it at the end.
    """

    old: str
    new: str
    reasoning: Key
    text: Key
    item: Key


_OBVIOUS = _Fix(
    "    if pieces > BULK_FROM:",
    "    if pieces >= BULK_FROM:",
    "demo.fix_first_thought",
    "demo.fix_first",
    "demo.fix_first_item",
)
_ROUNDING = _Fix(
    "round(subtotal(order) * BULK_PERCENT / 100)",
    "(subtotal(order) * BULK_PERCENT + 50) // 100",
    "demo.fix_second_thought",
    "demo.fix_second",
    "demo.fix_second_item",
)
_FIXES = (_OBVIOUS, _ROUNDING)


def reply_to(request: ModelRequest, language: Language) -> Line:
    """What the demo answers to a request.

    Args:
        request: messages and tools, as any model gets them.
        language: what it speaks unless a suggestion came in the other language.
    """
    if (summary := summary_of(request)) is not None:
        return Line(summary)
    users = [i for i, message in enumerate(request.messages) if message.get("role") == "user"]
    for text in paragraphs(request.messages[users[-1]]) if users else ():
        if (asked := _asked(text, language)) is not None:
            return _told(request, *asked, users[-1])
        if _is_go_on(text):
            return _gone_on(request, users, language) or _other(language)
    return _other(language)


def _asked(text: str, language: Language) -> tuple[int, Language] | None:
    """Which suggestion the text is, word for word or by its number, and in which language."""
    spoken = plain(text)
    for number, key in enumerate(SUGGESTIONS):
        if spoken == str(number + 1):
            return number, language
        for spoken_language in LANGUAGES:
            if spoken == plain(Words(spoken_language)(key)):
                return number, spoken_language
    return None


def _is_go_on(text: str) -> bool:
    return plain(text) in {plain(Words(language)("session.go_on")) for language in LANGUAGES}


def _gone_on(request: ModelRequest, users: list[int], language: Language) -> Line | None:
    """The story that was stopped, from where it stands; None if none was."""
    for place in reversed(users):
        for text in paragraphs(request.messages[place]):
            if (asked := _asked(text, language)) is not None:
                line = _told(request, *asked, place)
                return line if line.calls or _was_stopped(request, place) else None
    return None


def _was_stopped(request: ModelRequest, start: int) -> bool:
    """Whether the last answer since then was cut, or none was given at all."""
    said = [m for m in request.messages[start:] if m.get("role") == "assistant"]
    return not said or says(content(said[-1]), "agent.stopped_text") is not None


def _told(request: ModelRequest, number: int, language: Language, start: int) -> Line:
    """The next line of a story; what isn't allowed or isn't on offer ends it."""
    scene = make_scene(request, language, start)
    line = _refused(scene) or _STORIES[number](scene)
    for call in line.calls:
        if call.name not in scene.tools:
            return Line(scene.say("demo.no_tool", tool=call.name))
    return line


def _other(language: Language) -> Line:
    words = Words(language)
    first, second, third, fourth = (words(key) for key in SUGGESTIONS)
    text = words("demo.other", first=first, second=second, third=third, fourth=fourth)
    return Line(text.strip())


def _refused(scene: Scene) -> Line | None:
    """The end of a story whose call was refused: the user's decision is not argued with."""
    for result in scene.results:
        if says(result.text, "permission.allowance") is not None:
            return Line(scene.say("demo.not_allowed", tool=result.name))
        why = says(result.text, "permission.refused_why")
        if why is None and says(result.text, "permission.refused") is None:
            continue
        if result.name == "edit_file":
            old, new = (str(result.arguments.get(name, "")) for name in ("old", "new"))
            text = scene.say("demo.refused_edit", path=result.path, old=old, new=new)
        else:
            text = scene.say("demo.refused_command", command=COMMAND)
        if why is not None:
            text = f"{scene.say('demo.refused_why', reason=why['reason'])}\n\n{text}"
        return Line(text)
    return None


def _fix_story(scene: Scene) -> Line:
    """Look, fix the obvious, run, fix what the run shows, run again, tell."""
    if scene.last("list_dir") is None:
        calls = (ask("list_dir", path="."), ask("read_file", path="AGENTS.md"))
        return Line(scene.say("demo.fix_plan"), calls, scene.say("demo.fix_plan_thought"))
    if scene.last("read_file", _PRICING) is None:
        calls = (ask("read_file", path=_PRICING), ask("read_file", path=_TESTS))
        rules = scene.last("read_file", "AGENTS.md")
        told = rules is not None and COMMAND in rules.text
        key: Key = "demo.fix_read" if told else "demo.fix_read_only"
        return Line(scene.say(key, command=COMMAND), calls)
    last = scene.results[-1]
    if last.name == "execute_command":
        return _after_tests(scene, last)
    if last.name == "edit_file":
        return _run(scene, "demo.fix_run") if _edited(last) else lost(scene, last)
    if (source := _source(scene)) is None:
        return _read_again(scene)
    if (run := scene.last("execute_command")) is not None:
        return _after_tests(scene, run)  # the code was read again to go on
    if _OBVIOUS.old in source:
        return _change(scene, _OBVIOUS)
    return _run(scene, "demo.fix_run_first")


def _read_again(scene: Scene) -> Line:
    """The code was cleared meanwhile; the file is what counts."""
    return Line(scene.say("demo.fix_again", path=_PRICING), (ask("read_file", path=_PRICING),))


def _after_tests(scene: Scene, run: Result) -> Line:
    """What a run of the tests leads to, by its exit code and its own words."""
    passed = re.search(r"^OK\b", run.text, re.MULTILINE) is not None
    failed = re.search(r"^FAILED \(", run.text, re.MULTILINE) is not None
    if run.exit_code == 0 and passed:
        return Line(_fixed(scene, run))
    if run.exit_code == 0:
        return Line(scene.say("demo.no_run", command=COMMAND))
    if run.exit_code is None or not failed:
        return lost(scene, run)
    if (source := _source(scene)) is None:
        return _read_again(scene)
    left = next((fix for fix in _FIXES if fix.old in source), None)
    if left is None:
        return lost(scene, run)
    return _change(scene, left, telling(run.text))


def _change(scene: Scene, fix: _Fix, error: str = "") -> Line:
    call = ask("edit_file", path=_PRICING, old=fix.old, new=fix.new)
    return Line(scene.say(fix.text, error=error), (call,), scene.say(fix.reasoning))


def _run(scene: Scene, key: Key) -> Line:
    again = scene.last("execute_command") is not None
    text = scene.say("demo.fix_run_again" if again else key)
    return Line(text, (ask("execute_command", command=COMMAND),))


def _fixed(scene: Scene, run: Result) -> str:
    """The end: what was changed in this story, and what the run itself said."""
    counted = re.search(r"^Ran \d+ tests?\b[^\n]*", run.text, re.MULTILINE)
    summary = counted[0] if counted else "OK"
    command = str(_changed_to(run) or run.arguments.get("command", ""))
    done = [fix for fix in _FIXES if _made(scene, fix)]
    if not done:
        return scene.say("demo.fix_nothing", command=command, summary=summary)
    items = "\n".join(f"{n}. {scene.say(fix.item)}" for n, fix in enumerate(done, 1))
    code = f"```python\nreturn {_ROUNDING.new}\n```"
    runs = sum(result.name == "execute_command" for result in scene.results)
    key: Key = "demo.fix_checked" if runs > 1 else "demo.fix_checked_once"
    checked = scene.say(key, command=command, summary=summary)
    blocks = [scene.say("demo.fix_done", path=_PRICING), items, code, checked]
    return "\n\n".join(block for block in blocks if block is not code or _ROUNDING in done)


def _changed_to(run: Result) -> str | None:
    """The command that really ran, where the user changed it."""
    found = says(run.text, "tool_result.command_changed")
    return None if found is None else next(iter(found.values()))


def _edited(result: Result) -> bool:
    return says(result.text, "tool_result.edited") is not None


def _edits(scene: Scene) -> Iterator[Result]:
    return (result for result in scene.results if result.name == "edit_file" and _edited(result))


def _made(scene: Scene, fix: _Fix) -> bool:
    return any(edit.arguments.get("new") == fix.new for edit in _edits(scene))


def _source(scene: Scene) -> str | None:
    """The code as it was read, with the edits since; None where that was cleared."""
    read = scene.last("read_file", _PRICING)
    if read is not None and read.cleared:
        return None
    text = read.text if read else ""
    for edit in _edits(scene):
        text = text.replace(str(edit.arguments["old"]), str(edit.arguments["new"]))
    return text


def _look_story(scene: Scene) -> Line:
    """Several reads at once, then what is in the context, counted in this very request."""
    if not scene.results:
        calls = (
            ask("list_dir", path="."),
            ask("search_files", pattern=r"^\s*(class|def) ", path="orders"),
            *(ask("read_file", path=path) for path in _READ),
        )
        return Line(scene.say("demo.look_plan"), calls, scene.say("demo.look_thought"))
    found = scene.last("search_files")
    hits = Counter(re.findall(r"^([^\s:]+):\d+: ", found.text if found else "", re.MULTILINE))
    rows = "\n".join(f"| `{path}` | {n} |" for path, n in sorted(hits.items()))
    head = scene.say("demo.look_table", n=sum(hits.values()))
    context = scene.say(
        "demo.look_context",
        messages=scene.messages,
        characters=f"{scene.characters:,}",
        results=scene.result_count,
        share=f"{scene.result_characters:,}",
    )
    return Line("\n\n".join([f"{head}\n{rows}", context, scene.say("demo.look_kept")]))


def _show_story(scene: Scene) -> Line:
    """One long answer with everything Markdown has."""
    return Line(scene.say("demo.show"), reasoning=scene.say("demo.show_thought"))


_STORIES: tuple[Callable[[Scene], Line], ...] = (
    _fix_story,
    _look_story,
    log_story,
    _show_story,
)
"""In the order of `SUGGESTIONS`."""
