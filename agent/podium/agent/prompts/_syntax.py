"""What a prompt's source may hold: the `message` block, a bounded size, and safe tags only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.parser import Parser

from podium.agent.prompts._limits import MAX_DEPTH, MAX_TOKENS
from podium.agent.prompts._operations import MESSAGE, OPERATIONS
from podium.tools.errors import nearest

_ALLOWED = frozenset(
    (
        "Add And Assign AssignBlock Call CallBlock Compare Concat CondExpr Const Dict Div Filter "
        "FilterBlock FloorDiv For Getattr Getitem If Keyword List Macro Mod Mul NSRef Name Neg Not "
        "Operand Or Output Pair Pos Pow Slice Sub Template TemplateData Test Tuple With"
    ).split()
)


_TAGS = {"FromImport": "from", "Scope": "autoescape"}


class MessageBlock(Extension):
    """Parses `{% message role="user" name="Ann" %}...{% endmessage %}`, and counts the tokens."""

    tags = {"message"}  # noqa: RUF012 - jinja declares it so

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Hand the tokens on as the parser asks for them, and stop a template that is too long."""
        for count, token in enumerate(stream):
            if count >= MAX_TOKENS:
                raise TemplateSyntaxError(
                    f"it has more than {MAX_TOKENS:,} names, operators and tags", token.lineno
                )
            yield token

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the block as a filter block that takes its text in as a message."""
        lineno = next(parser.stream).lineno
        options: dict[str, nodes.Expr] = {}
        while not parser.stream.current.test("block_end"):
            option = parser.stream.expect("name")
            if option.value not in ("role", "name") or option.value in options:
                parser.fail(f"a message block takes role and name once, not {option.value!r}")
            parser.stream.expect("assign")
            options[option.value] = parser.parse_expression()
        if "role" not in options:
            parser.fail("a message block without role; write {% message role='user' %}", lineno)
        body = parser.parse_statements(("name:endmessage",), drop_needle=True)
        arguments = [options["role"], options.get("name", nodes.Const(None, lineno=lineno))]
        take = nodes.Filter(None, MESSAGE, arguments, [], None, None, lineno=lineno)
        return nodes.FilterBlock(body, take, lineno=lineno)


def check_tree(tree: nodes.Template, environment: Environment) -> None:
    """Refuse a template that holds or uses what prompts may not.

    Raises:
        TemplateSyntaxError: a tag, filter or test that is not allowed, or too many levels.
    """
    waiting: list[tuple[nodes.Node, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise TemplateSyntaxError(f"it nests more than {MAX_DEPTH} levels deep", node.lineno)
        _check_node(node, environment)
        waiting += [(child, depth + 1) for child in node.iter_child_nodes()]


def message_blocks(tree: nodes.Template) -> list[nodes.FilterBlock]:
    """Return the message blocks, in the order they stand."""
    return [block for block in tree.find_all(nodes.FilterBlock) if block.filter.name == MESSAGE]


def trim_edges(body: list[nodes.Node]) -> None:
    """Cut the white space that a message's own text begins and ends with.

    Values are not touched: what they hold appears as it is.
    """
    for text in _edge_texts(body, last=False):
        text.data = text.data.lstrip()
    for text in _edge_texts(body, last=True):
        text.data = text.data.rstrip()


def _edge_texts(body: list[nodes.Node], *, last: bool) -> Iterator[nodes.TemplateData]:
    """Yield the texts at one edge, up to the first that is not blank or another thing printed."""
    silent = (nodes.Assign, nodes.AssignBlock, nodes.Macro)
    printing = [statement for statement in body if not isinstance(statement, silent)]
    pieces = list(
        chain.from_iterable(
            statement.nodes if isinstance(statement, nodes.Output) else [statement]
            for statement in printing
        )
    )
    for piece in reversed(pieces) if last else pieces:
        if not isinstance(piece, nodes.TemplateData):
            return
        yield piece
        if piece.data:
            return


def _check_node(node: nodes.Node, environment: Environment) -> None:
    kind = type(node).__name__
    if kind not in _ALLOWED:
        raise TemplateSyntaxError(
            f"{{% {_TAGS.get(kind, kind.lower())} %}} is refused, since a prompt stands alone",
            node.lineno,
        )
    if isinstance(node, nodes.Filter) and node.name not in environment.filters:
        known = nearest(node.name, set(environment.filters) - set(OPERATIONS))
        raise TemplateSyntaxError(f"there is no filter {node.name!r}.{known}", node.lineno)
    if isinstance(node, nodes.Test) and node.name not in environment.tests:
        known = nearest(node.name, environment.tests)
        raise TemplateSyntaxError(f"there is no test {node.name!r}.{known}", node.lineno)
