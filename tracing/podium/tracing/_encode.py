"""JSON as bytes that every reader takes."""

from __future__ import annotations

import json


def encode(document: object) -> bytes:
    """Return a document as JSON in UTF-8; a lone surrogate, which has none, becomes '?'."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
