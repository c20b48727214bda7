"""Hostile prompt templates: each is refused with a PromptError, and at once."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agent.prompts import PromptError, PromptTemplate
from podium.tools import ImageContent

MOST_SECONDS = 0.5 if sys.gettrace() is None else 10
"""CPU time of this thread that a refusal may take; measuring coverage makes it many times more."""

LONG = "x" * 4_000_000
VALUES: dict[str, object] = {
    "big": LONG,
    "almost": LONG[:-1] + "y",
    "rows": [{"id": number, "tag": f"t{number % 7}"} for number in range(5000)],
    "keys": {f"k{number}": number for number in range(1000)},
    "image": ImageContent.from_bytes(b"x"),
    "one": 1,
}


def again(body: str, turns: int = 60) -> str:
    """Return a template that runs `body` in a loop, with a namespace to gather in."""
    start = "{% set ns = namespace(x=[1], y=[1], s='ab', n=7) %}"
    return f"{start}{{% for i in range({turns}) %}}{body}{{% endfor %}}{{{{ ns.x }}}}{{{{ ns.s }}}}"


ESCAPES = [
    "{{ one.__class__ }}",
    "{{ one['__class__'] }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ [one] | map(attribute='__class__') | list }}",
    "{{ [one, one] | sort(attribute='__class__') }}",
    "{{ ('{0.__class__}' | attr('format'))(one) }}",
    "{{ '{0.__class__}'.format(one) }}",
    "{{ '{a.__class__}'.format_map(keys) }}",
    "{{ ''.format.__self__ }}",
    "{{ self }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self['_TemplateReference__context'] }}",
    "{{ namespace(a=1)._Namespace__attrs }}",
    "{{ namespace(a=1) }}",
    "{% macro m() %}{% endmacro %}{{ m }}",
    "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "{% macro m() %}{{ caller._environment }}{% endmacro %}{% call m() %}{% endcall %}",
    "{% for i in [1] %}{{ loop }}{% endfor %}",
    "{% for i in [1] %}{{ loop._iterable }}{% endfor %}",
    "{{ keys.items }}",
    "{{ [keys.items] }}",
    "{{ one() }}",
    "{{ keys.pop('k1') }}",
    "{{ keys.update(a=1) }}",
    "{{ rows.append(1) }}",
    "{{ rows.sort() }}",
    "{{ image.base64_image }}",
    "{{ ['x'] | map('<message>', 'user') | list }}",
    "{{ [1] | map('<loop>', 1) | list }}",
    "{% include '/etc/passwd' %}",
    "{% import '../x' as x %}",
    "{% from '../x' import x %}",
    "{% extends 'x' %}",
    "{% block x %}{% endblock %}",
    "{% autoescape true %}{{ one }}{% endautoescape %}",
    "{% do rows.append(1) %}",
    "{% debug %}",
]

GROWTH = [
    "{{ 'a' * 10**8 }}",
    "{{ 10**8 * 'a' }}",
    "{{ [1] * 10**8 }}",
    "{{ '{:>1000000000}'.format(1) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '%1000000000d' | format(1) }}",
    "{{ 1 / ('%1000000000d' is odd) }}",
    "{{ 1 / ('%1000000000d' is divisibleby(2)) }}",
    "{{ lipsum(n=3000) }}",
    "{{ 'a' | center(10**9) }}",
    "{{ ['a'] | map('center', 10**9) | list }}",
    "{{ 'a'.center(10**9) }}",
    "{{ 'a'.ljust(10**9) }}",
    "{{ 'a'.zfill(10**9) }}",
    "{{ '\t'.expandtabs(10**9) }}",
    "{{ 'a' | indent(10**9) }}",
    "{{ ('a\n' * 10**6) | indent(64) }}",
    "{{ 'a' | wordwrap(1, true, 'x' * 10**6) }}",
    "{{ [1] | batch(10**9, 1) | list }}",
    "{{ [1] | slice(10**9) | list }}",
    "{{ [1] | tojson(indent=10**9) }}",
    "{{ 'aaaa' | replace('', 'x' * 10**6) }}",
    "{{ 'aaaa'.replace('a', 'x' * 2 * 10**6) }}",
    "{{ [1, 2, 3] | join(big) }}",
    "{{ big.join([1, 2, 3]) }}",
    "{{ big ~ big }}",
    "{{ big + big }}",
    "{{ big | replace('x', 'xx') }}",
    "{{ 10 ** (10 ** 10) }}",
    "{{ 2**4000 * 2**4000 }}",
    "{{ (('f' * 10**6) | int(0, 16)) * 2 }}",
    "{{ 1.5 | round(10**9, 'ceil') }}",
    "{{ ['a'] | sum(start='') }}",
    "{{ rows | map(attribute='id') | map('list') | sum(start=[]) }}",
    again("{% set ns.s = ns.s ~ ns.s %}"),
    again("{% set ns.s = ns.s + ns.s %}"),
    again("{% set ns.s = ns.s * 2 %}"),
    again("{% set ns.s = [ns.s, ns.s] | join(ns.s) %}"),
    again("{% set ns.s = ns.s.join([ns.s, ns.s]) %}"),
    again("{% set ns.s = ns.s | replace('a', 'aa') %}"),
    again("{% set ns.s %}{{ ns.s }}{{ ns.s }}{% endset %}"),
    again("{% set ns.s = ns.s ~ 'abc' %}", 99_999),
    again("{% set ns.x = ns.x + ns.x %}"),
    again("{% set ns.x = ns.x * 9 %}"),
    again("{% set ns.x = [ns.x, ns.x] %}"),
    again("{% set ns.x = (ns.x, ns.x) %}"),
    again("{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% set ns.s = ns.x | tojson %}"),
    again("{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{{ ns.x == ns.y }}"),
    again("{% set ns.x = namespace(a=ns.x, b=ns.x) %}"),
    again("{% set ns.x = [ns.x] %}", 9_999),
    again("{% set ns.n = ns.n * ns.n %}"),
    "{% set t %}{% for i in range(99999) %}" + "a" * 100_000 + "{% endfor %}{% endset %}{{ t }}",
    "{% for i in range(50000) %}" + "a" * 100_000 + "{% endfor %}",
    "{% for row in rows %}{{ rows }}{% endfor %}",
]

ENDLESS = [
    "{% for i in range(10**9) %}x{% endfor %}",
    "{% for i in range(-(10**18), 10**18) %}x{% endfor %}",
    "{% for i in range(10**30) %}x{% endfor %}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for c in big %}{% endfor %}",
    "{% for r in rows %}{% for s in rows %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) recursive %}{{ loop(range(99999)) }}{% endfor %}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
    "".join(
        "{% macro m" + str(n) + "() %}" + f"{{{{ m{n + 1}() }}}}" * 2 + "{% endmacro %}"
        for n in range(38)
    )
    + "{% macro m38() %}{% endmacro %}{{ m0() }}",
    "{% macro m() %}{{ varargs | length }}{% endmacro %}"
    "{% for i in range(20000) %}{{ m(*range(99999)) }}{% endfor %}",
    "{% for i in range(20000) %}{{ loop.cycle(*range(99999)) }}{% endfor %}",
    "{% for i in range(20000) %}{{ big | upper | length }}{% endfor %}",
    "{% for i in range(20000) %}{% if big == almost %}{% endif %}{% endfor %}",
    "{% for i in range(20000) %}{% if almost in big %}{% endif %}{% endfor %}",
    "{% for i in range(20000) %}{% if keys[big] is defined %}{% endif %}{% endfor %}",
    "{% for i in range(20000) %}{% set x = big[1:] %}{% endfor %}",
    "{% for i in range(20000) %}{% set x = keys.get(big) %}{% endfor %}",
    "{% for i in range(20000) %}{% if 'x' in range(99999) %}{% endif %}{% endfor %}",
    "{% for i in range(20000) %}{% set x = loop.changed(big) %}{% endfor %}",
    "{% for i in range(20000) %}{% set x = rows | sort(attribute='tag') %}{% endfor %}",
    "{% set x = big | sort %}",
    "{% set x = big.split('x') | map('upper') | list %}",
    "{% set x = range(99999) | map('string') | map('upper') | list %}",
    "{{ [big, big] | map('title') | join }}",
    "{% for i in range(20000) %}{{ big | wordcount }}{% endfor %}",
]

SOURCES = [
    "a" * 10_000_000,
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{{ " + "[" * 3000 + "]" * 3000 + " }}",
    "{{ " + "not " * 3000 + "one }}",
    "{{ " + "-" * 3000 + "1 }}",
    "{{ one" + " + 1" * 500 + " }}",
    "{{ one" + " | upper" * 300 + " }}",
    "{{ one" + ".a" * 300 + " }}",
    "{{ one" + "[one" * 300 + "]" * 300 + " }}",
    "{{ one" + " if one else one" * 1000 + " }}",
    "{% if one %}" * 3000 + "{% endif %}" * 3000,
    "{% for i in rows %}" * 30 + "{% endfor %}" * 30,
    "{% if one %}" + "{% elif one %}" * 6000 + "{% endif %}",
    "{{ one }}" * 6000,
    "{{ [" + "1, " * 20_000 + "] }}",
    "{{ " + "9" * 5000 + " }}",
    "{{ 0x" + "f" * 200_000 + " }}",
    "{" * 200_000,
    "{%" * 100_000,
    "{#" * 100_000,
    "{%- raw %}" * 20_000,
    "{{ '" + "\\" * 200_000,
]

FRAGMENTS = """
    {{ }} {% %} {# #} {%- -%} ( ) [ ] { } , : . | ~ + - * / // ** % == < in not and or if else is
    for endfor i loop loop.index recursive set endset macro m endmacro call endcall filter endfilter
    message endmessage role='user' with endwith include 'x' "y" 0 7 9999 1.5 true none a b c a.b
    a[b] upper join replace map sort tojson default defined range(9) namespace(a=1) m() loop(a)
    raw endraw elif caller() *a **c templatize_part __class__ self =
""".split()


def refusal(source: str) -> tuple[str, float]:
    """Return the error's text and the CPU seconds it took."""
    start = time.thread_time()
    with pytest.raises(PromptError) as caught:
        PromptTemplate(source, role="user").render(VALUES, required=None)
    return str(caught.value), time.thread_time() - start


@pytest.mark.parametrize("source", ESCAPES + GROWTH + ENDLESS + SOURCES, ids=lambda text: text[:60])
def test_a_hostile_template_is_refused_at_once(source: str) -> None:
    message, seconds = refusal(source)

    assert 40 <= len(message) <= 400
    assert seconds < MOST_SECONDS


@pytest.mark.parametrize(
    "source", ["{% for i in range(10**9) %}x{% endfor %}", "{{ range(10**6) }}"]
)
def test_a_range_that_is_too_long_says_so(source: str) -> None:
    assert "range(1,000,000" in refusal(source)[0]


def test_nothing_is_worked_out_before_it_is_needed() -> None:
    source = "{% if false %}{{ 'a' * 10**8 }}{{ 9**9999 }}{% endif %}done"

    message = PromptTemplate(source, role="user").render({})

    assert message.text == "done"


def test_a_template_leaves_the_values_as_they_were() -> None:
    rows = [3, 1, 2]

    PromptTemplate("{{ rows | sort }}{{ rows | reverse }}", role="user").render({"rows": rows})

    assert rows == [3, 1, 2]


def test_a_text_of_four_million_characters_still_fits() -> None:
    template = PromptTemplate("Summarise: {{ text }}", role="user")

    message = template.render({"text": LONG})

    assert len(message.text or "") == 4_000_011


@pytest.mark.parametrize(
    "value",
    [LONG * 2, [LONG] * 9, [[0] * 1000] * 1100],
    ids=["one long text", "many texts", "many items"],
)
def test_a_value_that_is_too_large_is_named(value: object) -> None:
    template = PromptTemplate("{{ text[:10] }}", role="user")

    with pytest.raises(PromptError, match="the value of 'text' cannot be used"):
        template.render({"text": value})


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(" ".join))
def test_any_source_renders_or_is_refused(source: str) -> None:
    values: dict[str, object] = {"a": [1, "x"], "b": {"c": "d"}, "c": "text"}

    outcome = outcome_of(source, values)

    assert outcome in ("rendered", "refused")


def outcome_of(source: str, values: dict[str, object]) -> str:
    try:
        PromptTemplate(source, role="user").render(values, required=None)
    except PromptError:
        return "refused"
    return "rendered"
