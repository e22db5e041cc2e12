"""The demo's story of a night's log, in which results really leave the context.

The log is so long that it goes to a file, and what is read of it fills the demo's small window up
to the mark at which older results are cleared. The demo does neither: it finds both in the requests
it gets, as any model would, and goes by that. Where they didn't happen, it says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.llm.demo_log import LOG
from app.llm.demo_scene import Call, Line, Result, Scene, ask, lost, says
from app.text import Key

_ERRORS, _DELIVERIES = "ERROR", "delivery"
_CODE = "orders/stock.py"

_STRETCH = 100
"""Lines that are read at once."""

_BEFORE = 50
"""Lines that are read before the first error."""

_FILE = re.compile(r'read_file\(path="([^"]+)"')
_DELIVERY = re.compile(
    r"(?P<name>DLV-\d+) (?P<product>\w+) expected=(?P<expected>\d+) booked=(\d+)"
)
_REFUSED = re.compile(r"ORD-\d+ refused: OutOfStock\('(\w+)'\)")


@dataclass(frozen=True, slots=True)
class _Hit:
    """A line of the log that a search found."""

    number: int
    text: str


def log_story(scene: Scene) -> Line:
    """Read, search, read around the first error and before it, compare, tell."""
    if _whole(scene) is None:
        call = ask("read_file", path=LOG)
        return Line(scene.say("demo.log_plan", path=LOG), (call,), scene.say("demo.log_thought"))
    if not _searches(scene, _ERRORS):
        return Line(_said_of_file(scene), (_search(_ERRORS),))
    starts = [start for start in map(_start, _stretches(scene)) if start > 1]
    if not starts:
        errors = _found(scene, _ERRORS)
        if errors is None:
            return _look_up(scene, _ERRORS)
        hits = _hits(errors)
        if not hits:
            return lost(scene, errors)
        start = max(2, hits[0].number - _BEFORE)
        return Line(scene.say("demo.log_near", line=hits[0].number), (_stretch(start),))
    if len(starts) == 1:
        return Line(scene.say("demo.log_far"), (_stretch(max(2, starts[0] - _STRETCH)),))
    if not _searches(scene, _DELIVERIES):
        calls = (_stretch(1), _search(_DELIVERIES), ask("read_file", path=_CODE))
        return Line(scene.say("demo.log_compare"), calls, scene.say("demo.log_compare_thought"))
    for pattern in (_ERRORS, _DELIVERIES):
        if _found(scene, pattern) is None:
            return _look_up(scene, pattern)
    return _told(scene)


def _said_of_file(scene: Scene) -> str:
    """What became of the whole log, by what stands in its place."""
    whole = _whole(scene)
    note = says(whole.text, "tool_result.note") if whole is not None else None
    if note is None:
        return scene.say("demo.log_search")
    return scene.say(
        "demo.log_search_file",
        characters=note["characters"],
        file=_file(scene),
        shown=f"{len(whole.text) if whole is not None else 0:,}",
    )


def _look_up(scene: Scene, pattern: str) -> Line:
    """Asks again for hits that were cleared: by their pointer, where that wasn't tried."""
    ref = _searches(scene, pattern)[-1].ref
    tried = {result.arguments.get("ref") for result in scene.results}
    if ref and ref not in tried and "read_history" in scene.tools:
        text = scene.say("demo.log_look_up", pattern=pattern, n=scene.pointers)
        return Line(text, (ask("read_history", ref=ref),), scene.say("demo.log_look_up_thought"))
    return Line(scene.say("demo.log_search_again", pattern=pattern), (_search(pattern),))


def _told(scene: Scene) -> Line:
    """The end: the cause, by what the searches found, and what became of the context."""
    errors, deliveries = _found(scene, _ERRORS), _found(scene, _DELIVERIES)
    assert errors is not None  # noqa: S101 - else it is looked up
    assert deliveries is not None  # noqa: S101
    refused = [found[1] for hit in _hits(errors) if (found := _REFUSED.search(hit.text))]
    wrong = next(_wrong_deliveries(deliveries), None)
    if wrong is None or not refused:
        return lost(scene, deliveries)
    hit, delivery = wrong
    product = delivery["product"]
    code = scene.last("read_file", _CODE)
    blocks = [
        scene.say(
            "demo.log_cause",
            n=refused.count(product),
            total=len(refused),
            product=product,
            line=hit.number,
            text=hit.text,
            **{name: delivery[name] for name in ("name", "expected")},
        ),
        scene.say("demo.log_code", path=_CODE) if code and "raise OutOfStock" in code.text else "",
        _context(scene),
    ]
    return Line("\n\n".join(block for block in blocks if block))


def _context(scene: Scene) -> str:
    """What left the context, and where the user sees it."""
    lines = [scene.say("demo.log_left")]
    whole = _whole(scene)
    if whole is not None and (file := _file(scene)):
        key: Key = "demo.log_left_file_cleared" if whole.cleared else "demo.log_left_file"
        lines.append(scene.say(key, file=file))
    if scene.pointers:
        lines.append(scene.say("demo.log_left_cleared", n=scene.pointers))
    else:
        lines.append(scene.say("demo.log_left_none"))
    if any(result.name == "read_history" for result in scene.results):
        lines.append(scene.say("demo.log_left_quoted"))
    return "\n".join([lines[0], "", *lines[1:]])


def _wrong_deliveries(found: Result) -> Iterator[tuple[_Hit, dict[str, str]]]:
    for hit in _hits(found):
        delivery = _DELIVERY.search(hit.text)
        if delivery is not None and delivery[4] != delivery["expected"]:
            yield hit, delivery.groupdict()


def _whole(scene: Scene) -> Result | None:
    """The log read whole, or what stands for it."""
    read = (r for r in scene.results if r.path == LOG and "offset" not in r.arguments)
    return next((result for result in read if result.name == "read_file"), None)


def _file(scene: Scene) -> str:
    """The file that holds the log's result, as note or pointer name it; "" where none does."""
    whole = _whole(scene)
    found = _FILE.search(whole.text) if whole is not None else None
    return found[1] if found and found[1] != LOG else ""


def _stretches(scene: Scene) -> list[Result]:
    return [r for r in scene.results if r.path == LOG and r.name == "read_file" and _start(r)]


def _start(read: Result) -> int:
    start = read.arguments.get("offset", 0)
    return start if isinstance(start, int) else 0


def _searches(scene: Scene, pattern: str) -> list[Result]:
    """The searches for this, as they stand now."""
    made = (r for r in scene.results if r.name == "search_files")
    return [result for result in made if result.arguments.get("pattern") == pattern]


def _found(scene: Scene, pattern: str) -> Result | None:
    """The newest hits that can be read, be it as a whole quotation; None where all were cleared."""
    searches = _searches(scene, pattern)
    refs = {result.ref for result in searches if result.cleared}
    for result in reversed(scene.results):
        if result in searches and not result.cleared:
            return result
        quoted = result.name == "read_history" and result.arguments.get("ref") in refs
        if quoted and _hits(result) and says(result.text, "tool_result.history_more") is None:
            return result
    return None


def _hits(found: Result) -> list[_Hit]:
    lines = re.findall(rf"^{re.escape(LOG)}:(\d+): (.*)$", found.text, re.MULTILINE)
    return [_Hit(int(number), text) for number, text in lines]


def _search(pattern: str) -> Call:
    return ask("search_files", pattern=pattern, path="logs")


def _stretch(start: int) -> Call:
    return ask("read_file", path=LOG, offset=start, limit=_STRETCH)
