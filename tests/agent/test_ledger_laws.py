"""The laws of the ledger, tried on random trees against sums that are kept independently.

`PODIUM_LEDGER_EXAMPLES` and `PODIUM_LEDGER_STEPS` say how many trees and how many changes of each
are tried: 150 and 40 by default. CI sets 5,000 and 60.
"""

from __future__ import annotations

import itertools
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ledger_truth import COUNTED, EXAMPLES, Refusal, Sums, TrueAccount, figures, portions

from podium.agent.ledger import (
    Account,
    Allotment,
    Amounts,
    Denied,
    Fair,
    Fraction,
    Granted,
    LedgerEvent,
    Reservation,
    Resource,
    Shared,
    fold,
)

STEPS = int(os.environ.get("PODIUM_LEDGER_STEPS", "40"))
MAX_DEPTH = 15

counts = st.integers(0, 200)
amounts_of_some = st.dictionaries(st.sampled_from(COUNTED), counts, max_size=3)
asked = st.fixed_dictionaries({"tokens": counts, "requests": st.integers(0, 1)}).flatmap(
    lambda some: st.just(some) | counts.map(lambda cost: {**some, "cost_nusd": cost})
)
allotments = st.one_of(
    st.builds(Shared, amounts_of_some),
    st.builds(Granted, amounts_of_some),
    st.builds(Fraction, st.floats(0.01, 1)),
    st.builds(Fair, st.integers(0, 3), st.integers(1, 4)),
)
names = st.sets(st.sampled_from(COUNTED), max_size=1)
which = st.integers(0, 1_000)


class Ledger(RuleBasedStateMachine):
    """Random changes of a random tree; the invariants hold after each."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[LedgerEvent] = []
        self.refusals: list[Refusal] = []
        self.over: list[Reservation] = []
        self.seen: dict[str, int] = {}
        self.marks: list[tuple[int, int]] = []
        self.numbers = itertools.count(1)
        self.is_honest = True
        """Whether every account has kept its limits so far."""

    @initialize(limits=st.dictionaries(st.sampled_from(COUNTED), st.integers(0, 1_500)))
    def start(self, limits: dict[Resource, int]) -> None:
        root = Account.root("root", limits, observer=self.events.append)
        self.root = TrueAccount(root, None, dict(limits))

    @rule(at=which, allotment=allotments)
    def open_child(self, at: int, allotment: Allotment) -> None:
        parent = self.pick(at)
        before = self.snapshot()
        escrow = allotment.escrow(parent.left_beside_a_child)

        child = parent.account.open_child(f"{parent.path}/{next(self.numbers)}", allotment)

        if isinstance(child, Denied):
            assert self.snapshot() == before
        else:
            limits: dict[Resource, int] = {**allotment.limits, **escrow}
            parent.spent["agents"] += 1
            parent.children.append(TrueAccount(child, parent, limits, escrow))

    @rule(at=which, want=asked, part=st.floats(0, 1), is_last=st.booleans())
    def reserve(self, at: int, want: dict[Resource, int], part: float, is_last: bool) -> None:
        owner = self.pick(at)
        least: dict[Resource, int] = {name: int(amount * part) for name, amount in want.items()}
        before = self.snapshot()

        got = owner.account.reserve(want, least, from_reserve=is_last)

        if isinstance(got, Denied):
            assert self.snapshot() == before
            self.refusals.append(Refusal.of(got, least))
            return
        assert all(least[name] <= got.amounts[name] <= want[name] for name in want)
        if is_last:
            owner.aside = {}
            self.refusals.clear()
        assert not any(refusal.forbids(owner, got.amounts) for refusal in self.refusals)
        owner.reserved[got.key] = got

    @rule(at=which, wanted=amounts_of_some)
    def set_aside(self, at: int, wanted: dict[Resource, int]) -> None:
        owner = self.pick(at)

        kept = owner.account.set_aside(wanted)

        assert all(kept[name] <= wanted[name] for name in wanted)
        owner.aside = dict(kept)
        self.refusals.clear()

    @precondition(lambda self: self.held())
    @rule(at=which, use=st.floats(0, 1), unnamed=names, extra=amounts_of_some)
    def settle(
        self, at: int, use: float, unnamed: set[Resource], extra: dict[Resource, int]
    ) -> None:
        """An honest provider, which may leave a count out, or count what nobody reserved."""
        owner, held = self.pick_held(at)
        beside: dict[Resource, int] = {
            name: count for name, count in extra.items() if name not in held.amounts
        }
        used: dict[Resource, int] = {
            name: int(n * use) for name, n in held.amounts.items() if name not in unnamed
        }
        excess = owner.excess_of(beside)

        held.settle(used | beside)

        self.settled(owner, held, used | beside, excess)

    @precondition(lambda self: self.held())
    @rule(at=which, more=st.integers(1, 300))
    def settle_with_a_lie(self, at: int, more: int) -> None:
        owner, held = self.pick_held(at)
        used: dict[Resource, int] = {name: amount + more for name, amount in held.amounts.items()}
        excess: dict[Resource, int] = {
            name: more for name in used if owner.account.available(name) is not None
        }

        held.settle(used)

        self.settled(owner, held, used, excess)

    @precondition(lambda self: self.held())
    @rule(at=which)
    def settle_unmeasured(self, at: int) -> None:
        owner, held = self.pick_held(at)

        held.settle(None)

        self.settled(owner, held, {}, {})

    @precondition(lambda self: self.held())
    @rule(at=which)
    def cancel(self, at: int) -> None:
        owner, held = self.pick_held(at)

        held.cancel()

        self.ended(owner, held)

    @precondition(lambda self: self.over)
    @rule(at=which)
    def end_again(self, at: int) -> None:
        before = self.snapshot()

        self.over[at % len(self.over)].settle({"tokens": 999})
        self.over[at % len(self.over)].cancel()

        assert self.snapshot() == before

    @rule(at=which, used=amounts_of_some)
    def charge(self, at: int, used: dict[Resource, int]) -> None:
        everyone = list(self.root.walk())
        owner = everyone[at % len(everyone)]
        excess = owner.excess_of(used)

        owner.account.charge(used)

        owner.spent.update(used)
        self.overdrawn(owner, excess)

    @rule(at=which, limits=amounts_of_some)
    def lower_limits(self, at: int, limits: dict[Resource, int]) -> None:
        owner = self.pick(at)
        lower: dict[Resource, int] = {
            name: min(n, owner.limits.get(name, n)) for name, n in limits.items()
        }

        owner.account.lower_limits(lower)

        owner.limits.update(lower)
        sums = self.root.sums()[owner.path]
        for name in lower:
            owner.excused[name] = max(0, owner.over(name, sums[name]))
            self.is_honest = self.is_honest and not owner.excused[name]

    @rule(at=which)
    def close(self, at: int) -> None:
        owner = self.pick(at)
        if owner is not self.root:
            self.close_account(owner)

    @invariant()
    def figures_are_the_sums(self) -> None:
        """I1, I5 and I10: what an account says is the sum of what was done here and below."""
        sums = self.root.sums()
        for each in self.root.walk():
            assert each.account._node.live == each.live
            assert each.account.is_complete == each.is_measured_below
            for name in COUNTED:
                line, key = each.account._node.lines[name], f"{name} of {each.path}"
                shown = Sums(line.settled, line.held, line.in_flight, line.overdraft)
                assert shown == sums[each.path][name], key
                assert line.settled >= self.seen.get(key, 0), key
                self.seen[key] = line.settled

    @invariant()
    def limits_hold(self) -> None:
        """I2, I3 and I4: only what a call used beyond its reservation is over a limit."""
        sums = self.root.sums()
        for each in self.root.walk():
            own = sums[each.path]
            assert all(each.over(name, own[name]) <= each.excused[name] for name in each.limits)

    @invariant()
    def what_is_left_is_what_the_accounts_above_leave(self) -> None:
        """I8 and I9: a grant is there whatever others do; a sharer has no more than its parent."""
        sums = self.root.sums()
        for each in self.root.walk():
            for name in COUNTED:
                left, expected = each.account.available(name), each.left(name, sums)
                above = None if each.parent is None else each.parent.account.available(name)
                assert (left is None) == (expected is None)
                if left is not None and expected is not None:
                    assert left <= expected
                    assert left == expected or not self.is_honest
                    assert name in each.escrow or above is None or left <= above

    def teardown(self) -> None:
        """I6: when all is over nothing is held. I12: the events tell it all, once or twice."""
        if not hasattr(self, "root"):
            return
        self.check_journal()
        for owner, held in self.held():
            held.cancel()
            self.ended(owner, held)
        for each in list(self.root.walk()):
            self.close_account(each)
        self.figures_are_the_sums()
        assert not any(each.account.held(name) for each in self.root.walk() for name in COUNTED)
        for name, limit in self.root.limits.items():
            assert self.root.account.available(name) == limit - self.root.account.settled(name)
        self.check_journal()

    def check_journal(self) -> None:
        now = self.snapshot()
        twice = [*self.events, *self.events]
        assert {path: figures(each) for path, each in fold(self.events).items()} == now
        assert {path: figures(each) for path, each in fold(twice).items()} == now
        for length, spent in self.marks[:: len(self.marks) // 3 + 1]:
            then = fold(self.events[:length])["root"]
            assert then.settled("tokens") + then.held("tokens") >= spent

    def pick(self, at: int) -> TrueAccount:
        """Return one of the open accounts; the root is always open."""
        some = [
            each
            for each in self.root.walk()
            if not each.account.is_closed and len(list(each.line())) <= MAX_DEPTH
        ]
        return some[at % len(some)]

    def held(self) -> list[tuple[TrueAccount, Reservation]]:
        return [(each, held) for each in self.root.walk() for held in each.reserved.values()]

    def pick_held(self, at: int) -> tuple[TrueAccount, Reservation]:
        some = self.held()
        return some[at % len(some)]

    def settled(
        self, owner: TrueAccount, held: Reservation, used: Amounts, excess: Amounts
    ) -> None:
        """Take down what a call used; what it did not name was used in full."""
        owner.spent.update({**held.amounts, **used})
        owner.is_measured = owner.is_measured and held.amounts.keys() <= used.keys()
        self.ended(owner, held)
        self.overdrawn(owner, excess)

    def ended(self, owner: TrueAccount, held: Reservation) -> None:
        del owner.reserved[held.key]
        self.over.append(held)
        self.refusals.clear()
        self.marks.append((len(self.events), self.root.sums()["root"]["tokens"].settled))

    def overdrawn(self, owner: TrueAccount, excess: Amounts) -> None:
        owner.excess.update(excess)
        self.is_honest = self.is_honest and not any(excess.values())

    def close_account(self, owner: TrueAccount) -> None:
        owner.account.close()
        owner.escrow, owner.aside = {}, {}
        self.refusals.clear()

    def snapshot(self) -> dict[str, dict[str, object]]:
        return {each.path: figures(each.account) for each in self.root.walk()}


@pytest.mark.parametrize("examples", portions(EXAMPLES))
def test_a_ledger_keeps_its_laws(examples: int) -> None:
    run_state_machine_as_test(
        Ledger,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )


@given(uses=st.lists(st.integers(0, 300), min_size=2, max_size=6), data=st.data())
def test_the_order_of_settling_does_not_matter(uses: list[int], data: st.DataObject) -> None:
    """I11."""
    orders = [uses, data.draw(st.permutations(uses))]

    totals = [settled_in_order(order) for order in orders]

    assert totals[0] == totals[1]


def settled_in_order(uses: list[int]) -> dict[str, object]:
    root = Account.root("root", {"tokens": 1_000})
    child = root.open_child("root/a", Granted({"tokens": 500}))
    assert isinstance(child, Account)
    held = [
        (child if use % 2 else root).reserve({"tokens": 100}, {"tokens": 0}) for use in sorted(uses)
    ]
    by_use = dict[int, list[Reservation]]()
    for use, each in zip(sorted(uses), held, strict=True):
        assert isinstance(each, Reservation)
        by_use.setdefault(use, []).append(each)
    for use in uses:
        by_use[use].pop().settle({"tokens": use})
    return {"root": figures(root), "child": figures(child)}
