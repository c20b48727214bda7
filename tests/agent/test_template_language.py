"""The language of prompt templates: each construct that may be used, with its exact output."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from podium.agent.prompts import PromptTemplate

VALUES: dict[str, object] = {
    "name": "Ann",
    "text": "the quick\nbrown fox",
    "n": 7,
    "half": 0.5,
    "yes": True,
    "nothing": None,
    "empty": "",
    "words": ["pear", "Apple", "fig"],
    "numbers": [3, 1, 2],
    "shop": {"city": "Oslo", "open": {"from": 9}, "items": 4},
    "people": [
        {"name": "Bo", "team": "a", "age": 31},
        {"name": "Cy", "team": "b", "age": 29},
        {"name": "Di", "team": "a", "age": 40},
    ],
    "tree": [{"name": "x", "inner": [{"name": "y", "inner": []}]}],
    "day": date(2026, 1, 31),
    "price": Decimal("9.90"),
    "huge": Decimal("1E+999999"),
    "html": "<b>it's</b>",
}

OUTPUT = [
    ("{{ name }} {{ n }} {{ half }} {{ yes }} {{ nothing }}", "Ann 7 0.5 True None"),
    ("{{ day }} {{ price }} {{ words }}", "2026-01-31 9.90 ['pear', 'Apple', 'fig']"),
    ("{{ shop.city }} {{ shop['city'] }} {{ shop.open.from }}", "Oslo Oslo 9"),
    ("{{ shop['items'] }} {{ shop.get('x', '-') }}", "4 -"),
    ("{{ words[0] }} {{ words[-1] }} {{ words[1:] }}", "pear fig ['Apple', 'fig']"),
    ("{{ name[::-1] }} {{ text[4:9] }} {{ name[:1] }}", "nnA quick A"),
    ("a{# a comment #}b {{ '{{' }} {% raw %}{{ x }}{% endraw %}", "ab {{ {{ x }}"),
    ("  \n {{ name }}\t\n", "Ann"),
    ("{% set a = 1 %}\n\nText {{ a }}\n\n{% set b = 2 %}\n", "Text 1"),
]

EXPRESSIONS = [
    ("n + 1, n - 1, n * 2, n / 2, n // 2, n % 2, n ** 2", "(8, 6, 14, 3.5, 3, 1, 49)"),
    ("-n", "-7"),
    ("'a' + 'b' ~ 1 ~ none", "ab1None"),
    ("'ab' * 2 ~ 2 * '-'", "abab--"),
    ("[1] + [2] * 2", "[1, 2, 2]"),
    ("price * 2 + 1", "20.80"),
    ("n > 3 and n < 10 or false", "True"),
    ("1 < n < 5", "False"),
    ("not yes, n == 7, n != 7, n >= 7", "(False, True, False, True)"),
    ("'pear' in words, 'x' not in words, 'nn' in name", "(True, True, True)"),
    ("'city' in shop", "True"),
    ("missing == 1, missing in words", "(False, False)"),
    ("'big' if n > 5 else 'small'", "big"),
    ("'only' if n > 9", ""),
    ("{'a': [1, (2, 3)]}", "{'a': [1, (2, 3)]}"),
    ("day < day", "False"),
]

FILTERS = [
    ("name | upper | lower | capitalize", "Ann"),
    ("text | title", "The Quick\nBrown Fox"),
    ("' a ' | trim", "a"),
    ("words | join(', ')", "pear, Apple, fig"),
    ("people | join('+', attribute='name')", "Bo+Cy+Di"),
    ("words | length, name | count, shop | length", "(3, 3, 3)"),
    ("words | first, words | last, empty | first | default('-')", "('pear', 'fig', '-')"),
    ("missing | default('x')", "x"),
    ("empty | default('x', true)", "x"),
    ("words | sort, numbers | sort(reverse=true)", "(['Apple', 'fig', 'pear'], [3, 2, 1])"),
    ("people | sort(attribute='age') | map(attribute='name') | list", "['Cy', 'Bo', 'Di']"),
    ("numbers | sum, numbers | min, numbers | max", "(6, 1, 3)"),
    ("people | sum(attribute='age')", "100"),
    ("words | map('upper') | join", "PEARAPPLEFIG"),
    ("numbers | select('odd') | list, numbers | reject('odd') | list", "([3, 1], [2])"),
    ("people | selectattr('team', 'eq', 'a') | map(attribute='name') | join", "BoDi"),
    ("people | rejectattr('age', '>', 30) | map(attribute='name') | join", "Cy"),
    ("[1, 1, 2] | unique | list, numbers | reverse | list", "([1, 2], [2, 1, 3])"),
    ("name | reverse, name | list", "('nnA', ['A', 'n', 'n'])"),
    ("{'b': 1, 'a': 2} | dictsort, {'b': 1} | items", "([('a', 2), ('b', 1)], [('b', 1)])"),
    ("text | replace('quick', 'slow') | replace('\\n', ' ')", "the slow brown fox"),
    ("'aaa' | replace('a', 'b', 2)", "bba"),
    ("text | indent(2)", "the quick\n  brown fox"),
    ("text | indent('> ', first=true)", "> the quick\n> brown fox"),
    ("'a long sentence' | truncate(9)", "a..."),
    ("'7' | int + 1, 'x' | int(5), '1.5' | float, price | int", "(8, 5, 1.5, 9)"),
    ("3.14159 | round(2), -2 | abs, 7 | string ~ ''", "(3.14, 2, '7')"),
    ("text | wordcount", "4"),
    ("html | e", "&lt;b&gt;it&#39;s&lt;/b&gt;"),
    ("html | tojson", '"<b>it\'s</b>"'),
    ("shop | tojson", '{"city": "Oslo", "items": 4, "open": {"from": 9}}'),
    ("[day, price, none, 'ø'] | tojson", '["2026-01-31", "9.90", null, "ø"]'),
    ("range(3) | tojson, huge | int(-1)", "('[0, 1, 2]', -1)"),
    ("{'a': [1]} | tojson(indent=1)", '{\n "a": [\n  1\n ]\n}'),
]

TESTS_AND_METHODS = [
    ("name is defined, missing is defined, missing is undefined", "(True, False, True)"),
    ("nothing is none, name is string, n is number, shop is mapping", "(True, True, True, True)"),
    ("words is iterable, n is even, n is divisibleby(7)", "(True, False, True)"),
    ("n is gt 3, 'pear' is in words, yes is true", "(True, True, True)"),
    ("name.upper(), name.startswith('A'), text.split()[1]", "('ANN', True, 'quick')"),
    ("', '.join(words), name.replace('n', 'm'), ' a '.strip()", "('pear, Apple, fig', 'Amm', 'a')"),
    ("{'a': 1}.items(), {'a': 1}.keys(), {'a': 1}.values()", "([('a', 1)], ['a'], [1])"),
    ("words.index('fig'), numbers.count(3), (1, 1).count(1)", "(2, 1, 2)"),
]

STATEMENTS = [
    ("{% if n > 9 %}a{% elif n > 5 %}b{% else %}c{% endif %}", "b"),
    ("{% for w in words %}{{ loop.index }}{{ w }}{{ ',' if not loop.last }}{% endfor %}",
     "1pear,2Apple,3fig"),
    ("{% for w in words if w != 'fig' %}{{ w }}{{ loop.length }}{% else %}-{% endfor %}",
     "pear2Apple2"),
    ("{% for x in [] %}x{% else %}none{% endfor %}", "none"),
    ("{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"),
    ("{% for k in shop %}{{ k }}{{ k.upper() }} {% endfor %}.", "cityCITY openOPEN itemsITEMS ."),
    ("{% for i in range(1, 8, 3) %}{{ i }}{{ loop.cycle('x', 'y') }}{% endfor %}", "1x4y7x"),
    ("{% for p in people %}{% if loop.changed(p.team) %}{{ p.team }}{% endif %}{% endfor %}",
     "aba"),
    ("{% for a in numbers %}{% for b in numbers %}{{ a * b }}{% endfor %};{% endfor %}",
     "936;312;624;"),
    ("{% for t in tree recursive %}{{ t.name }}{{ loop.depth }}{{ loop(t.inner) }}{% endfor %}",
     "x1y2"),
    ("{% for team, all in people | groupby('team') %}{{ team }}{{ all | length }}{% endfor %}",
     "a2b1"),
    ("{% for g in people | groupby('team') %}{{ g.grouper }}{{ g.list | length }}{% endfor %}",
     "a2b1"),
    ("{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c %}x{{ a }}{% endset %}{{ c | upper }}", "12X1"),
    ("{% set ns = namespace(n=0) %}{% for i in numbers %}{% set ns.n = ns.n + i %}{% endfor %}"
     "{{ ns.n }}", "6"),
    ("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}", "3"),
    ("{% filter upper %}a{{ name }}{% endfilter %}", "AANN"),
    ("{% macro hi(x, y='!') %}Hi {{ x }}{{ y }}{% endmacro %}{{ hi(name) }}{{ hi('Bo', y='?') }}",
     "Hi Ann!Hi Bo?"),
    ("{% macro all() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ all(1, a=2) }}", "(1,){'a': 2}"),
    ("{% macro box() %}[{{ caller(1) }}]{% endmacro %}{% call(x) box() %}in{{ x }}{% endcall %}",
     "[in1]"),
    ("{% macro down(k) %}{{ k }}{% if k %}{{ down(k - 1) }}{% endif %}{% endmacro %}{{ down(3) }}",
     "3210"),
    ("a\n{%- if yes %} b {%- endif %}\nc", "a b\nc"),
]  # fmt: skip


def rendered(source: str) -> str | None:
    """Return the text between two marks, so that white space at its ends is seen."""
    message = PromptTemplate(f"<{source}>", role="user").render(VALUES, required=None)
    return (message.text or "")[1:-1]


@pytest.mark.parametrize(("source", "text"), OUTPUT)
def test_values_and_text(source: str, text: str) -> None:
    message = PromptTemplate(source, role="user").render(VALUES)

    assert message.text == text


@pytest.mark.parametrize(("expression", "text"), EXPRESSIONS)
def test_expressions(expression: str, text: str) -> None:
    assert rendered("{{ " + expression + " }}") == text


@pytest.mark.parametrize(("expression", "text"), FILTERS)
def test_filters(expression: str, text: str) -> None:
    assert rendered("{{ " + expression + " }}") == text


@pytest.mark.parametrize(("expression", "text"), TESTS_AND_METHODS)
def test_tests_and_methods(expression: str, text: str) -> None:
    assert rendered("{{ " + expression + " }}") == text


@pytest.mark.parametrize(("source", "text"), STATEMENTS)
def test_statements(source: str, text: str) -> None:
    assert rendered(source) == text


def test_a_long_ordinary_template_stays_within_the_limits() -> None:
    source = (
        "{% for p in people %}{% if p.age > 30 and p.team in ['a', 'b'] %}"
        "{{ loop.index }}. {{ p.name | upper }} of {{ p.team }}: "
        "{{ p.notes | trim | truncate(80) }}{% endif %}{% endfor %}"
    )
    people = [{"name": f"p{i}", "team": "a", "age": 31, "notes": "n" * 500} for i in range(2000)]

    message = PromptTemplate(source, role="user").render({"people": people})

    assert (message.text or "").count(" of a: nnn") == 2000
