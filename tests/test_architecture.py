"""The shape of the code, as tests: direction of imports, file and function size, error messages."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
ORDER = ("tracing", "tools", "agent", "orchestration")
"""Each part may import only itself and what stands left of it."""
MAX_FILE_LINES, MAX_FUNCTION_LINES = 400, 60

IMPORTERS = {
    "aiohttp": ("agent/podium/agent/models/",),
    "bs4": ("tools/podium/tools/_reading",),
    "genai_prices": ("agent/podium/agent/_list_prices",),
    "httpx2": (
        "agent/podium/agent/models/",
        "agent/podium/agent/testing/",
        "tracing/podium/tracing/reading/",
        "tracing/podium/tracing/export/",
        "tools/podium/tools/_mcp/http",
        "tools/podium/tools/_web/",
    ),
    "jinja2": ("agent/podium/agent/prompts",),
    "markdownify": ("tools/podium/tools/_reading",),
    "mcp": ("tools/podium/tools/_mcp/",),
    "mcp_types": ("tools/podium/tools/_mcp/",),
    "networkx": ("orchestration/podium/orchestration/", "tracing/podium/tracing/"),
    "openai": ("agent/podium/agent/models/",),
    "opentelemetry": ("tracing/podium/tracing/",),
    "opentelemetry.sdk": tuple(
        f"tracing/podium/tracing/{name}.py"
        for name in (
            "_console",
            "_dialect",
            "_meter_provider",
            "_otlp",
            "_otlp_file",
            "_places",
            "_provider",
            "_span_bytes",
            "_span_place",
            "_span_tree",
            "setup",
            "testing",
        )
    ),
    "pytest": ("agent/podium/agent/testing/",),
    "rich": ("tracing/podium/tracing/commands/",),
    "typer": ("tracing/podium/tracing/commands/", "orchestration/podium/orchestration/cli.py"),
}
"""Third-party packages and the only places that may import them."""


def sources() -> list[Path]:
    return [path for part in ORDER for path in sorted((ROOT / part / "podium").rglob("*.py"))]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


every_file = pytest.mark.parametrize("path", sources(), ids=shown)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@every_file
def test_imports_point_one_way(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0]
    right_of_us = [f"podium.{part}" for part in ORDER[ORDER.index(own) + 1 :]]

    wrong = [
        module
        for module in imported(ast.parse(path.read_text("utf-8")))
        if any(is_within(module, part) for part in right_of_us)
    ]

    assert wrong == [], f"{own} may not import these"


@every_file
def test_a_third_party_package_has_one_place_that_imports_it(path: Path) -> None:
    modules = list(imported(ast.parse(path.read_text("utf-8"))))

    wrong = [
        (module, places)
        for package, places in IMPORTERS.items()
        for module in modules
        if is_within(module, package) and not shown(path).startswith(places)
    ]

    assert wrong == []


@every_file
def test_files_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text("utf-8")

    long = [
        (node.name, node.lineno)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]

    assert text.count("\n") <= MAX_FILE_LINES, "split this file: one idea each"
    assert long == []


@every_file
def test_a_file_stands_in_the_table_of_its_part(path: Path) -> None:
    part, _, _, *within = path.relative_to(ROOT).parts
    readme = (ROOT / part / "README.md").read_text("utf-8")

    named = f"`{within[0]}`" if len(within) == 1 else f"{within[0]}/"

    assert path.name == "__init__.py" or named in readme


@pytest.mark.parametrize("part", ORDER)
def test_the_table_of_a_part_names_no_file_that_is_gone(part: str) -> None:
    readme = (ROOT / part / "README.md").read_text("utf-8")
    table = readme.partition("## Where things are")[2].partition("\n## ")[0]
    there = {path.name for path in (ROOT / part / "podium").rglob("*.py")}

    named = {Path(name).name for name in re.findall(r"`([\w/]+\.py)`", table)}

    assert named - there == set()


@pytest.mark.parametrize("part", ORDER)
def test_every_portion_is_typed_and_the_namespace_has_no_init(part: str) -> None:
    assert (ROOT / part / "podium" / part / "py.typed").exists()
    assert not (ROOT / part / "podium" / "__init__.py").exists()


def public_modules() -> list[str]:
    """Every module of podium that no underscore hides, packages before what is in them."""
    found = list[str]()
    for part in ORDER:
        found.append(f"podium.{part}")
        folder = str(ROOT / part / "podium" / part)
        found += [each.name for each in pkgutil.walk_packages([folder], f"podium.{part}.")]
    return [name for name in found if not re.search(r"\._", name)]


public_packages = [
    name
    for name in public_modules()
    if (ROOT / name.split(".")[1] / Path(*name.split(".")) / "__init__.py").exists()
]


@pytest.mark.parametrize("name", public_packages)
def test_a_packages_public_names_are_listed_and_documented(name: str) -> None:
    package = importlib.import_module(name)
    listed: list[str] = package.__all__

    undocumented = [each for each in listed if not has_docstring(getattr(package, each))]

    assert exported(package) - set(listed) == set()
    assert undocumented == []


def has_docstring(thing: object) -> bool:
    """Whether a class or function says what it is; aliases and constants say it in the source."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return True
    text = thing.__doc__ or ""
    return text != "" and not text.startswith(f"{thing.__name__}(")  # a dataclass writes its own


def exported(package: ModuleType) -> set[str]:
    """The names a package's `__init__` imports or defines without an underscore."""
    tree = ast.parse(inspect.getsource(package))
    names = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("podium.")
        for alias in node.names
    }
    names |= {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return {name for name in names if not name.startswith("_")}
