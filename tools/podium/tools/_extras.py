"""What is said when a package of an extra is not installed."""

from __future__ import annotations


def missing_extra(purpose: str, package: str, extra: str) -> ImportError:
    """Return the error that names the extra; `purpose` is a phrase such as "reading a PDF"."""
    return ImportError(
        f"The package {package!r} is not installed, and {purpose} needs it. "
        f"Run `pip install 'podium[{extra}]'`.",
        name=package,
    )
