"""Which entities are nearest to the task."""

from app.conversation.work import Done, Progress, Touch, Work
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.work_ranking import nearest
from app.memory.worklog import Worklog
from tests.memory.talking import result, step, user
from tests.memory.work_desk import AT, ROOT


def log_of(*touches: Touch, todo: tuple[str, ...] = ()) -> Worklog:
    log = Worklog(ROOT)
    for touch in touches:
        log.next_step()
        log.apply(Work(touches=(touch,)), at=AT)
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
        index.add(step(f"s{number}", "list_dir", path="."))
    assert names(log, index=index) == []
    assert names(log, index=index, request="back to long_ago.py")[0] == "src/long_ago.py"
