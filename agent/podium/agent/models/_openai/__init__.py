"""How OpenAIChatGenerator talks to a provider: wire form, call, answer, stream, errors, clients."""
