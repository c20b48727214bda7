"""The page's colors, as measured by the contrast rules of WCAG 2."""

from __future__ import annotations

import re

import pytest

from podium.tracing.page import _assets

TEXTS = ["ink", "muted", "accent", "good", "warn", "bad"]
KINDS = ["agent", "model", "tool", "hook", "workflow", "other", "bad"]
LIGHT, DARK = 0, 1


def color(name: str, scheme: int) -> tuple[float, ...]:
    """Return the red, green and blue of a color of the style sheet, each from 0 to 1."""
    found = re.search(rf"--{name}: light-dark\(#(\w+), #(\w+)\)", _assets.asset("theme.css"))
    assert found is not None, name
    return tuple(byte / 255 for byte in bytes.fromhex(found[scheme + 1]))


def luminance(channels: tuple[float, ...]) -> float:
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str, scheme: int) -> float:
    darker, lighter = sorted(luminance(color(each, scheme)) for each in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "surface", "sunken"])
@pytest.mark.parametrize("text", TEXTS)
def test_text_can_be_read_on_every_ground(text: str, ground: str, scheme: int) -> None:
    assert contrast(text, ground, scheme) >= 4.5


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_bars_stand_out_from_the_timeline(kind: str, scheme: int) -> None:
    assert contrast(kind, "surface", scheme) >= 3


@pytest.mark.parametrize("name", [f"{each}.css" for each in _assets.STYLES])
def test_colors_are_written_in_the_theme_alone(name: str) -> None:
    others = re.findall(r"#[0-9a-f]{3,8}\b", _assets.asset(name))

    assert name == "theme.css" or others == []


@pytest.mark.parametrize("name", [f"{each}.js" for each in _assets.SCRIPTS])
def test_a_script_imports_only_what_stands_before_it(name: str) -> None:
    before = _assets.SCRIPTS[: _assets.SCRIPTS.index(name.removesuffix(".js"))]

    imported = re.findall(r'^import .* from "\./(\w+)\.js";$', _assets.asset(name), re.MULTILINE)

    assert set(imported) <= set(before)


@pytest.mark.parametrize("name", [f"{each}.js" for each in _assets.SCRIPTS])
def test_a_script_is_small_and_makes_no_markup_of_text(name: str) -> None:
    script = _assets.asset(name)

    assert script.count("\n") <= 250
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)
