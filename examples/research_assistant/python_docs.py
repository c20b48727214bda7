"""The documents that every CPython carries: its language reference and its docstrings."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import inspect
import platform
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from research_assistant.documents import (
    Corpus,
    Document,
    ResearchError,
    Section,
    UnreadableFile,
)
from research_assistant.markup import rst_sections

# Parts of the standard library that are programs, tests or data rather than something to call.
_UNWANTED = frozenset(
    "antigravity encodings ensurepip idlelib lib2to3 pydoc_data test tests this turtledemo".split()
)
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def python_corpus() -> Corpus:
    """Return the language reference and the docstrings of the standard library's public modules.

    Raises:
        ResearchError: this Python comes without its language reference.
    """
    return Corpus(
        f"the reference and docstrings of Python {platform.python_version()}",
        (*_reference(), *_library(), *_builtins()),
    )


def _reference() -> Iterator[Document]:
    try:
        from pydoc_data.topics import topics  # some systems package it apart from Python
    except ImportError as error:
        raise ResearchError(
            f"This Python ({sys.executable}) comes without its language reference. "
            "Name a folder of your own documents with --corpus."
        ) from error
    for topic, text in topics.items():
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        yield Document(
            f"reference/{topic}", fingerprint, functools.partial(rst_sections, text, topic)
        )


def _library() -> Iterator[Document]:
    root = Path(sysconfig.get_path("stdlib"))
    for name in sorted(sys.stdlib_module_names):
        package, module = root / name, root / f"{name}.py"
        for path in sorted(package.rglob("*.py")) if package.is_dir() else [module]:
            parts = path.relative_to(root).with_suffix("").parts
            dotted = ".".join(part for part in parts if part != "__init__")
            if path.is_file() and not any(map(_is_unwanted, dotted.split("."))):
                status = path.stat()
                yield Document(
                    f"library/{dotted}",
                    f"{path}:{status.st_size}:{status.st_mtime_ns}",
                    functools.partial(docstring_sections, path, dotted),
                )


def _builtins() -> Iterator[Document]:
    """Yield the modules that are part of the interpreter itself, and so have no file to parse."""
    for name in sys.builtin_module_names:
        if not _is_unwanted(name):
            yield Document(
                f"library/{name}", sys.version, functools.partial(builtin_sections, name)
            )


def _is_unwanted(part: str) -> bool:
    return part.startswith("_") or part in _UNWANTED


def docstring_sections(path: Path, module: str) -> list[Section]:
    """Return the docstrings of a Python file, each headed by its qualified name.

    The file is parsed and never imported, so that reading it runs nothing.

    Raises:
        UnreadableFile: it cannot be opened, or is not Python.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise UnreadableFile(f"it is not Python that can be read ({error})") from error
    return list(_docstrings(tree, module))


def _docstrings(node: _Documented, name: str) -> Iterator[Section]:
    text = ast.get_docstring(node)
    if text:
        body = node.body[0]
        yield Section((name,), f"{_signature(node)}{text}", body.lineno)
    for child in node.body if isinstance(node, ast.Module | ast.ClassDef) else []:
        if isinstance(child, _Documented) and not child.name.startswith("_"):
            yield from _docstrings(child, f"{name}.{child.name}")


def _signature(node: _Documented) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return f"{node.name}({ast.unparse(node.args)})\n\n"
    return ""


def builtin_sections(name: str) -> list[Section]:
    """Return the docstrings of a module that is built into the interpreter."""
    return list(_live_docstrings(importlib.import_module(name), name))


def _live_docstrings(holder: object, name: str) -> Iterator[Section]:
    text = inspect.getdoc(holder)
    if text:
        yield Section((name,), text)
    if inspect.ismodule(holder) or inspect.isclass(holder):
        for key, member in vars(holder).items():
            if not key.startswith("_") and (inspect.isclass(member) or inspect.isroutine(member)):
                yield from _live_docstrings(member, f"{name}.{key}")
