"""What is offered to the model, and what it is told about a call that can't be run."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import ToolSettings
from app.errors import HaimaError
from app.project import Project
from app.text import LANGUAGES, Language, Words
from app.tools.toolbox import TOOLS, BadCall, Toolbox
from tests.tools.conftest import KEY, Call

ARGUMENTS = {
    "read_file": ({"path"}, {"offset", "limit"}),
    "write_file": ({"path", "content"}, set()),
    "edit_file": ({"path", "old", "new"}, set()),
    "list_dir": ({"path"}, set()),
    "search_files": ({"pattern"}, {"path", "glob"}),
    "execute_command": ({"command"}, {"timeout"}),
}
"""DESIGN 5, Tools."""


def bad(toolbox: Toolbox, name: str, arguments: str) -> str:
    with pytest.raises(BadCall) as caught:
        toolbox.prepare(name, arguments)
    return caught.value.text


class TestSchemas:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_are_what_strict_providers_take(self, project: Project, language: Language) -> None:
        schemas = Toolbox(project, Words(language), {}, ToolSettings()).schemas
        assert [schema.name for schema in schemas] == list(ARGUMENTS)
        for schema in schemas:
            required, optional = ARGUMENTS[schema.name]
            parameters = schema.parameters
            assert set(parameters) == {"type", "properties", "required", "additionalProperties"}
            assert parameters["type"] == "object"
            assert parameters["additionalProperties"] is False
            assert set(parameters["required"]) == required  # type: ignore[call-overload]
            properties = parameters["properties"]
            assert isinstance(properties, dict)
            assert set(properties) == required | optional
            assert len(schema.description) > 15
            for property_ in properties.values():
                assert set(property_) == {"type", "description"}
                assert property_["type"] in {"string", "integer"}
                assert len(property_["description"]) > 4

    def test_are_the_same_bytes_every_time(self, project: Project) -> None:
        first, second = (
            Toolbox(project, Words("en"), {}, ToolSettings()).schemas for _ in range(2)
        )
        assert [json.dumps(one.parameters) for one in first] == [
            json.dumps(one.parameters) for one in second
        ]

    def test_excluded_tools_are_neither_offered_nor_run(self, project: Project) -> None:
        settings = ToolSettings(exclude=("execute_command", "no_such_tool"))
        toolbox = Toolbox(project, Words("en"), {}, settings)
        assert "execute_command" not in [schema.name for schema in toolbox.schemas]
        assert "There is no tool execute_command" in bad(
            toolbox, "execute_command", '{"command":"x"}'
        )


class TestBadCalls:
    def test_an_unknown_tool_names_those_there_are(self, toolbox: Toolbox) -> None:
        text = bad(toolbox, "frobnicate", "{}")
        assert all(name in text for name in ARGUMENTS)

    @pytest.mark.parametrize("name", ["ReadFile", "read_fil", "Read_File", "functions.read_file"])
    def test_a_close_name_is_proposed(self, toolbox: Toolbox, name: str) -> None:
        assert "did you mean read_file" in bad(toolbox, name, '{"path":"a"}')

    @pytest.mark.parametrize(
        "arguments", ["{", "path=a", '{"path":"a",}', "{'path':'a'}", "\ud83d"]
    )
    def test_what_is_no_json(self, toolbox: Toolbox, arguments: str) -> None:
        text = bad(toolbox, "read_file", arguments)
        assert "not valid JSON" in text
        assert '{"path": "<text>", "offset": "<a whole number, may be left out>"' in text

    @pytest.mark.parametrize("arguments", ["[]", "3", "null", "true", '["a"]', "[" * 100_000])
    def test_what_is_no_object(self, toolbox: Toolbox, arguments: str) -> None:
        assert "JSON" in bad(toolbox, "read_file", arguments)

    @pytest.mark.parametrize(
        ("name", "arguments", "parts"),
        [
            ("read_file", "{}", ["path is missing"]),
            ("read_file", "", ["path is missing"]),
            ("read_file", '{"path":null}', ["path must be text"]),
            ("read_file", '{"path":""}', ["path is empty"]),
            ("read_file", '{"path":["a"]}', ["path must be text"]),
            ("read_file", '{"path":"a","offset":"x"}', ["offset must be a whole number"]),
            ("read_file", '{"path":"a","offset":1.5}', ["offset must be a whole number"]),
            ("read_file", '{"path":"a","offset":NaN}', ["offset must be a whole number"]),
            ("read_file", '{"path":"a","offset":-1}', ["offset must be at least 0"]),
            ("read_file", '{"path":"a","limit":0}', ["limit must be at least 1"]),
            ("read_file", '{"path":"a","lines":3}', ["there is no field lines"]),
            ("read_file", '{"file":"a"}', ["path is missing", "there is no field file"]),
            ("edit_file", '{"path":"a","old":"x"}', ["new is missing"]),
            ("execute_command", '{"command":"x","timeout":0}', ["timeout must be at least 1"]),
        ],
    )
    def test_what_is_wrong_is_named(
        self, toolbox: Toolbox, name: str, arguments: str, parts: list[str]
    ) -> None:
        text = bad(toolbox, name, arguments)
        assert all(part in text for part in parts), text
        assert f"{name} was not run" in text
        assert "{" in text.partition("Send one JSON object")[2]

    def test_a_lone_surrogate_is_refused_and_a_pair_is_fine(self, toolbox: Toolbox) -> None:
        assert "surrogate" in bad(toolbox, "write_file", '{"path":"a","content":"\\ud83d"}')
        prepared = toolbox.prepare("write_file", '{"path":"a","content":"\\ud83d\\ude80"}')
        assert prepared.arguments["content"] == "🚀"

    def test_the_text_is_in_the_language_of_the_session(self, project: Project) -> None:
        toolbox = Toolbox(project, Words("zh"), {}, ToolSettings())
        text = bad(toolbox, "read_file", '{"offset": "x"}')
        assert "缺少 path；offset 必须是整数" in text

    def test_it_is_a_sentence_like_other_errors(self, toolbox: Toolbox) -> None:
        with pytest.raises(HaimaError) as caught:
            toolbox.prepare("nothing", "{}")
        assert caught.value.sentence(Words("en")) == caught.value.text  # type: ignore[attr-defined]

    @given(name=st.sampled_from(list(ARGUMENTS)), arguments=st.text(max_size=40))
    def test_any_text_is_answered(self, name: str, arguments: str) -> None:
        toolbox = Toolbox(Project(Path("/tmp")), Words("en"), {}, ToolSettings())
        assert bad(toolbox, name, arguments)

    @given(
        name=st.sampled_from(list(ARGUMENTS)),
        values=st.dictionaries(
            st.sampled_from(["path", "content", "old", "offset", "command", "x"]),
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text()
            | st.lists(st.text()),
        ),
    )
    def test_any_object_is_answered_or_understood(
        self, name: str, values: dict[str, object]
    ) -> None:
        toolbox = Toolbox(Project(Path("/tmp")), Words("en"), {}, ToolSettings())
        try:
            prepared = toolbox.prepare(name, json.dumps(values))
        except BadCall as error:
            assert error.text
        else:
            assert isinstance(prepared.subject, str)
            json.dumps(prepared.arguments)


class TestTolerance:
    @pytest.mark.parametrize(
        ("arguments", "understood"),
        [
            ('{"path":"a","offset":"10"}', {"path": "a", "offset": 10}),
            ('{"path":"a","offset":10.0}', {"path": "a", "offset": 10}),
            ('{"path":"a","offset":null,"limit":""}', {"path": "a"}),
            ('{"path":123}', {"path": "123"}),
            ('"{\\"path\\":\\"a\\"}"', {"path": "a"}),
            ('  {"path": "a"}\n', {"path": "a"}),
        ],
    )
    def test_what_is_meant_is_clear(
        self, toolbox: Toolbox, arguments: str, understood: dict[str, object]
    ) -> None:
        assert toolbox.prepare("read_file", arguments).arguments == understood

    def test_raw_newlines_in_strings(self, toolbox: Toolbox) -> None:
        prepared = toolbox.prepare("write_file", '{"path":"a","content":"x\ny"}')
        assert prepared.arguments["content"] == "x\ny"

    def test_an_empty_required_text_stays(self, toolbox: Toolbox) -> None:
        prepared = toolbox.prepare("write_file", '{"path":"a","content":""}')
        assert prepared.arguments == {"path": "a", "content": ""}


def test_risks_and_what_may_run_side_by_side(toolbox: Toolbox) -> None:
    kinds = {tool.name: tool.risk for tool in TOOLS}
    assert kinds == {
        "read_file": "read",
        "write_file": "write",
        "edit_file": "write",
        "list_dir": "read",
        "search_files": "read",
        "execute_command": "command",
    }
    assert toolbox.prepare("list_dir", '{"path":"."}').concurrent
    assert not toolbox.prepare("execute_command", '{"command":"ls"}').concurrent


async def test_every_result_is_free_of_credentials(root: Path, call: Call) -> None:
    (root / f"{KEY}.txt").write_text(KEY)
    (root / "a").write_text(f"key = {KEY}\n")
    outputs = [
        await call("read_file", path="a"),
        await call("list_dir", path="."),
        await call("search_files", pattern="key"),
        await call("execute_command", command="cat a; ls; exit 1"),
        await call("edit_file", path="a", old="key", new="KEY"),
        await call("write_file", path="a", content="x"),
        await call("read_file", path="missing.txt"),
        await call("read_file", path=f"{KEY}x"),
    ]
    for output in outputs:
        assert KEY not in output.text
        assert KEY not in output.reason
        assert KEY.encode() not in (output.raw or b"")
        assert all(KEY not in line.text for line in output.diff)
    assert (root / "a").read_text() == "x"


def test_a_cut_does_not_hide_half_a_credential(toolbox: Toolbox) -> None:
    context = toolbox.prepare("list_dir", '{"path":"."}').implementation.context
    for before in range(40, 120):
        content = context.content(("-" * before + KEY + "-" * 200).encode())
        text = context.within(content, 120, "tool_result.cut")
        assert "sk-" not in text
        assert "cdef-" not in text


async def test_the_place_of_a_question_is_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tools.base import Preview

    environ = {**os.environ, "HOME": str(project.root.parent)}
    toolbox = Toolbox(project, Words("en"), environ, ToolSettings())
    question = toolbox.prepare("execute_command", '{"command":"git status"}').question(
        "c1", Preview()
    )
    assert (question.id, question.place, question.scope) == ("c1", "~/work", "git status *")
