"""How a tool's arguments are told to a model: the schema, an example, what was wrong.

The schema is written by hand from the fields: pydantic's own has `$defs`, titles, `anyOf` with
null and defaults, at which strict providers stumble (PROVIDERS 1.7: a `type` on every property).
"""

import json
import types
from typing import Annotated, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from app.ports import ToolSchema
from app.text import Words
from app.tools.base import Arguments

_TYPES: dict[object, str] = {str: "string", int: "integer"}


def tool_schema(name: str, arguments: type[Arguments], words: Words) -> ToolSchema:
    """The tool as it is offered to a model; its words stand in section `tool`."""
    fields = arguments.model_fields
    properties = {
        field: {"type": _json_type(info), "description": words.named(f"tool.{name}_{field}")}
        for field, info in fields.items()
    }
    parameters: dict[str, object] = {
        "type": "object",
        "properties": properties,
        "required": [field for field, info in fields.items() if info.is_required()],
        "additionalProperties": False,
    }
    return ToolSchema(name, words.named(f"tool.{name}"), parameters)


def example(arguments: type[Arguments], words: Words) -> str:
    """What to send, as JSON: every field with what belongs there, optional ones marked."""
    shown: dict[str, object] = {}
    for field, info in arguments.model_fields.items():
        key = f"bad_call.{_json_type(info)}{'' if info.is_required() else '_optional'}"
        shown[field] = f"<{words.named(key)}>"
    return json.dumps(shown, ensure_ascii=False)


def problems(error: ValidationError, arguments: type[Arguments], words: Words) -> str:
    """What was wrong with the arguments, one clause each."""
    return words("bad_call.and").join(
        _problem(detail, arguments, words) for detail in error.errors(include_url=False)
    )


def _problem(detail: ErrorDetails, arguments: type[Arguments], words: Words) -> str:
    field = str(detail["loc"][0]) if detail["loc"] else ""
    if detail["type"] == "missing":
        return words("bad_call.missing", field=field)
    if detail["type"] == "extra_forbidden":
        return words("bad_call.extra", field=field)
    context = detail.get("ctx", {})
    if "ge" in context:
        return words("bad_call.least", field=field, least=context["ge"])
    if "min_length" in context:
        return words("bad_call.empty", field=field)
    info = arguments.model_fields.get(field)
    kind = words.named(f"bad_call.{_json_type(info)}") if info else ""
    return words("bad_call.type", field=field, kind=kind)


def _json_type(info: FieldInfo) -> str:
    """The JSON type of a field; of an optional one, that of its value."""
    annotation = info.annotation
    if get_origin(annotation) in {Union, types.UnionType}:
        annotation = next(kind for kind in get_args(annotation) if kind is not types.NoneType)
    if get_origin(annotation) is Annotated:  # `Annotated[int, …] | None` keeps its limits inside
        annotation = get_args(annotation)[0]
    return _TYPES[annotation]
