"""How a tool's arguments are told to a model: the schema, an example, what was wrong.

The schema is written by hand from the fields: pydantic's own has `$defs`, titles, `anyOf` with
null and defaults, at which strict providers stumble (PROVIDERS 1.7: a `type` on every property).
"""

import json
import types
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from app.ports import ToolSchema
from app.text import Words
from app.tools.base import Arguments

_TYPES: dict[object, str] = {str: "string", int: "integer", bool: "boolean"}


def tool_schema(name: str, arguments: type[Arguments], words: Words) -> ToolSchema:
    """The tool as it is offered to a model; its words stand in section `tool`."""
    fields = arguments.model_fields
    properties: dict[str, object] = {}
    for field, info in fields.items():
        told: dict[str, object] = (
            {"type": "array"} if _is_list(info) else {"type": _json_type(info)}
        )
        if _is_list(info):
            told["items"] = {"type": "string"}
        if choices := _choices(info):
            told["enum"] = list(choices)
        properties[field] = told | {"description": words.named(f"tool.{name}_{field}")}
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
        value = f"<{words.named(key)}>"
        shown[field] = [value] if _is_list(info) else value
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
    if info and (choices := _choices(info)):
        return words("bad_call.choice", field=field, choices=words("bad_call.or").join(choices))
    kind = words.named(f"bad_call.{_json_type(info)}") if info else ""
    if info and _is_list(info):
        kind = words("bad_call.list")
    return words("bad_call.type", field=field, kind=kind)


def _json_type(info: FieldInfo) -> str:
    """The JSON type of a field; of an optional one, that of its value; of a list its entries'."""
    return "string" if _choices(info) or _is_list(info) else _TYPES[_kind(info)]


def _is_list(info: FieldInfo) -> bool:
    """Whether a field is a list; of texts, as tools have no other."""
    return get_origin(_kind(info)) is list


def _choices(info: FieldInfo) -> tuple[str, ...]:
    """The words a field may hold, in alphabetical order; empty: any.

    Python takes two `Literal`s of the same words for one, in the order of whichever came first.
    """
    kind = _kind(info)
    return tuple(sorted(get_args(kind))) if get_origin(kind) is Literal else ()


def _kind(info: FieldInfo) -> object:
    """The type of a field's value."""
    annotation = info.annotation
    if get_origin(annotation) in {Union, types.UnionType}:
        annotation = next(kind for kind in get_args(annotation) if kind is not types.NoneType)
    if get_origin(annotation) is Annotated:  # `Annotated[int, …] | None` keeps its limits inside
        annotation = get_args(annotation)[0]
    return annotation
