#!/usr/bin/env bash
# Build the source archive and from it the wheel, then use the wheel in a clean environment.
# Usage: scripts/check_wheel.sh PYTHON_WITH_DEV_REQUIREMENTS
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" -m build --no-isolation --outdir "$work/dist" . >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"${PYTHON:-python3}" -m venv --without-pip "$work/venv"
"${PYTHON:-python3}" -m pip --python "$work/venv/bin/python" --disable-pip-version-check install --quiet \
    --requirement requirements.txt "$work"/dist/*.whl

cd "$work" # away from the sources
venv/bin/python - <<'PYTHON'
from importlib.metadata import version
from importlib.resources import files

import podium.orchestration
from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator
from podium.tracing import Trace
from podium.tracing.page import render_page

for part in ("tracing", "tools", "agent", "orchestration"):
    assert (files(f"podium.{part}") / "py.typed").is_file(), part
result = Agent(chat_generator=LexicalChatGenerator()).run("Hello")
assert result.stop.reason == "text", result.stop
assert "</html>" in render_page(Trace(()))  # its styles and scripts are in the wheel
print(f"podium {version('podium')} works from its wheel")
PYTHON
