"""From a function's signature to the schema the model sees and the check its arguments pass."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from podium.tools._annotations import checkable
from podium.tools._json_schema import described_parameters, without_titles
from podium.tools._mending import explained, mended
from podium.tools._problems import could_not_check, missing, unknown, wrong
from podium.tools._shapes import is_mapping
from podium.tools._signature import EMPTY, Parameter, Signature
from podium.tools.errors import SchemaGenerationError

_REFS = "#/$defs/{model}"


class _PlainSchema(GenerateJsonSchema):
    """pydantic's JSON schema, in the forms that models and providers read best."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012  pydantic's own shape
        "skipped-choice",
        "non-serializable-default",
    }

    def build_schema_type_to_method(self) -> dict[Any, Any]:
        """Look the methods up in a list that is made once: a thousand tools ask for it each."""
        return {kind: getattr(self, method) for kind, method in _methods()}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Ask for text, because a JSON number would lose the zero of 12.50 on its way."""
        del schema
        return {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}

    def is_subclass_schema(self, schema: core_schema.IsSubclassSchema) -> JsonSchemaValue:
        """Refuse a class, such as `type[int]`: pydantic would let the model send anything."""
        return self.handle_invalid_for_json_schema(schema, "a class cannot be sent")


@functools.cache
def _methods() -> tuple[tuple[Any, str], ...]:
    found = GenerateJsonSchema().build_schema_type_to_method()
    return tuple((kind, method.__name__) for kind, method in found.items())


@dataclass(frozen=True, slots=True)
class _Field:
    """One parameter of the function, ready to check values."""

    name: str
    adapter: TypeAdapter[Any]
    schema: dict[str, Any]
    required: bool
    default: Callable[[], Any] | None
    """Gives the default where the function's own is a `Field(...)` and would not."""
    holds_numbers: bool


class FunctionParameters:
    """The parameters that the model fills, as the function's annotations give them."""

    def __init__(
        self,
        tool_name: str,
        signature: Signature,
        hidden: collections.abc.Set[str],
        docs: Mapping[str, str],
    ) -> None:
        """Build the schema and the checks, once, for all parameters but those in `hidden`.

        Raises:
            SchemaGenerationError: a parameter has no annotation, or one that JSON cannot express.
        """
        self.signature = signature
        self._fields = {
            name: _field(tool_name, one)
            for name, one in signature.parameters.items()
            if name not in hidden
        }
        self._required = [field.name for field in self._fields.values() if field.required]
        self._defaults = [(one.name, one.default) for one in self._fields.values() if one.default]
        self.schema = self._build_schema(docs)

    @property
    def described(self) -> Sequence[str]:
        """Each parameter in words, such as `limit (integer, required)`."""
        return described_parameters(self.schema)

    def check(self, arguments: Mapping[str, object]) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments as the function's types, and what is wrong with them.

        Values are converted as far as nothing is lost. A null for a parameter that has a default
        and takes no null is left out.
        """
        values: dict[str, Any] = {}
        problems: list[str] = []
        strangers: list[str] = []
        for name, given in arguments.items():
            field = self._fields.get(name)
            if field is None:
                strangers.append(name)
                continue
            try:
                values[name] = field.adapter.validator.validate_python(given)
            except ValidationError as error:
                _second_try(field, given, error, values, problems)
            except Exception as error:  # a validator of the user's own may raise anything
                problems.append(could_not_check(name, error))
            else:
                if field.holds_numbers:
                    problems.extend(_not_finite(values[name], name))
        problems.extend(missing(name) for name in self._required if name not in arguments)
        for name, default in self._defaults:
            if name not in values:
                values[name] = default()
        return values, [unknown(strangers), *problems] if strangers else problems

    def _build_schema(self, docs: Mapping[str, str]) -> dict[str, Any]:
        fields = self._fields.values()
        schemas = {field.name: field.schema for field in fields}
        definitions: dict[str, Any] = {}
        if any("$defs" in schema for schema in schemas.values()):
            schemas, definitions = _joined(fields)
        properties = {
            field.name: _property(field, schemas[field.name], docs.get(field.name))
            for field in fields
        }
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if self._required:
            schema["required"] = list(self._required)
        schema["additionalProperties"] = False
        if definitions:
            schema["$defs"] = {name: without_titles(one) for name, one in definitions.items()}
        return schema


def _field(tool_name: str, parameter: Parameter) -> _Field:
    if parameter.annotation is EMPTY:
        raise _no_annotation(tool_name, parameter.name)
    annotation, default = parameter.annotation, parameter.default
    info = default if isinstance(default, FieldInfo) else None
    if info is not None:
        annotation = Annotated[annotation, info]
    try:
        adapter, schema = _adapted(annotation)
    except Exception as error:  # pydantic raises many kinds, and runs hooks of the user's types
        reason = str(error).partition("\n")[0].partition(". Set ")[0]
        raise SchemaGenerationError(
            f"Tool {tool_name!r}: no JSON schema can be made for parameter {parameter.name!r} of "
            f"type {parameter.annotation!r} ({reason}). Use a type that JSON can express.",
            tool_name=tool_name,
        ) from error
    fills = info is not None and not info.is_required()
    if default is not EMPTY and info is None:
        schema = {**schema, **_default_entry(adapter, default)}
    return _Field(
        name=parameter.name,
        adapter=adapter,
        schema=schema,
        required=default is EMPTY if info is None else info.is_required(),
        default=functools.partial(_default_of, info) if fills and info else None,
        holds_numbers="'number'" in str(schema),
    )


def _no_annotation(tool_name: str, name: str) -> SchemaGenerationError:
    mend = (
        "Make the tool from the bound method, as in tool(service.lookup)."
        if name in {"self", "cls"}
        else f"Annotate it, as in {name}: str, or fill it with inputs_from_state."
    )
    return SchemaGenerationError(
        f"Tool {tool_name!r}: parameter {name!r} has no type, so no schema can be made for the "
        f"model. {mend}",
        tool_name=tool_name,
    )


def _default_of(info: FieldInfo) -> Any:
    return info.get_default(call_default_factory=True, validated_data={})


def _adapted(annotation: Any) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    """Return the checker of a type and its JSON schema."""
    text = None
    if get_origin(annotation) is Annotated:
        first, *notes = get_args(annotation)
        text = next((note for note in notes if isinstance(note, str)), None)
        rest = [note for note in notes if not isinstance(note, str)]
        annotation = Annotated[(first, *rest)] if rest else first
    try:
        hash(annotation)
    except TypeError:
        adapter, schema = _fresh(annotation)
    else:
        adapter, schema = _remembered(annotation, repr(annotation))
    return adapter, schema if text is None else {**schema, "description": text}


def _fresh(annotation: Any) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    adapter: TypeAdapter[Any] = TypeAdapter(checkable(annotation))
    values = get_args(annotation) if get_origin(annotation) is Literal else ()
    if len(values) > 1 and all(type(value) is str for value in values):
        # Each tool has choices of its own, and pydantic takes long to say this.
        return adapter, {"enum": list(values), "type": "string"}
    return adapter, adapter.json_schema(ref_template=_REFS, schema_generator=_PlainSchema)


@functools.lru_cache(maxsize=256)
def _remembered(annotation: Any, text: str) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    """Build the checker of a type once: most parameters of a thousand tools share a few types.

    `text` tells apart what Python takes for equal, such as Literal["a", "b"] and Literal["b", "a"].
    """
    del text
    return _fresh(annotation)


def _default_entry(adapter: TypeAdapter[Any], default: Any) -> dict[str, Any]:
    """Return the schema's `default` as plain JSON; nothing where it is none or would mislead."""
    if default is None:
        try:
            adapter.validator.validate_python(None)
        except Exception:  # None stands for "not given" here: the model may not send it
            return {}
    try:
        plain = adapter.dump_python(default, mode="json", warnings=False)
    except Exception:  # a default without a JSON form is the function's own affair
        return {}
    return {"default": plain}


def _joined(fields: collections.abc.Iterable[_Field]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters' schemas with their definitions in one place, names told apart."""
    inputs = [(field.name, "validation", field.adapter) for field in fields]
    found, shared = TypeAdapter.json_schemas(
        cast("Any", inputs), ref_template=_REFS, schema_generator=_PlainSchema
    )
    schemas: dict[str, Any] = {name: schema for (name, _), schema in found.items()}
    for field in fields:
        kept = {key: field.schema[key] for key in ("description", "default") if key in field.schema}
        schemas[field.name] = {**schemas[field.name], **kept}
    return schemas, shared.get("$defs", {})


def _property(field: _Field, schema: dict[str, Any], doc: str | None) -> dict[str, Any]:
    plain: dict[str, Any] = without_titles(schema)
    if doc and "description" not in plain:
        plain["description"] = doc
    return plain


def _second_try(
    field: _Field,
    given: object,
    error: ValidationError,
    values: dict[str, Any],
    problems: list[str],
) -> None:
    """Mend what can only be meant one way, check again, and say what is still wrong."""
    if given is None and not field.required:
        return
    better = mended(field.name, given, error, field.schema, field.adapter.core_schema)
    if better is not None:
        given = better
        try:
            values[field.name] = field.adapter.validator.validate_python(given)
        except ValidationError as second:
            error = second
        except Exception as raised:  # as above
            problems.append(could_not_check(field.name, raised))
            return
        else:
            problems.extend(_not_finite(values[field.name], field.name))
            return
    problems.extend(explained(field.name, given, error))


def _not_finite(value: Any, path: str) -> Iterator[str]:
    """Say where infinity or NaN came in, as text such as "Infinity" would be taken for a number."""
    if isinstance(value, float):
        if not math.isfinite(value):
            yield wrong(path, "should be a finite number", value)
        return
    for name, item in _items(value):
        yield from _not_finite(item, f"{path}.{name}")


def _items(value: Any) -> collections.abc.Iterable[tuple[Any, Any]]:
    if is_mapping(value):
        return value.items()
    if isinstance(value, list | tuple | set | frozenset):
        return enumerate(cast("collections.abc.Iterable[Any]", value))
    if isinstance(value, BaseModel):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(one.name, getattr(value, one.name, None)) for one in dataclasses.fields(value)]
    return ()
