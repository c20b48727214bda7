"""What a docstring tells the model, in the three styles that people write."""

from __future__ import annotations

from typing import Annotated

import pytest

from podium.tools import tool

GOOGLE = """Refund an order.

    Money goes back at once.

    Args:
        order_id: Number of
            the order.
        amount (float): How much.

    Returns:
        A receipt.
    """
NUMPY = """Refund an order.

    Money goes back at once.

    Parameters
    ----------
    order_id : int
        Number of the order.
    amount, fee : float
        How much.
    """
SPHINX = """Refund an order.

    Money goes back at once.

    :param order_id: Number of the order.
    :param float amount: How much.
    :returns: A receipt.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_docstrings_give_the_description_and_those_of_the_parameters(text: str) -> None:
    def refund(order_id: int, amount: float, fee: Annotated[float, "Ours"] = 0) -> None: ...

    refund.__doc__ = text

    made = tool(refund)

    assert made.description == "Refund an order.\n\nMoney goes back at once."
    assert [one.get("description") for one in made.parameters["properties"].values()] == [
        "Number of the order.",
        "How much.",
        "Ours",
    ]


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (None, ""),
        ("Say hello.", "Say hello."),
        (
            "Say hello.\n\n        To all:\n          - loudly\n        ",
            "Say hello.\n\nTo all:\n  - loudly",
        ),
        ("Args:\n    broken", "Args:\nbroken"),
    ],
)
def test_a_docstring_without_parameters_is_taken_as_it_is(
    text: str | None, description: str
) -> None:
    def greet(name: str) -> None: ...

    greet.__doc__ = text

    assert tool(greet).description == description
