"""What this process holds: memory and file descriptors."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

_STATM = Path("/proc/self/statm")
_MB = 1024 * 1024


def resident_mb() -> float:
    """Return the memory that is resident now."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MB
    listed = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(listed.stdout) / 1024


def peak_mb() -> float:
    """Return the most memory that was ever resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MB if sys.platform == "darwin" else peak / 1024


def descriptors() -> int:
    """Return how many files and sockets are open."""
    return len(os.listdir("/dev/fd"))
