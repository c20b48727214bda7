"""From a template's text to code that is safe to run: parsed, checked, rewritten, compiled."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TypeVar, cast

from jinja2 import Environment, Template, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from podium.agent.prompts import _operations as operations
from podium.agent.prompts._limits import MAX_SOURCE_CHARS, PromptError
from podium.agent.prompts._sandbox import PromptEnvironment
from podium.agent.prompts._syntax import MessageBlock, check_tree, message_blocks, trim_edges
from podium.tools import clean_text, printable

NodeT = TypeVar("NodeT", bound=nodes.Node)

_NODES_PER_STEP = 8


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """A template ready to be rendered, any number of times and in any thread."""

    template: Template
    variables: frozenset[str]
    """Names the template reads and does not set itself."""
    has_block: bool
    """Whether a message block stands in it; else all its text is the message."""


def compile_prompt(source: str, role: str) -> CompiledPrompt:
    """Return the compiled template.

    Raises:
        PromptError: the source is too long, is no valid template, holds more than one message
            block or one of another role, or uses what prompts may not.
    """
    if len(source) > MAX_SOURCE_CHARS:
        raise PromptError(
            f"The {role} prompt is not a valid template: its source has {len(source):,} "
            f"characters, and {MAX_SOURCE_CHARS:,} is the most. Pass long texts as values."
        )
    environment = PromptEnvironment()
    environment.add_extension(MessageBlock)
    try:
        tree = environment.parse(clean_text(source))
        check_tree(tree, environment)
        blocks = message_blocks(tree)
        for body in [block.body for block in blocks] or [tree.body]:
            trim_edges(body)
        literal_roles = [_literal(block.filter.args[0]) for block in blocks]
        environment.call_steps = _turn_steps(tree)
        _Rewriter().visit(tree)
        template, variables = _compile(tree, environment)
    except Exception as error:  # the parser and Python's compiler fail in many ways
        raise PromptError(_not_valid(role, error)) from error
    _check_roles(literal_roles, role)
    return CompiledPrompt(template, variables, bool(blocks))


class _Rewriter(NodeTransformer):
    """Puts podium's operations where a template loops, builds, joins, slices or compares."""

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Node:
        # As a constant it is weighed like any output; as data, a loop could repeat it for free.
        return nodes.Const(node.data, lineno=node.lineno)

    def visit_For(self, node: nodes.For) -> nodes.Node:
        steps = nodes.Const(_turn_steps(node), lineno=node.lineno)
        self.generic_visit(node)
        node.iter = _operation(operations.LOOP, node.iter, steps)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        items = nodes.Tuple(node.nodes, "load", lineno=node.lineno)
        return _operation(operations.CONCAT, items)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        node.expr = _operation(operations.COMPARE, node.expr)
        for operand in node.ops:
            operand.expr = _operation(operations.COMPARE, operand.expr)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        bounds = node.arg
        if not isinstance(bounds, nodes.Slice):
            node.arg = _operation(operations.COMPARE, bounds)  # a key is hashed and compared
            return node
        nothing = nodes.Const(None, lineno=node.lineno)
        return _operation(
            operations.SLICE,
            node.node,
            bounds.start or nothing,
            bounds.stop or nothing,
            bounds.step or nothing,
        )

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        self.generic_visit(node)
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        if name not in operations.FUNCTIONS:
            return node
        call = _operation(operations.FUNCTIONS[name], nodes.Const(None, lineno=node.lineno))
        call.args, call.kwargs = node.args, cast("list[nodes.Pair]", node.kwargs)
        call.dyn_args, call.dyn_kwargs = node.dyn_args, node.dyn_kwargs
        return call

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return _operation(operations.BUILD, _visited(self, node))

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return _operation(operations.BUILD, _visited(self, node))

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _operation(operations.BUILD, node) if node.ctx == "load" else node


def _visited(rewriter: _Rewriter, node: NodeT) -> NodeT:
    rewriter.generic_visit(node)
    return node


class _Generator(CodeGenerator):
    """Writes the code, and notes the variables it looks up on the way."""

    def __init__(self, environment: Environment) -> None:
        self.code = StringIO()
        super().__init__(environment, None, None, self.code, optimized=False)
        self.variables: set[str] = set()

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        loads = frame.symbols.loads.values()
        self.variables.update(name for action, name in loads if action == "resolve" and name)


def _compile(tree: nodes.Template, environment: Environment) -> tuple[Template, frozenset[str]]:
    generator = _Generator(environment)
    generator.visit(tree)
    code = compile(generator.code.getvalue(), "<template>", "exec")
    return Template.from_code(environment, code, {}), frozenset(generator.variables)


def _operation(name: str, value: nodes.Node, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(
        cast("nodes.Expr", value), name, list(args), [], None, None, lineno=value.lineno
    )


def _turn_steps(node: nodes.Node) -> int:
    """Return what one turn of a loop, or one call of a macro, costs: its share of the source."""
    return 1 + sum(1 for _ in node.find_all(nodes.Node)) // _NODES_PER_STEP


def _literal(role: nodes.Expr) -> object:
    return role.value if isinstance(role, nodes.Const) else None


def _check_roles(literal_roles: list[object], role: str) -> None:
    if len(literal_roles) > 1:
        raise PromptError(
            f"The {role} prompt holds {len(literal_roles)} message blocks, and a prompt is one "
            "message. Keep one block, and pass the other messages to run()."
        )
    wrong = next((found for found in literal_roles if found not in (None, role)), None)
    if wrong is not None:
        raise PromptError(
            f"The {role} prompt holds a message block of role {wrong!r}. "
            f'Write {{% message role="{role}" %}} in it.'
        )


def _not_valid(role: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        reason = "its expressions or tags nest too deep"
    elif isinstance(error, TemplateSyntaxError):
        line = f" (line {error.lineno})" if error.lineno else ""
        reason = (error.message or "").rstrip(".") + line
    elif isinstance(error, ValueError):
        reason = "a number in it has too many digits"
    else:
        reason = str(getattr(error, "msg", error))
    return (
        f"The {role} prompt is not a valid template: {printable(reason, limit=220)}. "
        "Correct the template syntax there."
    )
