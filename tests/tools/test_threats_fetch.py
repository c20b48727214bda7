"""Rows 57, 58, 60 and 62 of the threat list: addresses that a fetch must never connect to.

A resolver stub answers for the network, and a guard notes every connection that is tried.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import Any

import pytest

from podium.tools import FetchError
from podium.tools._web.addresses import literal_address, refusal
from podium.tools._web.fetch import FetchRules, fetch
from podium.tools._web.guard import resolve

pytestmark = pytest.mark.anyio


class Net:
    """A network of names, and the connections that were tried in it."""

    def __init__(self) -> None:
        self.hosts: dict[str, list[Sequence[str]]] = {}
        self.asked: list[str] = []
        self.tried: list[Any] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.hosts[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def rules(self, *own_hosts: str) -> FetchRules:
        return FetchRules(
            accepts=("text/",), max_bytes=100, own_hosts=own_hosts, resolver=self.resolve
        )


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    """A network in which every connection is noted and refused."""
    found = Net()

    def refuse(self: socket.socket, address: Any) -> None:
        found.tried.append(address[0])
        raise ConnectionRefusedError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield found


LOCAL = (
    *(
        "127.0.0.1",
        "127.9.9.9",
        "0",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "017700000001",
    ),
    *("0177.0.0.1", "127.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "192.0.2.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255", "[::1]", "[::]", "[fe80::1]", "[fc00::1]"),
    *("[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]"),
    *("[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001:db8::1]", "[2001:0:7f00:1::]", "127.0.0.1."),
    *("192.88.99.1", "[3fff::1]", "[5f00::1]"),
    *("[2606:4700::5efe:a00:1]", "[2606:4700::200:5efe:a00:1]", "[::ffff:0:a00:1]", "[fec0::1]"),
)
METADATA = (
    *("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
    *("[fd00:ec2::254]", "[fd20:ce::254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]"),
    *("[::ffff:169.254.169.254]", "[2606:4700::5efe:a9fe:a9fe]", "2852039166", "0xa9fea9fe"),
    "[2001:0:a9fe:a9fe::1]",
)


@pytest.mark.parametrize("host", [*LOCAL, *METADATA])
async def test_threat_57_an_address_that_is_not_public_is_refused_in_every_spelling(
    net: Net, host: str
) -> None:
    with pytest.raises(FetchError, match=r"an address that is not public|Invalid IPv4"):
        await fetch(f"http://{host}/", net.rules())

    assert (net.tried, net.asked) == ([], [])


@pytest.mark.parametrize(
    ("name", "addresses"),
    [
        ("localhost", ["::1", "127.0.0.1"]),
        ("localhost.", ["127.0.0.1"]),
        ("127.0.0.1.nip.io", ["127.0.0.1"]),
        ("half.test", ["93.184.216.34", "10.0.0.1"]),
        ("six.test", ["2606:4700::1", "::ffff:10.0.0.1"]),
        ("LOCALHOST", ["127.0.0.1"]),
    ],
)
async def test_threat_57_a_name_is_refused_when_any_of_its_addresses_is_not_public(
    net: Net, name: str, addresses: list[str]
) -> None:
    net.hosts[name.rstrip(".").lower()] = [addresses]

    with pytest.raises(FetchError, match="not public"):
        await fetch(f"https://{name}/", net.rules())

    assert net.tried == []


async def test_threat_57_the_connection_goes_to_the_address_that_was_checked(net: Net) -> None:
    net.hosts["rebinding.test"] = [["93.184.216.34"], ["127.0.0.1"]]

    with pytest.raises(FetchError, match="ConnectError"):
        await fetch("http://rebinding.test/", net.rules())

    assert (net.asked, net.tried) == (["rebinding.test"], ["93.184.216.34"])


@pytest.mark.parametrize("host", METADATA)
async def test_threat_58_credentials_of_the_machine_are_refused_also_to_ones_own_hosts(
    net: Net, host: str
) -> None:
    plain = host.strip("[]")

    with pytest.raises(FetchError, match="not public"):
        await fetch(f"http://{host}/latest/meta-data/", net.rules(plain))

    assert net.tried == []


async def test_threat_58_a_name_of_ones_own_may_not_lead_there_either(net: Net) -> None:
    net.hosts["own.test"] = [["169.254.169.254"]]

    with pytest.raises(FetchError, match="not public"):
        await fetch("http://own.test/", net.rules("own.test"))

    assert net.tried == []


async def test_an_own_host_may_be_private_and_another_one_beside_it_may_not(net: Net) -> None:
    net.hosts |= {"own.test": [["10.0.0.1"]], "other.test": [["10.0.0.1"]]}

    with pytest.raises(FetchError, match="ConnectError"):
        await fetch("http://Own.test.:81/", net.rules("own.test"))
    with pytest.raises(FetchError, match="not public"):
        await fetch("http://other.test/", net.rules("own.test"))

    assert net.tried == ["10.0.0.1"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("file:///etc/passwd", r"of the kind 'file' is not fetched"),
        ("ftp://a.test/", "of the kind 'ftp'"),
        ("gopher://a.test/", "of the kind 'gopher'"),
        ("data:text/plain,hello", "of the kind 'data'"),
        ("s3://bucket/key", "of the kind 's3'"),
        ("javascript:alert(1)", "of the kind 'javascript'"),
        ("//a.test/", "of the kind ''"),
        ("a.test", "of the kind ''"),
        ("http://user:s3cret@a.test/", "'a.test' has a user name or password in it"),
        ("http://user@a.test/", "user name or password"),
        ("http://a.test/\r\nX-Evil: 1", "cannot be read"),
        ("http://a.test\r\n/", "cannot be read"),
        ("http://a.test:25/", r"asks for port 25, and only 80, 443, 8080, 8443 are opened"),
        ("https://a.test:22/", "asks for port 22"),
        ("http://[::1/", "cannot be read"),
        ("http:///x", "names no host"),
        ("http://a.test:99999999/", "cannot be read|asks for port"),
    ],
)
async def test_threat_60_only_plain_web_addresses_are_fetched(
    net: Net, url: str, words: str
) -> None:
    with pytest.raises(FetchError, match=words) as refused:
        await fetch(url, net.rules())

    assert "s3cret" not in str(refused.value)
    assert (net.tried, net.asked) == ([], [])


async def test_threat_62_a_proxy_of_the_environment_is_not_used(
    net: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://10.0.0.1:80")
    monkeypatch.setenv("ALL_PROXY", "http://10.0.0.1:80")
    net.hosts["a.test"] = [["93.184.216.34"]]

    with pytest.raises(FetchError, match="ConnectError"):
        await fetch("http://a.test/", net.rules())

    assert net.tried == ["93.184.216.34"]


@pytest.mark.parametrize("answers", [[], ["not an address"]])
async def test_a_name_without_an_address_is_said_so(net: Net, answers: list[str]) -> None:
    net.hosts["a.test"] = [answers]

    with pytest.raises(FetchError, match="no address is known for its host"):
        await fetch("http://a.test/", net.rules())


async def test_a_name_that_the_resolver_does_not_know_is_said_so() -> None:
    async def fail(host: str, port: int) -> list[str]:
        raise socket.gaierror("unknown")

    with pytest.raises(FetchError, match="no address is known for its host"):
        await fetch("http://a.test/", FetchRules(accepts=("",), max_bytes=1, resolver=fail))


async def test_the_systems_resolver_is_asked_by_default() -> None:
    assert "127.0.0.1" in await resolve("localhost", 80)


@pytest.mark.parametrize(
    "host", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"]
)
def test_public_addresses_are_taken(host: str) -> None:
    assert refusal(ip_address(host)) is None


@pytest.mark.parametrize("host", ["a.test", "1.2.3.4.5", "", "\u0101", "0x"])
def test_a_name_is_no_address(host: str) -> None:
    assert literal_address(host) is None
