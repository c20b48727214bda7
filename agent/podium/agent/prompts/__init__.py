"""Prompt templates: text with variables, rendered into one message in a closed sandbox.

    from podium.agent.prompts import PromptTemplate

    template = PromptTemplate("Translate into {{ language }}: {{ text }}", role="user")
    message = template.render({"language": "French", "text": "Good morning"})

Templates are Jinja's. Values are plain data: text in them is never read as a template, and none of
their code is called. A template has no way to files, other templates or Python, and stops with an
error before it takes long or grows large.
"""

from podium.agent.prompts._limits import PromptError
from podium.agent.prompts._template import PromptTemplate

__all__ = ["PromptError", "PromptTemplate"]
