"""Which entities are nearest to the task."""

import re
from collections.abc import Callable
from math import log1p

from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversation.work import ACTIONS, Done, Progress, Touch, Work
from app.conversation.work_state import Entity
from app.memory.name_commands import command_of
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.names import Name
from app.memory.work_ranking import nearest
from app.memory.worklog import Worklog
from tests.growth import growth
from tests.memory.talking import result, step, user
from tests.memory.work_desk import AT, ROOT


def log_of(*touches: Touch, todo: tuple[str, ...] = ()) -> Worklog:
    log = Worklog(ROOT)
    for touch in touches:
        log.next_step()
        log.apply(Work(touches=(touch,)), at=AT, result=True)
    log.apply(Work(progress=Progress(todo, (Done("x"),))), at=AT)
    return log


def index_of(log: Worklog) -> NameIndex:
    """The conversation as it would be: each file read in its step."""
    index = NameIndex(ROOT)
    index.add(user("u", "Go on."))
    for entity in reversed(log.entities("file")):
        index.add(step(entity.name, "read_file", path=entity.name))
        index.add(result(f"r{entity.name}", entity.name, "…"))
    return index


def names(
    log: Worklog, n: int = 15, request: str = "", index: NameIndex | None = None
) -> list[str]:
    ranking = Ranking(index_of(log) if index is None else index)
    return [one.name for one in nearest(log, ranking, request, n)]


def files(count: int) -> list[Touch]:
    return [Touch("file", f"src/part{number}.py", "read") for number in range(count)]


def test_of_a_thousand_only_the_nearest() -> None:
    log = log_of(*files(1_000))
    assert len(names(log)) == 15
    assert names(log)[0] == "src/part999.py"


def test_a_todo_beats_recency() -> None:
    todo = ("fix src/part3.py", "then part7.py")
    log = log_of(*files(1_000), todo=todo)
    assert names(log, 3) == ["src/part3.py", "src/part7.py", "src/part999.py"]


def test_the_request_lifts_too_but_less() -> None:
    log = log_of(*files(30), todo=("look at part3.py",))
    assert names(log, 2, "what about part5.py?") == ["src/part3.py", "src/part5.py"]
    assert names(log, 2, "看看part5.py的问题")[1] == "src/part5.py"


def test_a_name_inside_another_word_isnt_named() -> None:
    log = log_of(*files(30), Touch("file", "src/art.py", "read"), todo=("smart.py is done",))
    log.apply(Work(touches=(Touch("file", "src/part29.py", "read"),)), at=AT)
    assert names(log, 1) == ["src/part29.py"]


def test_changed_before_read_and_failed_before_looked_at() -> None:
    index = NameIndex(ROOT)
    log = log_of()
    touches = (
        Touch("file", "src/changed.py", "edited"),
        Touch("file", "src/looked.py", "read"),
        Touch("command", "pytest -q", "ran", "exit 1", ok=False),
        Touch("command", "ls -la", "ran"),
    )
    log.apply(Work(touches=touches), at=AT)
    found = names(log, index=index)
    assert found.index("src/changed.py") < found.index("src/looked.py")
    assert found.index("pytest -q") < found.index("ls -la")


def test_all_kinds_are_on_one_scale() -> None:
    log = log_of(
        Touch("file", "src/a.py", "edited"),
        Touch("symbol", "load_all", "edited", file="src/a.py"),
        Touch("table", "orders.total", "created"),
        Touch("command", "pytest -q", "ran", ok=False),
        Touch("identifier", ":8080", "named", "--port 8080"),
        Touch("identifier", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "named"),
    )
    assert len(names(log)) == 6


def test_the_long_untouched_fade() -> None:
    log = log_of(Touch("file", "src/long_ago.py", "read"), *files(3))
    index = index_of(log)
    assert "src/long_ago.py" in names(log, index=index)
    for number in range(3_000):
        log.next_step()
        log.apply(Work(touches=(Touch("command", "make", "ran"),)), at=AT, result=True)
        index.add(step(f"s{number}", "list_dir", path="."))
    assert names(log, index=index) == ["make"]
    assert names(log, index=index, request="back to long_ago.py")[0] == "src/long_ago.py"


def plain(
    log: Worklog, ranking: Ranking, request: str, n: int, told: tuple[Entity, ...]
) -> list[Entity]:
    """What `nearest` gives, worked out for each entity and each text anew."""

    def score(entity: Entity) -> float:
        name = called(entity)
        age = log1p(max(0, log.step - entity.step))
        score = ranking.score(name)
        if name not in ranking.index:
            score += 1.7 - 0.3 * age + 1.7 * (entity.kind in {"table", "identifier"})
        score += 0.2 * log1p(entity.times) - 0.2 * age + (entity.changed is not None)
        looks = entity.kind == "command" and entity.name.split(" ")[0] in {"ls", "grep", "cd"}
        score += -2.0 if looks else 0.8 * (not entity.ok)
        return score - (entity.action == "searched")

    def called(entity: Entity) -> Name:
        if entity.kind == "command":
            return Name("command", command_of(entity.name) or entity.name)
        return Name("path" if entity.kind == "file" else "symbol", entity.name)

    def names_it(text: str, entity: Entity) -> float:
        low = entity.name.lower()
        last = low.rpartition("/")[2]
        forms = [low]
        if entity.kind == "file":
            forms += [
                one for one, least in ((last, 4), (last.split(".")[0], 6)) if len(one) >= least
            ]
        elif entity.kind == "table" and len(low.rpartition(".")[2]) > 4:
            forms += [low.rpartition(".")[2]]
        elif low.startswith(":"):
            forms += [low[1:]]
        for form in forms:
            start = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9_]", form) else ""
            if re.search(rf"{start}{re.escape(form)}(?![A-Za-z0-9_])", text.lower()):
                return 1.0
        words = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d{3,}")
        own, said = ({one.lower() for one in words.findall(it)} for it in (entity.name, text))
        return 0.25 * len(own & said) / len(own) if own else 0.0

    best: dict[tuple[str, str], tuple[float, int, Entity]] = {}
    for place, entity in enumerate(log.entities()):
        if entity in told or entity.name == ".":
            continue
        lifts = [names_it(one, entity) for one in log.progress.todo]
        lift = max((by * (20 if at else 30) for at, by in enumerate(lifts)), default=0.0)
        total = score(entity) + (lift + 6 * names_it(request, entity))
        key = entity.kind, called(entity).text
        if total >= -7.0 and (key not in best or -total < best[key][0]):
            best[key] = -total, place, entity
    return [entity for *_, entity in sorted(best.values(), key=lambda one: one[:2])[:n]]


NAMES = {
    "file": ["src/worklog.py", "a.py", "tests", ".env", "src/数据.py", "docs/a.py", ".", "中"],
    "symbol": ["load_all", "loadAll", "HTTPServer", "x1"],
    "table": ["orders", "orders.total", "orders.id"],
    "command": ["pytest -q", "git commit -m …", "git commit -m 'a'", "ls src", "cd a && ls"],
    "identifier": [":8080", "ENOENT", "main", "8080"],
}
SAID = st.lists(
    st.sampled_from(
        [name for names in NAMES.values() for name in names]
        + ["worklog", "total", "load", "All", "的", " ", ": ", "x", "_", "8080", "ORDERS", "/"]
    ),
    max_size=6,
).map("".join)
TOUCHED = st.one_of(
    *(
        st.builds(
            Touch,
            st.just(kind),
            st.sampled_from(names),
            st.sampled_from(ACTIONS),
            ok=st.booleans(),
        )
        for kind, names in NAMES.items()
    )
)


@settings(max_examples=60)
@given(st.lists(TOUCHED, max_size=25), st.lists(SAID, max_size=4), SAID, st.integers(0, 900))
def test_it_is_the_order_that_each_entitys_score_gives(
    touches: list[Touch], todo: list[str], request: str, later: int
) -> None:
    log = log_of(*touches, todo=tuple(todo))
    index = index_of(log)
    log.step += later
    told = log.changed[:2]
    for asked in (request, ""):
        for n in (3, 99):
            found = nearest(log, Ranking(index, request), asked, n, told=told)
            assert list(found) == plain(log, Ranking(index, request), asked, n, told)


def test_a_long_list_costs_what_a_short_one_does() -> None:
    def listed(todos: int) -> Callable[[], object]:
        todo = tuple(f"look at thing {n} of the part" for n in range(todos))
        log, ranking = log_of(*files(500), todo=todo), Ranking(NameIndex(ROOT))
        nearest(log, ranking, "go on", 15)
        return lambda: nearest(log, ranking, "go on", 15)

    assert growth(listed, 20, 200, enough=4) < 4, "each entity in each todo: ten times"
