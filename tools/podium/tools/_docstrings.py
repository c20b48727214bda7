"""What a function's docstring says: what it does, and what each parameter means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from docstring_parser import DocstringStyle, ParseError, parse

from podium.tools._signature import underlying

_STYLES = (
    (DocstringStyle.NUMPYDOC, re.compile(r"^[A-Z][A-Za-z ]+\n-{3,}[ ]*$", re.MULTILINE)),
    (DocstringStyle.REST, re.compile(r"^:[a-z]+[^:\n]*:", re.MULTILINE)),
    (
        DocstringStyle.GOOGLE,
        re.compile(r"^(Arg|Argument|Param|Parameter|Return|Raise|Yield|Example)s?:", re.MULTILINE),
    ),
)


@dataclass(frozen=True, slots=True)
class Docs:
    """A docstring taken apart."""

    description: str
    """Summary and description, without the sections on parameters, results and errors."""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each parameter means, on one line, by name."""


def read_docs(function: Callable[..., Any]) -> Docs:
    """Return what the docstring says, in Google, NumPy or Sphinx style, or as plain text."""
    text = inspect.getdoc(underlying(function)) or ""
    style = next((style for style, mark in _STYLES if mark.search(text)), None)
    if style is None:
        return Docs(text)
    try:
        found = parse(text, style)
    except ParseError:
        return Docs(text)
    described = [found.short_description, found.long_description]
    parameters = {
        name.strip(): " ".join(one.description.split())
        for one in found.params
        for name in one.arg_name.split(",")
        if one.description
    }
    return Docs("\n\n".join(part for part in described if part), parameters)
