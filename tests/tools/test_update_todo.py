"""`update_todo`: the list as models really send it."""

from pathlib import Path

import pytest

from app.config import ToolSettings
from app.conversation.work import Done, Progress
from app.memory.work_progress import updated
from app.project import Project
from app.text import Words
from app.tools.toolbox import Toolbox

BEFORE = Progress(("a", "b", "c"), (Done("z"),))


class Known:
    """A worklog with a list."""

    def updated(self, todo: tuple[str, ...] | None, done: tuple[str, ...]) -> Progress:
        return updated(BEFORE, BEFORE.todo if todo is None else todo, done, by="")

    def answer(self, query: str) -> str:
        raise AssertionError(query)


@pytest.mark.parametrize(
    ("arguments", "todo", "done"),
    [
        ('{"todo": ["b"], "done": ["a"]}', "b", "za"),
        ('{"done": ["a"]}', "bc", "za"),
        ('{"todo": null, "done": "a"}', "bc", "za"),
        ('{"todo": [], "done": ["a", "b", "c"]}', "", "zabc"),
        ('{"todo": "- [x] a\\n- [ ] b\\n"}', "b", "za"),
        ('{"todo": "[\\"b\\", \\"c\\"]", "done": "[\\"a\\"]"}', "bc", "za"),
        (
            '{"todo": [{"content": "a", "status": "completed"}, {"content": "b", "status":'
            ' "in_progress"}, {"task": "c", "done": false}]}',
            "bc",
            "za",
        ),
        ('{"todo": [{"text": "a", "done": true}, "b"], "done": ["c"]}', "b", "zca"),
        ('{"todo": ["【a", "[x"]}', ["【a", "[x"], "z"),
        ('{"todo": ["- a", "2) b", "3.修复", "* [ ] c"]}', ["a", "b", "修复", "c"], "z"),
        ('{"todo": ["3.11 too", "-O2 on", "*args"]}', ["3.11 too", "-O2 on", "*args"], "z"),
    ],
)
async def test_the_list_is_understood(
    tmp_path: Path, arguments: str, todo: str | list[str], done: str
) -> None:
    """What isn't told stays, and what is ticked off isn't left."""
    toolbox = Toolbox(Project(tmp_path), Words("en"), {}, ToolSettings(), (), work=Known())
    output = await toolbox.prepare("update_todo", arguments).run()
    progress = output.work.progress
    assert output.ok and progress is not None
    assert progress.todo == tuple(todo)
    assert [one.text for one in progress.done] == list(done)
