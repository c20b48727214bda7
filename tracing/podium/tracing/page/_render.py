"""From a trace to the text of the page."""

from __future__ import annotations

import html
import json

from podium.tracing.page._assets import assemble
from podium.tracing.page._document import page_document
from podium.tracing.reading import Trace


def render_page(trace: Trace) -> str:
    """Return the page that shows `trace`, as the text of one HTML file.

    It is all ASCII, so that any encoding stores it. Values of attributes are cut to 16,384
    characters and only the topmost 100,000 spans are drawn; the page says what it leaves out.
    """
    document = page_document(trace)
    name, sentence = str(document["name"]), str(document["sentence"])
    return assemble(
        title=_as_html(f"{name} \N{EN DASH} podium trace"),
        name=_as_html(name),
        sentence=_as_html(sentence),
        data=_as_script_data(document),
    )


def _as_html(text: str) -> str:
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _as_script_data(document: object) -> str:
    """Return JSON that no parser of HTML can take for anything but text."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
