"""How OpenAIResponsesChatGenerator speaks: parameters, items, answers and streams."""
