"""How LexicalChatGenerator decides: questions, tools, arguments, findings, answers."""
