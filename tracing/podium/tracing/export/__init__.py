"""Handing traces on: to Jaeger's UI as a file, to collectors as a document or over the network.

import json

from podium.tracing import read_trace
from podium.tracing.export import jaeger_document

document = jaeger_document(read_trace("out/trace.jsonl"))
"""

from podium.tracing._encode import encode
from podium.tracing.export._jaeger_document import jaeger_document
from podium.tracing.export._otlp_document import otlp_document
from podium.tracing.export._push import PushReport, push

__all__ = ["PushReport", "encode", "jaeger_document", "otlp_document", "push"]
