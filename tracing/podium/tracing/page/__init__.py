"""A trace as one page: the run as a timeline, its agents and a flame chart, in one HTML file.

The page needs no server and asks nobody for anything; keep it, mail it, open it in any browser.

from pathlib import Path

from podium.tracing import read_trace
from podium.tracing.page import render_page

Path("page.html").write_text(render_page(read_trace("out/trace.jsonl")))
"""

from podium.tracing.page._render import render_page

__all__ = ["render_page"]
