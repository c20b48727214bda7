"""What is said when a package of an extra is not installed."""

from __future__ import annotations


def missing_extra(purpose: str, package: str, extra: str) -> ImportError:
    """Return the error that names the extra; `purpose` is a clause such as "PDFs are read"."""
    return ImportError(
        f"{purpose} by the package {package!r}, which is not installed. "
        f"Install it with: pip install 'podium[{extra}]'",
        name=package,
    )
