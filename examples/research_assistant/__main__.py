"""Run it as a folder, `python examples/research_assistant`, or with `-m` from within examples."""

import sys
from pathlib import Path

HOME = str(Path(__file__).resolve().parent.parent)
if HOME not in sys.path:
    sys.path.insert(0, HOME)

from research_assistant.cli import main

if __name__ == "__main__":
    sys.exit(main())
