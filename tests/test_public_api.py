"""The public surface, written down: a change to it is a reviewed change to public_api.txt.

Rewrite the file with `PODIUM_UPDATE_API=1 pytest tests/test_public_api.py`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import podium

RECORD = Path(__file__).parent / "api" / "public_api.txt"


class Annotation(str):
    """An annotation that `inspect` shows as the source wrote it, without quotes around it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def public_modules() -> list[ModuleType]:
    names = [each.name for each in pkgutil.walk_packages(podium.__path__, "podium.")]
    public = [name for name in names if not re.search(r"\._", name)]
    return [importlib.import_module(name) for name in sorted(public, key=lambda n: n.count("."))]


def lines() -> Iterator[str]:
    seen = dict[int, str]()
    for module in public_modules():
        for name in public_names(module):
            thing = getattr(module, name)
            place = f"{module.__name__}.{name}"
            if callable(thing) and seen.setdefault(id(thing), place) != place:
                yield f"{place} is {seen[id(thing)]}"
            else:
                yield from described(place, thing)


def public_names(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return list(module.__all__)
    tree = ast.parse(inspect.getsource(module))
    names = {defined_by(node) for node in tree.body}
    return sorted(name for name in names if name is not None and not name.startswith("_"))


def defined_by(node: ast.stmt) -> str | None:
    """Return the name of the class, function or constant that a statement defines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name if name.isupper() else None
        case _:
            return None


def described(place: str, thing: object) -> Iterator[str]:
    if inspect.isclass(thing):
        yield f"class {place}{signature(thing)}"
        yield from (f"  {line}" for line in members(place, thing))
    elif inspect.isroutine(thing):
        yield f"{place}{signature(thing)}"
    elif isinstance(thing, str | int | float | tuple):
        yield f"{place} = {thing!r}"
    else:
        yield place


def members(place: str, kind: type) -> Iterator[str]:
    fields = getattr(kind, "__dataclass_fields__", {})  # the signature has them
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_") or name in fields:
            continue
        if inspect.isroutine(member) or isinstance(member, classmethod | staticmethod):
            yield f"{place}.{name}{signature(getattr(kind, name))}"
        else:
            yield f"{place}.{name}"


def signature(thing: object) -> str:
    """Return the parameters as written; addresses, which differ by process, are left out."""
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    raw = [
        each.replace(annotation=raw_annotation(each.annotation))
        for each in found.parameters.values()
    ]
    found = found.replace(parameters=raw, return_annotation=raw_annotation(found.return_annotation))
    return re.sub(r" at 0x[0-9a-f]+", "", str(found))


def raw_annotation(annotation: object) -> object:
    return Annotation(annotation) if isinstance(annotation, str) else annotation


def test_the_public_surface_is_as_recorded() -> None:
    now = "\n".join(lines()) + "\n"
    if os.environ.get("PODIUM_UPDATE_API"):
        RECORD.write_text(now, "utf-8")

    recorded = RECORD.read_text("utf-8")

    assert now.splitlines() == recorded.splitlines()
