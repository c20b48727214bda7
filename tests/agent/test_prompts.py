"""Prompt templates: what goes in, and the one message that comes out."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from podium.agent.messages import ChatMessage
from podium.agent.prompts import PromptError, PromptTemplate
from podium.tools import FileContent, ImageContent, PodiumError, TextContent

IMAGE = ImageContent.from_bytes(b"pixels")
FILE = FileContent.from_bytes(b"%PDF", mime_type="application/pdf", filename="a.pdf")


@dataclass(frozen=True)
class Order:
    number: int


def rendered(source: str, **values: object) -> str | None:
    return PromptTemplate(source, role="user").render(values).text


def test_a_template_renders_one_message_of_its_role() -> None:
    template = PromptTemplate("You help {{ name }}.", role="system")

    message = template.render({"name": "Ann"})

    assert message == ChatMessage.from_system("You help Ann.")


def test_its_variables_are_the_names_it_does_not_set_itself() -> None:
    source = "{% set a = b %}{% for c in d %}{{ a }}{{ c.e }}{{ loop.index }}{% endfor %}"

    template = PromptTemplate(source, role="user")

    assert template.variables == {"b", "d"}


def test_range_and_namespace_are_variables_where_they_are_not_called() -> None:
    source = "{{ namespace }} {{ range }}:{% for i in range(3) %} {{ i }}{% endfor %}"

    template = PromptTemplate(source, role="user")

    assert template.variables == {"namespace", "range"}
    assert template.render({"namespace": "prod", "range": "r"}).text == "prod r: 0 1 2"


def test_two_templates_with_the_same_source_and_role_are_equal() -> None:
    assert PromptTemplate("{{ a }}", role="user") == PromptTemplate("{{ a }}", role="user")
    assert PromptTemplate("{{ a }}", role="user") != PromptTemplate("{{ a }}", role="system")


def test_importing_the_agent_does_not_load_jinja() -> None:
    code = "import sys, podium.agent; print('jinja2' in sys.modules)"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "False"


def test_all_missing_required_variables_are_named_in_order() -> None:
    template = PromptTemplate("{{ c }}{{ a }}{{ b }}", role="user")

    with pytest.raises(PromptError, match="not given: 'a', 'c'") as caught:
        template.render({"b": 1})

    assert "syntax" not in str(caught.value)


def test_only_the_variables_in_the_list_are_required() -> None:
    template = PromptTemplate("{{ a }}|{{ b }}|{{ b.c.d }}|", role="user")

    message = template.render({"a": 1}, required=["a", "in the other prompt"])

    assert message.text == "1|||"


def test_a_missing_optional_variable_is_empty_wherever_it_stands() -> None:
    source = (
        "[{{ a }}][{{ a | default('none') }}][{{ a | join(',') }}][{{ 'x' ~ a }}][{{ [a] }}]"
        "[{% if a %}yes{% endif %}][{% for x in a %}{{ x }}{% endfor %}][{{ a is defined }}]"
        "[{{ a.b['c'].d }}][{{ a['b'] }}]"
    )

    message = PromptTemplate(source, role="user").render({}, required=None)

    assert message.text == "[][none][][x][[]][][][False][][]"


def test_a_macro_parameter_that_was_not_given_is_not_empty() -> None:
    with pytest.raises(PromptError, match="parameter 'place' was not provided"):
        rendered("{% macro hi(place) %}{{ place.name }}{% endmacro %}{{ hi() }}")


def test_a_name_that_is_set_in_one_branch_only_is_a_variable() -> None:
    source = "{% if vip %}{% set tone = 'warm' %}{% endif %}{{ tone }}"

    assert rendered(source, vip=True, tone="cool") == "warm"
    assert rendered(source, vip=False, tone="cool") == "cool"


def test_a_misspelled_field_is_named_with_its_line() -> None:
    with pytest.raises(PromptError, match=r"\(line 2\): 'Order' has no field or item 'numbr'"):
        rendered("Order\n{{ order.numbr }}", order=Order(7))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("place + 1", "'place' is undefined"),
        ("place()", "'place' is undefined"),
        ("place > 1", "'place' is undefined"),
        ("order.a[1:]", "no field or item 'a'"),
        ("order.a == 1", "no field or item 'a'"),
        ("order[1:]", "'Order' cannot be sliced"),
        ("order[3]", "'Order' has no field or item 3"),
        ("[1][9]", "'list' has no field or item 9"),
        ("{}[(1, 2)]", "'dict' has no field or item for a tuple"),
        ("order + order", "cannot combine Order and Order"),
        ("1 / 0", "division by zero"),
    ],
)
def test_an_operation_that_makes_no_sense_is_refused_with_its_reason(
    expression: str, reason: str
) -> None:
    template = PromptTemplate("{{ " + expression + " }}", role="user")

    with pytest.raises(PromptError) as caught:
        template.render({"order": Order(7)}, required=None)

    assert reason in str(caught.value)


def test_a_loop_over_what_holds_no_items_is_refused() -> None:
    with pytest.raises(PromptError, match="cannot go over a value of type 'Order'"):
        rendered("{% for part in order %}{% endfor %}", order=Order(7))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("Hello {% if name %}{{ name }", "unexpected '}' (line 1)"),
        ("one\n{{ a b }}", "(line 2)"),
        ("{{ a | centre }}", "there is no filter 'centre'"),
        ("{{ a | uper }}", "Did you mean 'upper'?"),
        ("{{ a is evn }}", "Did you mean 'even'?"),
        ("{% insert messages %}", "unknown tag 'insert'"),
        ("{% message name='a' %}x{% endmessage %}", "a message block without role"),
        ("{% message role='user' id=1 %}x{% endmessage %}", "role and name once, not 'id'"),
    ],
)
def test_a_template_that_cannot_be_read_is_refused_when_it_is_made(
    source: str, reason: str
) -> None:
    with pytest.raises(PromptError, match="is not a valid template: ") as caught:
        PromptTemplate(source, role="user")

    assert reason in str(caught.value)
    assert "syntax" in str(caught.value)
    assert isinstance(caught.value, PodiumError)


def test_a_message_block_sets_the_name_and_may_have_tags_around_it() -> None:
    source = """
        {% set greeting = "Good morning" %}
        {% message role="user" name=who %}
        {{ greeting }}, {{ place }}!
        {% endmessage %}
    """

    message = PromptTemplate(source, role="user").render({"who": "Ann", "place": "Oslo"})

    assert message == ChatMessage.from_user("Good morning, Oslo!", name="Ann")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{% message role='user' %}a{% endmessage %}" * 2, "holds 2 message blocks"),
        ("{% message role='system' %}a{% endmessage %}", "message block of role 'system'"),
    ],
)
def test_a_block_that_does_not_fit_is_refused_when_the_template_is_made(
    source: str, reason: str
) -> None:
    with pytest.raises(PromptError, match=reason):
        PromptTemplate(source, role="user")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{% message role=r %}a{% endmessage %}", "message of role 'system'"),
        ("{% message role='user' name=n %}a{% endmessage %}", "the name 3"),
        ("Hi {% message role='user' %}a{% endmessage %}", "text outside its message block: 'Hi'"),
        (
            "{% for i in [1, 2] %}{% message role='user' %}a{% endmessage %}{% endfor %}",
            "rendered 2 messages",
        ),
        ("{% if not n %}{% message role='user' %}a{% endmessage %}{% endif %}", "0 messages"),
        ("{% message role='user' %} {% endmessage %}", "rendered to nothing"),
        ("{{ empty }}\n", "rendered to nothing"),
    ],
)
def test_what_is_not_one_message_of_the_role_is_refused(source: str, reason: str) -> None:
    with pytest.raises(PromptError, match=reason):
        rendered(source, r="system", n=3, empty="")


def test_images_and_files_become_parts_in_their_places() -> None:
    source = """{% message role="user" %}
        Compare {{ a | templatize_part }} with {{ b | templatize_part }}
        {{ c | templatize_part }}
    {% endmessage %}"""

    message = PromptTemplate(source, role="user").render({"a": IMAGE, "b": FILE, "c": IMAGE})

    assert message.parts == (TextContent("Compare "), IMAGE, TextContent(" with "), FILE, IMAGE)


def test_parts_can_come_from_a_loop_and_from_a_macro() -> None:
    source = (
        "{% macro show(x) %}<{{ x | templatize_part }}>{% endmacro %}"
        "{% for image in images %}{{ show(image) }}{% endfor %}"
    )

    message = PromptTemplate(source, role="user").render({"images": [IMAGE, FILE]})

    assert message.parts == (
        TextContent("<"),
        IMAGE,
        TextContent("><"),
        FILE,
        TextContent(">"),
    )


def test_a_text_part_may_stand_in_a_system_prompt_and_an_image_may_not() -> None:
    template = PromptTemplate("Rules: {{ part | templatize_part }}", role="system")

    assert template.render({"part": TextContent("be kind")}).text == "Rules: be kind"
    with pytest.raises(PromptError, match="a file besides 'Rules: '"):
        template.render({"part": IMAGE})


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{{ 'text' | templatize_part }}", "and got 'str'"),
        ("{{ image }}", "cannot be printed as text"),
        ("{{ image | templatize_part | upper }}", "'PartMark' is not data"),
        ("{% filter upper %}{{ image | templatize_part }}{% endfilter %}", "was changed after"),
    ],
)
def test_a_part_that_is_not_used_as_one_is_refused(source: str, reason: str) -> None:
    with pytest.raises(PromptError, match=reason):
        rendered(source, image=IMAGE)


def test_one_template_renders_in_many_threads_at_once() -> None:
    template = PromptTemplate("{% for i in range(50) %}{{ n }}{% endfor %}", role="user")

    def render(number: int) -> str | None:
        return template.render({"n": number}).text

    with ThreadPoolExecutor(8) as threads:
        texts = list(threads.map(render, range(200)))

    assert texts == [str(number) * 50 for number in range(200)]
