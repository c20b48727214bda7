"""What a command cannot do is told in one sentence, without secrets and without a stack trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from recorded import span
from typer.testing import CliRunner, Result

from podium.tracing._addresses import is_http_address, shown_address
from podium.tracing.commands import app
from podium.tracing.export import encode, otlp_document

SECRET = "sk-canary"
FULL = Path("/dev/full")
COMMAND = "from podium.tracing.commands import app; app()"


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(otlp_document([span(1)])))
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_a_path_that_is_too_long_is_told(record: str) -> None:
    shown, written = run("show", "a" * 5_000), run("html", record, "-o", "a" * 5_000)

    assert (shown.exit_code, written.exit_code) == (1, 1)
    assert shown.stderr.startswith("podium: 'aaaa")
    assert "cannot be used: File name too long. Name another file" in written.stderr


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_an_output_without_room_is_told(record: str) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, "show", record],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.startswith("podium: The output cannot be used: No space left on device.")
    assert "Traceback" not in done.stderr


def test_a_closed_standard_input_is_told() -> None:
    without_input = 'exec "$0" -c "$1" show - <&-'

    done = subprocess.run(
        ["sh", "-c", without_input, sys.executable, COMMAND],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "nothing is piped in" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_number_below_none_is_refused(record: str) -> None:
    assert run("critical-path", record, "--top", "-5").exit_code == 2


@pytest.mark.parametrize("header", ["a=b\nc", "ä=b", "a=\x00"])
def test_a_header_that_http_has_no_form_for_is_refused_without_its_value(
    header: str, record: str
) -> None:
    told = run("push", record, "http://127.0.0.1:9", "--header", f"{header}{SECRET}")

    assert told.exit_code == 2
    assert SECRET not in told.stderr


@pytest.mark.parametrize(
    "address",
    [
        f"http://ann:{SECRET}@127.0.0.1:9/?key={SECRET}",
        f"http://ann:{SECRET}@127.0.0.1:99999",
        f"http://127.0.0.1:9/\x01?key={SECRET}",
    ],
)
def test_what_an_address_holds_of_secrets_is_not_shown(address: str, record: str) -> None:
    pushed, asked = run("push", record, address), run("show", address, "--trace", "7a")

    assert (pushed.exit_code, asked.exit_code) == (1, 1)
    assert "127.0.0.1" in pushed.stderr
    assert SECRET not in pushed.output + asked.output


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://localhost:4318", "http://localhost:4318"),
        ("https://a:b@c/d?e#f", "https://c/d"),
        ("http://a:b/c@d", "http://d"),
        ("http://a:b?c@d", "http://…"),
        ("a@b", "b"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@pytest.mark.parametrize("address", ["", "nonsense", "http://", "http://[bad", "http://a:99999"])
def test_what_is_no_address_is_known(address: str) -> None:
    assert not is_http_address(address)
