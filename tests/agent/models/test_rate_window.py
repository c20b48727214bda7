"""The arithmetic of a rate limit: what a minute holds, whatever comes."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agent.models._rate_window import PAUSE_SECONDS, WINDOW_SECONDS, RateWindow, StartedCall

GAPS = st.lists(st.floats(0, 90, allow_nan=False), max_size=60)
CALLS = st.lists(
    st.tuples(st.floats(0, 30, allow_nan=False), st.integers(0, 80), st.integers(0, 80)),
    min_size=1,
    max_size=50,
)


def in_window(calls: list[StartedCall], end: StartedCall) -> list[StartedCall]:
    """Return the calls of the minute up to and with this one."""
    return [call for call in calls if call.at <= end.at < call.at + WINDOW_SECONDS]


def run(
    window: RateWindow,
    arrivals: list[tuple[float, int]],
    then: Callable[[list[StartedCall]], object] = len,
) -> list[StartedCall]:
    """Start calls as soon as each may, one after the other; each comes after a gap.

    `then` is told of all calls so far after each start.
    """
    now, started = 0.0, list[StartedCall]()
    for gap, tokens in arrivals:
        now += gap
        while (wait := window.wait_seconds(now, tokens)) > 0:
            now += wait
        started.append(window.start(now, tokens))
        then(started)
    return started


@settings(deadline=None)
@given(limit=st.integers(1, 7), gaps=GAPS)
def test_no_minute_holds_more_requests_than_allowed(limit: int, gaps: list[float]) -> None:
    started = run(RateWindow(limit, None), [(gap, 0) for gap in gaps])

    assert all(len(in_window(started, call)) <= limit for call in started)


@settings(deadline=None)
@given(limit=st.integers(1, 100), calls=CALLS)
def test_no_minute_holds_more_tokens_than_allowed_unless_one_call_has_them_all(
    limit: int, calls: list[tuple[float, int, int]]
) -> None:
    started = run(RateWindow(None, limit), [(gap, tokens) for gap, tokens, _ in calls])

    for call in started:
        within = in_window(started, call)
        assert sum(each.tokens for each in within) <= limit or {
            each.tokens for each in within if each is not call
        } <= {0}


@settings(deadline=None)
@given(limit=st.integers(1, 100), calls=CALLS)
def test_corrections_leave_the_sum_of_the_window_right(
    limit: int, calls: list[tuple[float, int, int]]
) -> None:
    window = RateWindow(None, limit)
    corrections = iter([in_truth for *_, in_truth in calls])

    started = run(
        window,
        [(gap, tokens) for gap, tokens, _ in calls],
        lambda so_far: window.settle(so_far[len(so_far) // 2], next(corrections)),
    )

    last = started[-1]
    window.wait_seconds(last.at, 0)
    assert window.used == sum(call.tokens for call in in_window(started, last))


@settings(deadline=None)
@given(refusals=st.lists(st.tuples(st.floats(0, 90), st.booleans()), max_size=60))
def test_refusals_only_slow_it_down_and_never_to_a_stop(
    refusals: list[tuple[float, bool]],
) -> None:
    window, verdicts = RateWindow(5, None), iter([is_refused for _, is_refused in refusals])

    started = run(
        window,
        [(gap, 0) for gap, _ in refusals],
        lambda so_far: (
            window.refuse(so_far[-1], so_far[-1].at, None) if next(verdicts) else window.succeed()
        ),
    )

    assert all(len(in_window(started, call)) <= 5 for call in started)
    assert 0 < window.part <= 1


def test_a_call_may_start_when_the_oldest_has_left_the_minute() -> None:
    window = RateWindow(2, None)
    window.start(0.0, 0)
    window.start(10.0, 0)

    assert window.wait_seconds(20.0, 0) == 40.0
    assert window.wait_seconds(60.0, 0) == 0.0


def test_a_call_larger_than_the_limit_waits_for_an_empty_minute() -> None:
    window = RateWindow(None, 100)
    window.start(0.0, 10)

    assert window.wait_seconds(5.0, 1_000) == 55.0
    assert window.wait_seconds(60.0, 1_000) == 0.0


def test_tokens_that_were_not_needed_make_room_at_once() -> None:
    window = RateWindow(None, 100)
    call = window.start(0.0, 90)
    waited = window.wait_seconds(1.0, 50)

    window.settle(call, 20)

    assert waited == 59.0
    assert window.wait_seconds(1.0, 50) == 0.0


def test_a_refusal_halves_the_rate_and_all_wait_as_long_as_the_provider_says() -> None:
    window = RateWindow(10, None)
    call = window.start(0.0, 0)

    window.refuse(call, 1.0, 7.0)

    assert window.part == 0.5
    assert window.wait_seconds(1.0, 0) == 7.0


def test_a_refusal_without_a_word_makes_a_short_pause() -> None:
    window = RateWindow(10, None)

    window.refuse(window.start(0.0, 0), 0.0, None)

    assert window.wait_seconds(0.0, 0) == PAUSE_SECONDS


def test_refusals_of_calls_that_started_together_halve_it_once() -> None:
    window = RateWindow(100, None)
    calls = [window.start(0.0, 0) for _ in range(8)]

    for call in calls:
        window.refuse(call, 1.0, 1.0)

    assert window.part == 0.5


def test_the_rate_comes_back_bit_by_bit() -> None:
    window = RateWindow(10, None)
    window.refuse(window.start(0.0, 0), 0.0, None)

    for _ in range(10):
        window.succeed()
    on_the_way = window.part
    for _ in range(100):
        window.succeed()

    assert 0.6 < on_the_way < 0.8
    assert window.part == 1.0
