"""The page's text: one file that asks for nothing, whatever the trace holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from page_traces import (
    HOSTILE,
    agent_span,
    chat_span,
    hostile_span,
    made_event,
    made_span,
    wide_trace,
)

from podium.tracing import Trace
from podium.tracing.page import _columns, _selection, _values, render_page


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text inside each script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is not None:  # inside a script or style
            tag, attributes = self.tags[-1]
            kind = attributes.get("type") or tag
            self.texts[kind] = self.texts.get(kind, "") + data


def data_of(page: str) -> dict[str, Any]:
    """Return what the page's script is told."""
    found: dict[str, Any] = json.loads(Elements(page).texts["application/json"])
    return found


def test_the_page_refers_to_nothing_outside_itself(team: Trace) -> None:
    elements = Elements(render_page(team))

    links = [
        (tag, attributes)
        for tag, attributes in elements.tags
        if {"src", "href", "srcset", "data", "action"} & attributes.keys()
        and attributes.get("href") != "#timeline"
    ]
    assert links == []
    assert not re.search(r"@import|url\(", elements.texts["style"])


def test_the_policy_admits_the_pages_own_script_and_style_alone(team: Trace) -> None:
    elements = Elements(render_page(team))

    metas = [attributes for tag, attributes in elements.tags if tag == "meta"]
    policy = next(each["content"] or "" for each in metas if "http-equiv" in each)
    directives = dict(each.split(" ", 1) for each in policy.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == digest(elements.texts["module"])
    assert directives["style-src"] == digest(elements.texts["style"])
    assert directives["base-uri"] == directives["form-action"] == "'none'"


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_page_is_ascii_so_that_any_encoding_stores_it(team: Trace) -> None:
    page = render_page(team)

    assert page.isascii()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_data_and_nothing_else(text: str) -> None:
    harmless = [tag for tag, _ in Elements(render_page(Trace([hostile_span("harmless")]))).tags]

    page = render_page(Trace([hostile_span(text)]))

    assert [tag for tag, _ in Elements(page).tags] == harmless
    assert data_of(page)["spans"]["parent"] == [-1]
    assert "\x00" not in page


def test_control_characters_are_shown_and_not_obeyed() -> None:
    page = render_page(Trace([made_span(1, name="a\x00b\u202ec\ud800")]))

    assert data_of(page)["name"] == "a\\x00b\\u202ec\\ud800"


def test_a_value_of_ten_megabytes_is_cut_and_says_how_long_it_was() -> None:
    long = made_span(1, name="work", attributes={"text": "x" * 10_000_000})

    page = render_page(Trace([long]))

    document = data_of(page)
    value = next(each for each in document["values"] if str(each).startswith("xxx"))
    assert value.endswith("x… [cut: 10,000,000 characters]")
    assert len(page) < 200_000
    assert document["notes"] == ["1 long value is cut; it says how long it was."]


def test_many_long_values_do_not_make_a_huge_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_values, "MAX_TOTAL_CHARACTERS", 5_000)
    spans = [made_span(1, name="top")]
    spans += [
        made_span(each, name="call", parent=1, attributes={"text": f"{each}" * 2_000})
        for each in range(2, 8)
    ]

    document = data_of(render_page(Trace(spans)))

    lengths = [len(each) for each in document["values"] if isinstance(each, str)]
    assert sorted(lengths)[-3:] == [2_000, 2_000, 2_000]
    assert document["notes"] == ["3 long values are cut; each says how long it was."]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, True),
        (None, None),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**53, str(2**53)),
        pytest.param(10**5_000, hex(10**5_000)[:16], id="an integer of 5,000 digits"),
        (b"\x00\xff", "2 bytes: 00 ff"),
        (("a", 1), '["a", 1]'),
        ({"a": {"b": (1, b"x")}}, '{"a": {"b": [1, "b\'x\'"]}}'),
        ({"a": {1, 2}}, '{"a": "{1, 2}"}'),
        ({(1, 2): 3}, "<dict>"),
    ],
)
def test_a_value_of_any_kind_can_be_shown(value: object, shown: object) -> None:
    page = render_page(Trace([made_span(1, name="work", attributes={"value": value})]))

    document = data_of(page)
    place = document["spans"]["attributes"][0][1]
    found = document["values"][place]
    assert found == shown or str(found).startswith(str(shown))


def test_equal_values_are_kept_once_and_kinds_are_kept_apart() -> None:
    attributes = {"a": 1, "b": True, "c": 1.0, "d": 1, "e": "1"}

    document = data_of(render_page(Trace([made_span(1, name="1", attributes=attributes)])))

    codes = document["spans"]["attributes"][0]
    assert [document["values"][place] for place in codes[1::2]] == [1, True, 1.0, 1, "1"]
    assert codes[1] == codes[7]
    assert codes[9] == document["spans"]["name"][0]


def test_of_too_many_spans_the_topmost_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection, "MAX_SPANS", 6)
    trace = wide_trace(17)

    document = data_of(render_page(trace))

    assert document["spans"]["parent"] == [-1, 0, 1, 0, 0, 0]
    assert document["totals"]["model_calls"] == 8
    assert document["notes"] == ["11 of 17 spans are not drawn: those deepest in the tree."]


def test_whole_levels_are_drawn_where_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection, "MAX_SPANS", 5)

    document = data_of(render_page(wide_trace(17)))

    assert document["spans"]["parent"] == [-1, 0, 0, 0, 0]


def test_of_too_many_events_and_attributes_the_first_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_columns, "MAX_EVENTS", 2)
    monkeypatch.setattr(_columns, "MAX_ATTRIBUTES", 3)
    events = tuple(made_event("tick", each, {}) for each in range(5))
    span = made_span(1, name="w", attributes=dict.fromkeys("abcdef", 1), events=events)

    document = data_of(render_page(Trace([span])))

    assert len(document["events"]["0"]) == 2
    assert len(document["spans"]["attributes"][0]) == 6
    assert document["notes"] == [
        "3 events are left out: 2 of a span are kept.",
        "3 attributes are left out: 3 of a span are kept.",
    ]


def test_what_was_wrong_with_the_record_is_told() -> None:
    orphan = chat_span(2, parent=77)

    document = data_of(render_page(Trace([agent_span(1, "a"), orphan], ["Line 3 was cut."])))

    assert document["notes"][0] == "Line 3 was cut."
    assert len(document["notes"]) == 2


def test_a_trace_without_spans_has_a_page() -> None:
    document = data_of(render_page(Trace(())))

    assert document["name"] == "A trace without a name"
    assert document["sentence"] == "In 0 ms, the record has no spans; nothing failed."
    assert document["spans"]["parent"] == []
