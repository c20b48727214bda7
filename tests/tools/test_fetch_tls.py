"""Fetching over TLS: the connection goes to a checked address, the certificate is the host's."""

from __future__ import annotations

import datetime
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from web_site import Site

from podium.tools import FetchError
from podium.tools._web import fetch as fetch_module
from podium.tools._web.fetch import FetchRules, fetch_blocking


def write_certificate(folder: Path, host: str) -> Path:
    """Write a key and a certificate for `host`, signed by itself, into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    written = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    path = folder / "host.pem"
    path.write_bytes(written + certificate.public_bytes(pem))
    return path


class SecureSite(Site):
    """A site that notes which names it is asked for in TLS."""

    def __init__(self, certificate: Path) -> None:
        super().__init__()
        self.names: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.sni_callback = lambda _, name, __: self.names.append(name)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that does not like the certificate hangs up."""


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SecureSite]:
    certificate = write_certificate(tmp_path, "secure.test")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    fetch_module._tls.cache_clear()
    with SecureSite(certificate) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    fetch_module._tls.cache_clear()


async def at_loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


RULES = FetchRules(
    accepts=("text/",),
    max_bytes=100,
    own_hosts=("secure.test", "other.test"),
    resolver=at_loopback,
)


def test_the_server_is_asked_and_checked_by_the_hosts_name(secure: SecureSite) -> None:
    secure.page("/", b"hello", content_type="text/plain")

    page = fetch_blocking(f"https://secure.test:{secure.server_port}/", RULES)

    assert page.data == b"hello"
    assert secure.names == ["secure.test"]
    assert secure.seen[0][1]["host"] == f"secure.test:{secure.server_port}"


def test_a_certificate_of_another_host_is_refused(secure: SecureSite) -> None:
    with pytest.raises(FetchError, match=r"ConnectError: .*CERTIFICATE_VERIFY_FAILED"):
        fetch_blocking(f"https://other.test:{secure.server_port}/", RULES)

    assert secure.seen == []
