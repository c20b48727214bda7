"""The page in a real browser, opened from a file as its readers open it.

The fixture `open_page` checks after each test that the browser had nothing to complain about and
asked for nothing but the file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from podium.tracing import Trace

OpenPage = Callable[..., Page]


def rows(page: Page, part: str = "timeline") -> Locator:
    return page.locator(f"#{part} .row")


def labels(page: Page, part: str = "timeline") -> list[str]:
    """Return what the rows are called, from top to bottom."""
    found = rows(page, part).evaluate_all(
        "rows => rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
        ".map(row => row.querySelector('.label').textContent)"
    )
    return [str(each) for each in found]


def test_the_head_answers_what_happened(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    expect(page.locator("h1")).to_have_text("coordinator")
    expect(page.locator("#ending")).to_have_text("answered")
    expect(page.locator(".lead")).to_contain_text("The model answered.")
    expect(page.locator(".lead")).to_contain_text(
        "4 agents made 8 model calls and 6 tool calls; 1 error on the way."
    )
    figures = page.locator(".figure").all_inner_texts()
    assert [each.split("\n")[:2] for each in figures][1:] == [
        ["Tokens in", "800"],
        ["Tokens out", "160"],
        ["Cost", "\N{EN DASH}"],
        ["Model calls", "8"],
        ["Tool calls", "6"],
        ["Errors", "1"],
    ]


def test_the_agents_stand_with_what_each_used(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    assert [each.split("\n")[:3] for each in rows(page, "agents").all_inner_texts()] == [
        ["coordinator", "240", "960"],
        ["facts", "240", "240"],
        ["facts#2", "240", "240"],
        ["facts#3", "240", "240"],
    ]
    expect(rows(page, "agents").nth(2)).to_have_attribute("aria-level", "2")


def test_choosing_an_agent_narrows_all_views(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)
    everything = rows(page).count()

    rows(page, "agents").nth(2).click()

    expect(rows(page)).to_have_count(4)
    assert labels(page) == ["facts#2", "scripted", "lookup", "scripted"]
    expect(page.locator("#flame .frame").first).to_contain_text("facts")
    expect(page.locator("#agent-chip")).to_contain_text("coordinator/facts#2")

    page.locator("#agent-chip").click()

    expect(rows(page)).to_have_count(everything)
    expect(page.locator("#flame .frame").first).to_contain_text("coordinator")


def test_models_and_tools_stand_with_their_sums(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)
    parts = page.get_by_role("region", name="Models and tools").get_by_role("row")

    expect(parts).to_have_count(4)
    assert parts.nth(1).inner_text().split("\t")[:3] == ["Mscripted", "8", "960"]
    expect(page.get_by_role("row", name="lookup 1 error")).to_be_visible()

    rows(page, "agents").nth(2).click()

    expect(parts).to_have_count(3)
    assert parts.nth(1).inner_text().split("\t")[:3] == ["Mscripted", "2", "240"]

    page.get_by_role("button", name="lookup", exact=True).click()

    expect(page.get_by_role("searchbox")).to_have_value("lookup")
    assert labels(page) == ["facts#2", "lookup"]


def test_the_tree_is_folded_to_its_first_level_and_unfolded(
    open_page: OpenPage, team: Trace
) -> None:
    page = open_page(team)
    all_rows = rows(page).count()

    page.get_by_role("button", name="Fold all").click()

    expect(rows(page).and_(page.locator("[aria-level='3']"))).to_have_count(0)
    page.get_by_role("button", name="Unfold all").click()
    expect(rows(page)).to_have_count(all_rows)


def test_a_click_on_a_span_opens_its_details(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    rows(page).filter(has_text="KeyError").click()

    details = page.get_by_role("complementary")
    expect(details.get_by_role("heading", level=2)).to_have_text("execute_tool lookup")
    expect(details).to_contain_text("tool, failed")
    expect(details.get_by_role("row", name="error.type")).to_contain_text("KeyError")

    details.get_by_role("button", name="Close").click()

    expect(details).to_be_hidden()


def test_the_keyboard_alone_suffices(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)
    grid = page.get_by_role("treegrid", name="Spans")
    all_rows = rows(page).count()

    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")

    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_have_attribute("aria-expanded", "false")

    page.keyboard.press("ArrowRight")
    expect(rows(page)).to_have_count(all_rows)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page.get_by_role("complementary")).to_be_focused()
    active = rows(page).and_(page.locator("[aria-selected=true]"))
    expect(active).to_have_attribute("aria-rowindex", "3")
    identity = active.get_attribute("id")
    assert identity is not None
    expect(grid).to_have_attribute("aria-activedescendant", identity)

    page.keyboard.press("Escape")

    expect(page.get_by_role("complementary")).to_be_hidden()
    expect(grid).to_be_focused()


def test_an_agent_is_chosen_by_keyboard(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    page.get_by_role("treegrid", name="Agents").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")

    expect(page.locator("#agent-chip")).to_contain_text("coordinator/facts#3")


def test_the_search_reads_attributes_too(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    page.keyboard.press("/")
    page.keyboard.type("keyerror")

    expect(page.locator("#found")).to_have_text("1")
    assert labels(page) == ["coordinator", "facts", "facts#2", "lookup"]
    page.keyboard.press("Enter")
    expect(page.locator("#timeline .is-match.is-selected")).to_contain_text("lookup")


def test_a_kind_can_be_left_out(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    page.get_by_role("button", name="model", exact=False).first.click()

    expect(rows(page).filter(has_text="scripted")).to_have_count(0)


def test_errors_alone_can_be_shown(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    page.get_by_role("button", name="Errors only").click()

    expect(page.locator("#timeline .is-match")).to_have_count(1)


def test_the_critical_path_is_marked(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)
    expect(page.locator(".piece")).to_have_count(0)

    page.get_by_role("button", name="Critical path").click()

    expect(page.locator(".piece").first).to_be_visible()
    expect(page.locator("#critical")).to_have_attribute("aria-pressed", "true")


def test_the_flame_chart_shows_time_or_tokens(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)

    page.get_by_role("button", name="Tokens", exact=True).click()

    expect(page.locator("#flame")).to_contain_text("960 tokens")
    frames = page.locator("#flame .frame").evaluate_all("all => all.map(each => each.title)")
    assert frames[0] == "coordinator: 960, 100 % of all, 1 span"
    assert "facts: 720, 75 % of all, 3 spans" in frames

    page.get_by_role("button", name="facts: 720").click()

    expect(page.get_by_role("complementary")).to_contain_text("facts \N{MULTIPLICATION SIGN}3")
    page.get_by_role("complementary").get_by_role("button", name="coordinator/facts#3").click()
    expect(page.get_by_role("complementary")).to_contain_text("invoke_agent facts")


def test_a_span_is_zoomed_to_and_left_again(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team)
    rows(page).filter(has_text="KeyError").click()

    page.get_by_role("button", name="Zoom to it").click()

    expect(page.locator("#zoom-chip")).to_be_visible()
    share = (
        rows(page)
        .filter(has_text="KeyError")
        .locator(".bar")
        .evaluate("bar => bar.offsetWidth / bar.parentElement.offsetWidth")
    )
    assert 0.9 < share < 1

    page.locator("#zoom-chip").click()
    expect(page.locator("#zoom-chip")).to_be_hidden()


def test_light_and_dark_follow_the_system_and_the_switch(open_page: OpenPage, team: Trace) -> None:
    page = open_page(team, dark=True)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)

    page.get_by_role("button", name="Switch to light colors").click()

    light = page.evaluate(background)
    assert brightness(light) > 230 > 40 > brightness(dark)
    page.get_by_role("button", name="Switch to dark colors").click()
    assert page.evaluate(background) == dark


def brightness(color: str) -> float:
    """Return the mean of `rgb(1, 2, 3)`."""
    parts = color.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(float(part) for part in parts) / 3


def test_a_picture_of_the_page_shows_something(open_page: OpenPage, team: Trace) -> None:
    light = open_page(team).screenshot()
    dark = open_page(team, dark=True).screenshot()

    assert light != dark
    assert min(len(light), len(dark)) > 20_000  # an empty page of this size has 5 kB


@pytest.mark.parametrize("width", [320, 420, 800, 1100])
def test_nothing_sticks_out_of_a_narrow_window(
    open_page: OpenPage, team: Trace, width: int
) -> None:
    page = open_page(team, width=width)

    rows(page).nth(2).click()

    expect(page.get_by_role("complementary")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_all_rows_are_printed(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(wide_trace(200))

    page.pdf(path=tmp_path / "page.pdf")

    text = "\n".join(each.extract_text() for each in PdfReader(tmp_path / "page.pdf").pages)
    assert text.count("gpt-5-mini") >= 100
    assert rows(page).count() < 60  # the screen has few again


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_does_nothing(open_page: OpenPage, text: str) -> None:
    page = open_page(Trace([hostile_span(text)]))

    rows(page).first.click()

    expect(page.get_by_role("complementary")).to_be_visible()
    expect(page.locator("script")).to_have_count(2)
    expect(page.locator("img")).to_have_count(0)


def test_a_limit_is_drawn_with_what_was_spent_and_held(open_page: OpenPage) -> None:
    budget = {
        "podium.stop.reason": "token_budget_exceeded",
        "podium.stop.by": "lead",
        "podium.budget.total_tokens.limit": 2_000,
        "podium.budget.total_tokens.spent": 1_500,
        "podium.budget.total_tokens.held": 400,
    }
    lead = agent_span(1, "lead", attributes=budget)
    helper = agent_span(2, "lead/helper", parent=1, attributes=budget)

    page = open_page(Trace([lead, helper]))

    expect(page.get_by_role("meter")).to_have_count(1)
    expect(page.locator("#budgets")).to_contain_text("1,500 + 400 held of 2,000")
    expect(page.locator(".lead")).to_contain_text("'lead' had used 1,500 of 2,000 total tokens")
    expect(page.locator("#ending")).to_have_class("pill is-warn")


def test_waits_and_events_are_marked_on_the_bar(open_page: OpenPage) -> None:
    waited = made_event("podium.budget.wait", 60, {"podium.budget.waited_seconds": 0.03})
    agent = agent_span(1, "lead")
    call = made_span(2, name="chat m", parent=1, end_ms=100, events=(waited,))

    page = open_page(Trace([agent, call]))

    mark = page.locator(".wait")
    expect(mark).to_have_attribute("title", "waited 30 ms")
    assert mark.evaluate("mark => mark.style.left") == "30%"
    expect(page.locator(".event")).to_have_attribute("title", "podium.budget.wait")
    rows(page).nth(1).click()
    expect(page.locator(".events")).to_contain_text("podium.budget.waited_seconds")


def test_a_trace_of_another_tool_is_as_readable(open_page: OpenPage) -> None:
    llm = {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.token_count.prompt": 7}
    spans = [
        made_span(1, name="GET /ask", end_ms=50),
        made_span(2, name="Crew", parent=1, attributes={"openinference.span.kind": "AGENT"}),
        made_span(3, name="ChatModel", parent=2, attributes=llm),
    ]

    page = open_page(Trace(spans))

    assert labels(page) == ["GET /ask", "Crew", "m"]
    expect(rows(page, "agents")).to_have_count(1)
    expect(page.locator(".lead")).to_contain_text("1 agent made 1 model call")


def test_a_trace_without_agents_has_a_timeline(open_page: OpenPage) -> None:
    page = open_page(Trace([made_span(1, name="work")]))

    expect(page.locator("#agents")).to_be_hidden()
    expect(page.locator("#ending")).to_have_text("no agents")
    assert labels(page) == ["work"]


def test_a_trace_without_spans_opens(open_page: OpenPage) -> None:
    page = open_page(Trace(()))

    expect(rows(page)).to_have_count(0)


def test_five_thousand_spans_open_at_once_and_only_those_in_sight_exist(
    open_page: OpenPage,
) -> None:
    page = open_page(wide_trace(5_000))

    opened_ms = page.evaluate("performance.now()")
    grid = page.get_by_role("treegrid", name="Spans")
    expect(grid).to_have_attribute("aria-rowcount", "5001")
    assert rows(page).count() < 60
    assert opened_ms < 8_000  # 0.5 s on an idle machine; tests share theirs

    grid.focus()
    page.keyboard.press("End")

    expect(rows(page).and_(page.locator("[aria-rowindex='5001']"))).to_be_visible()


def test_a_message_in_an_attribute_is_laid_out(open_page: OpenPage) -> None:
    message = '[{"role": "user", "parts": [{"type": "text", "content": "' + "Why? " * 40 + '"}]}]'
    span = made_span(1, name="chat m", attributes={"gen_ai.input.messages": message, "cut": "[1,"})
    page = open_page(Trace([span, chat_span(2, parent=1)]))

    rows(page).first.click()

    expect(page.locator("#details pre")).to_contain_text('  "role": "user",')
    expect(page.get_by_role("row", name="cut")).to_contain_text("[1,")
