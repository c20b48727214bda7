"""Run it as a folder, `python examples/research_assistant`, or with `-m` from within examples."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from research_assistant.cli import main

if __name__ == "__main__":
    sys.exit(main())
