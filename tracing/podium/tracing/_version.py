"""podium's version, as traces and servers are told it."""

from __future__ import annotations


def podium_version() -> str:
    """Return the version that is installed."""
    from importlib.metadata import PackageNotFoundError, version  # 10 ms, and few runs ask

    try:
        return version("podium")
    except PackageNotFoundError:  # run from its sources, without being installed
        return "0"
