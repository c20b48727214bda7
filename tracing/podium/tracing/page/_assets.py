"""The page's own files, put into one: styles, scripts, and the policy that admits only them."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib.resources import files

STYLES = (
    "theme",
    "header",
    "toolbar",
    "timeline",
    "agents",
    "budgets",
    "parts",
    "flame",
    "details",
    "layout",
    "print",
)
SCRIPTS = (
    "dom",
    "format",
    "model",
    "state",
    "visible",
    "virtual_list",
    "grid_keys",
    "axis",
    "timeline_row",
    "timeline",
    "agents",
    "budgets",
    "parts",
    "flame_tree",
    "flame",
    "value_view",
    "details",
    "header",
    "theme",
    "toolbar",
    "main",
)
"""Modules, each after those that it imports from."""

_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:function|const) (\w+))", re.MULTILINE)
_PLACE = re.compile(r"{{(\w+)}}")


def assemble(**contents: str) -> str:
    """Return the page with `contents`, which must be safe where the template puts them."""
    style, script = _style(), _script()
    parts = {"policy": _policy(style, script), "style": style, "script": script, **contents}
    # One pass, so that nothing inside the contents is taken for a place to fill.
    return _PLACE.sub(lambda place: parts[place[1]], asset("page.html"))


@functools.cache
def _style() -> str:
    return "\n".join(asset(f"{name}.css") for name in STYLES)


@functools.cache
def _script() -> str:
    return "\n".join(_as_scope(asset(f"{name}.js")) for name in SCRIPTS)


def _as_scope(module: str) -> str:
    """Return a module as a scope of its own: what it exports, those after it see."""
    exported = ", ".join(found[2] for found in _EXPORT.finditer(module))
    inside = _EXPORT.sub(r"\1", _IMPORT.sub("", module))
    return f"const {{ {exported} }} = (() => {{\n{inside}return {{ {exported} }};\n}})();"


def _policy(style: str, script: str) -> str:
    """Return a policy under which nothing is loaded and no script or style but ours is used."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_digest(script)}",
            f"style-src {_digest(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """Return the text of one of the page's files."""
    return (files("podium.tracing.page") / "assets" / name).read_text("ascii")
