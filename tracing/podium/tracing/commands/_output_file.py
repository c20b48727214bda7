"""The file that a command writes: never over the record it was made of."""

from __future__ import annotations

from pathlib import Path


def keep_record(source: str, output: Path) -> None:
    """Do nothing where writing `output` leaves the record alone.

    Raises:
        ValueError: they are the same file.
    """
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise ValueError(
            f"--output {str(output)!r} is the record itself, which would be lost. "
            "Name another file."
        )


def write(path: Path, content: bytes) -> None:
    """Write a file.

    Raises:
        ValueError: it cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(
            f"The file {str(path)!r} cannot be written: {error.strerror}. "
            "Give the path of a file in a folder you may write to."
        ) from error
