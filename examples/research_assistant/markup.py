"""Sections of plain-text formats: Markdown, reStructuredText and text with underlined titles."""

from __future__ import annotations

import re

from research_assistant.documents import Section, SectionBuilder

_HASHES = re.compile(r"(#{1,6})[ \t]+(.+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}\s*$")
_NO_TITLE = re.compile(r"\s|[-*+|>] |\d+[.)] ")  # indented, list item, table row, quotation


def markdown_sections(text: str, title: str) -> list[Section]:
    """Return the sections of a Markdown text; `#` inside fenced code is no heading."""
    builder = SectionBuilder(title)
    lines = text.splitlines()
    fence = ""
    for number, line in enumerate(lines, start=1):
        if mark := _FENCE.match(line):
            fence = _next_fence(fence, mark[1])
        if fence:
            builder.add_text(line, number)
        elif found := _HASHES.match(line):
            builder.add_heading(len(found[1]), _without_closing_hashes(found[2]), number)
        elif _is_underlined(lines, number - 1, marks="=-"):
            builder.add_heading(1 if lines[number][0] == "=" else 2, line, number + 1)
        elif not (_is_rule(line) and _is_underlined(lines, number - 2, marks="=-")):
            builder.add_text(line, number)
    return builder.build()


def rst_sections(text: str, title: str) -> list[Section]:
    """Return the sections of a text whose titles are underlined, and maybe overlined.

    As in reStructuredText, the first style of underline is the outermost level, and so on.
    """
    builder = SectionBuilder(title)
    lines = text.splitlines()
    styles: list[str] = []
    for number, line in enumerate(lines, start=1):
        if _is_underlined(lines, number - 1):
            mark = lines[number][0]
            style = mark * 2 if _is_overline(lines, number - 2, mark) else mark
            if style not in styles:
                styles.append(style)
            builder.add_heading(styles.index(style) + 1, line, number + 1)
        elif not (_is_rule(line) and _frames_title(lines, number - 1)):
            builder.add_text(line, number)
    return builder.build()


def _without_closing_hashes(title: str) -> str:
    bare = title.rstrip().rstrip("#")
    return bare if not bare or bare[-1].isspace() else title


def _next_fence(fence: str, mark: str) -> str:
    """Return the fence that is open after a line that begins with `mark`."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _is_rule(line: str) -> bool:
    return _UNDERLINE.match(line) is not None


def _is_underlined(lines: list[str], at: int, marks: str = "") -> bool:
    """Return whether line `at` is a title: the line below it is a rule at least as long."""
    if not 0 <= at < len(lines) - 1:
        return False
    title, rule = lines[at].rstrip(), lines[at + 1].rstrip()
    if not title or not _is_rule(rule) or (marks and rule[0] not in marks):
        return False
    long_enough = len(rule) >= (3 if marks else len(title.strip()))
    return long_enough and not _is_rule(title) and not _starts_block(lines, at, title, marks)


def _starts_block(lines: list[str], at: int, title: str, marks: str) -> bool:
    """Return whether `title` is the end of a paragraph, a list item or a row of a table."""
    if _is_overline(lines, at - 1, lines[at + 1][0]):
        return False  # an overlined title may be indented
    follows_text = at > 0 and bool(lines[at - 1].strip())
    return follows_text or (
        _NO_TITLE.match(title) is not None and bool(marks or title[0].isspace())
    )


def _is_overline(lines: list[str], at: int, mark: str) -> bool:
    return at >= 0 and _is_rule(lines[at]) and lines[at][0] == mark


def _frames_title(lines: list[str], at: int) -> bool:
    """Return whether the rule at `at` is the underline or the overline of a title."""
    return _is_underlined(lines, at - 1) or (
        _is_underlined(lines, at + 1) and lines[at + 2][0] == lines[at][0]
    )
