"""The small full-text index: what counts as a word, and what is found first."""

from __future__ import annotations

import pytest

from podium.tools._bm25 import Bm25Index, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("get_weather getWeather GetWeather get-weather", ["get", "weather"] * 4),
        ("parseHTTPHeaders2", ["parse", "http", "header", "2"]),
        ("cities, boxes and glass", ["city", "boxe", "glass"]),
        ("How do I use it?", []),
        ("Straße bus", ["straße", "bus"]),
        ("오늘 날씨", ["오", "늘", "날", "씨"]),
        ("天気を見る", ["天", "気", "を", "見", "る"]),
        (" -_ ", []),
    ],
)
def test_names_and_texts_fall_into_the_same_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    index = Bm25Index(["send a mail", "send a letter", "send a parcel", "read a letter"])

    assert index.search("send letter", 2) == [1, 3]


def test_a_short_text_goes_before_a_long_one_and_an_earlier_one_wins_a_tie() -> None:
    index = Bm25Index(["weather and much else besides", "weather", "weather", "news"])

    assert index.search("the weather", 3) == [1, 2, 0]


def test_only_texts_that_share_a_word_are_found() -> None:
    index = Bm25Index(["send a mail", "read a letter"])

    assert index.search("send a flight", 5) == [0]
    assert index.search("flight", 5) == []
    assert index.search("", 5) == []
    assert (len(index), Bm25Index([]).search("mail", 5)) == (2, [])


def test_of_many_texts_a_word_that_stands_everywhere_tells_nothing_beside_others() -> None:
    index = Bm25Index([f"tool big number {number}" for number in range(1_000)])

    assert index.search("big tool 7 8", 2_000) == [7, 8]
    assert len(index.search("big tool", 2_000)) == 1_000


def test_a_search_can_be_kept_to_some_of_the_texts() -> None:
    index = Bm25Index(["mail one", "mail two", "news", "news"])

    assert index.search("mail", 5, among=[1, 2]) == [1]
