"""Faults that users of such frameworks reported, each run against podium over a fake provider.

The cases stand beside the checkout, or in the file that PODIUM_CASES names. Without them this says
that they were not run, which is not that they passed.
"""

from __future__ import annotations

import pytest
from case_runner.case_file import Case, case_file, core_cases
from case_runner.expect import faults, template_faults
from case_runner.run import run_case

pytestmark = pytest.mark.anyio

CASES = core_cases()


@pytest.mark.skipif(case_file() is not None, reason="the cases are there, and run below")
def test_the_cases_are_not_here() -> None:
    pytest.skip("NOT RUN: there is no file of cases; name one with PODIUM_CASES")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("case", CASES, ids=[f"{case.id}-{case.kind}" for case in CASES])
async def test_a_reported_fault_is_mended(case: Case) -> None:
    if "each_template" in case.input:
        assert template_faults(case.input["each_template"], case.expect["each"]) == []
        return

    outcome = await run_case(case)

    assert faults(outcome, case.expect) == []
