"""Fetching over the wire: redirects, limits, packed bodies, and what is said when it fails."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from web_site import Site

from podium.tools import FetchError
from podium.tools._web.fetch import Fetched, FetchRules, fetch, fetch_blocking

anyio_test = pytest.mark.anyio


async def at_loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def rules(**changes: Any) -> FetchRules:
    usual: dict[str, Any] = {
        "accepts": ("text/",),
        "max_bytes": 1_000,
        "own_hosts": {"own.test", "other.test", "127.0.0.1"},
        "resolver": at_loopback,
    }
    return FetchRules(**usual | changes)


@pytest.fixture
def get(site: Site) -> Callable[..., Fetched]:
    def get(path: str, *, host: str = "own.test", **changes: Any) -> Fetched:
        return fetch_blocking(f"http://{host}:{site.server_port}{path}", rules(**changes))

    return get


Get = Callable[..., Fetched]


def test_a_page_comes_with_its_type_its_charset_and_its_address(site: Site, get: Get) -> None:
    site.page("/a?b=1", b"hello", content_type="Text/HTML; charset=iso-8859-1")

    page = get("/a?b=1#part")

    assert (page.data, page.content_type, page.charset) == (b"hello", "text/html", "iso-8859-1")
    assert page.url == f"http://own.test:{site.server_port}/a?b=1#part"
    assert not page.is_cut


def test_the_server_is_asked_by_its_own_name_without_cookies_or_proxies(
    site: Site, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    site.page("/a", status=302, location="/b", set_cookie="id=1; Domain=127.0.0.1")
    site.page("/b", b"hello", content_type="text/plain")

    get("/a")

    (_, first), (_, second) = site.seen
    assert first["host"] == second["host"] == f"own.test:{site.server_port}"
    assert (first["accept-encoding"], "cookie" in second, "referer" in second) == (
        *("gzip", False, False),
    )


def test_redirects_are_followed_to_other_hosts_too(site: Site, get: Get) -> None:
    other = f"http://other.test:{site.server_port}/b"
    site.page("/a", status=301, location=other)
    site.page("/b", b"there", content_type="text/plain")

    assert get("/a").url == other


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("http://169.254.169.254/latest/meta-data/", "not public"),
        ("http://10.0.0.1/", "not public"),
        ("//[::ffff:10.0.0.1]/", "not public"),
        ("file:///etc/passwd", "of the kind 'file'"),
        ("http://user:s3cret@own.test/", "user name or password"),
        ("http://public.test:25/", "asks for port 25"),
    ],
)
def test_threat_57_a_redirect_is_checked_like_the_first_address(
    site: Site, get: Get, location: str, words: str
) -> None:
    site.page("/a", status=302, location=location)

    with pytest.raises(FetchError, match=words):
        get("/a")

    assert len(site.seen) == 1


def test_redirects_that_never_end_are_given_up(site: Site, get: Get) -> None:
    site.page("/a", status=302, location="/a")

    with pytest.raises(FetchError, match=r"own.test.*reached by 5 redirects and leads on"):
        get("/a")

    assert len(site.seen) == 6


def test_a_long_page_is_cut_or_refused(site: Site, get: Get) -> None:
    site.page("/a", b"x" * 1_001, content_type="text/plain")
    site.page("/b", b"x" * 1_000, content_type="text/plain")

    cut, whole = get("/a", cuts=True), get("/b")

    assert (cut.data, cut.is_cut) == (b"x" * 1_000, True)
    assert (len(whole.data), whole.is_cut) == (1_000, False)
    with pytest.raises(FetchError, match=r"more than the 1,000 bytes that are read. Use a smaller"):
        get("/a")


def test_a_packed_page_is_unpacked(site: Site, get: Get) -> None:
    packed = gzip.compress(b"hello " * 100)
    site.page("/a", packed, content_type="text/plain", content_encoding="gzip")

    assert get("/a").data == b"hello " * 100


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_a_packing_that_was_not_asked_for_is_refused(site: Site, get: Get, encoding: str) -> None:
    site.page("/a", b"x", content_type="text/plain", content_encoding=encoding)

    with pytest.raises(FetchError, match=rf"packed as '{encoding}', which was not asked for"):
        get("/a")


def test_a_damaged_packed_page_is_refused(site: Site, get: Get) -> None:
    site.page("/a", b"not gzip", content_type="text/plain", content_encoding="gzip")

    with pytest.raises(FetchError, match="cannot be unpacked"):
        get("/a")


def test_threat_56_a_gzip_bomb_is_cut_while_it_is_unpacked(site: Site, get: Get) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    bomb = packer.compress(bytes(50_000_000)) + packer.flush()
    site.page("/a", bomb, content_type="text/plain", content_encoding="gzip")

    page = get("/a", cuts=True, max_bytes=100_000)

    assert len(bomb) < 60_000
    assert (len(page.data), page.is_cut) == (100_000, True)


def test_threat_56_a_bomb_within_a_bomb_is_unpacked_once(site: Site, get: Get) -> None:
    inner = gzip.compress(bytes(100_000))
    site.page("/a", gzip.compress(inner), content_type="text/plain", content_encoding="gzip")

    assert get("/a").data == inner


def test_another_type_is_refused_before_its_body_is_read(site: Site, get: Get) -> None:
    site.page("/slow", b"", content_type="Image/PNG", content_length="1000000")

    with pytest.raises(FetchError, match="is of type 'image/png', and only text/ can be read"):
        get("/slow")


def test_a_page_of_no_stated_type_is_read(site: Site, get: Get) -> None:
    site.page("/a", b"hello")

    assert (get("/a").content_type, get("/a").charset) == ("", None)


def test_a_page_that_is_not_there_is_said_so_without_its_query(site: Site, get: Get) -> None:
    site.page("/a?key=s3cret", status=404)

    with pytest.raises(
        FetchError, match=r"own.test:[0-9]+/a' was answered with 404 Not Found"
    ) as it:
        get("/a?key=s3cret")

    assert "s3cret" not in str(it.value)


def test_a_server_that_does_not_answer_in_time_is_given_up(site: Site, get: Get) -> None:
    site.page("/slow", b"x", content_type="text/plain", content_length="10")

    with pytest.raises(FetchError, match=r"not fetched within 0.2 seconds. Try another page"):
        get("/slow", timeout_seconds=0.2)


def test_a_server_that_hangs_up_is_said_so(site: Site, get: Get) -> None:
    site.page("/a", b"x", content_type="text/plain", content_length="10")

    with pytest.raises(FetchError, match=r"could not be fetched \(RemoteProtocolError"):
        get("/a")


def test_the_next_address_is_tried_where_one_does_not_answer(site: Site, get: Get) -> None:
    async def two(host: str, port: int) -> list[str]:
        return ["::1", "127.0.0.1"]

    site.page("/a", b"hello", content_type="text/plain")

    assert get("/a", resolver=two).data == b"hello"


def test_a_host_whose_addresses_all_fail_is_said_so(get: Get) -> None:
    with pytest.raises(FetchError, match=r"could not be fetched \(ConnectError"):
        fetch_blocking("http://own.test:1/", rules())


@anyio_test
async def test_async_code_fetches_on_its_own_loop(site: Site) -> None:
    site.page("/a", b"hello", content_type="text/plain")

    page = await fetch(f"http://127.0.0.1:{site.server_port}/a", rules())

    assert page.data == b"hello"


@anyio_test
async def test_a_blocking_fetch_works_on_a_thread_that_runs_a_loop(site: Site, get: Get) -> None:
    site.page("/a", b"hello", content_type="text/plain")

    assert get("/a").data == b"hello"
