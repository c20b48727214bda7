"""The examples in the docstrings of podium.agent.testing run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from podium.agent import testing
from podium.agent.models import _estimate
from podium.agent.testing import _script, fake_openai, scripted


@pytest.mark.parametrize(
    "module", [testing, scripted, fake_openai, _script, _estimate], ids=lambda m: m.__name__
)
def test_the_examples_in_docstrings_run(module: ModuleType) -> None:
    done = doctest.testmod(module)

    assert done.attempted > 0
    assert done.failed == 0
