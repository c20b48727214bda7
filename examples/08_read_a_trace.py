"""A recorded run is read back: who spent what, who called whom, and why it stopped.

Runs offline with scripted models; `podium trace why out/trace.jsonl` says the same in a terminal.

Prints:
    lead              500 of 1000 tokens   token_budget_exceeded
      lead/facts      500 of  500 tokens   text
    lead delegated 1 time to facts
    'lead' ended: token_budget_exceeded. The token budget was spent.
    'lead' had used 1,000 of 1,400 total tokens. The rest was too little for another call.
    Of the tokens of 'lead': 'lead' used 500 (50%), 'lead/facts' used 500 (50%).
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from podium.agent import Agent, Budget
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tracing import read_trace, setup_tracing

usage = {"prompt_tokens": 480, "completion_tokens": 20, "total_tokens": 500}
facts = Agent(
    chat_generator=ScriptedChatGenerator(["An ox is a word."], usage=usage),
    name="facts",
    description="Knows facts.",
)
lead = Coordinator(
    chat_generator=ScriptedChatGenerator(
        [calls(call("facts", task="What is an ox?"))], usage=usage
    ),
    specialists=[facts],
    name="lead",
    budget=Budget(total_tokens=1_400, reserve_for_answer=0),
)

with TemporaryDirectory() as folder:
    file = Path(folder) / "trace.jsonl"
    with setup_tracing(file=file):
        lead.run("What is an ox?")
    trace = read_trace(file)

for tree in trace.usage_trees():
    for agent in tree.walk():
        indent = "  " * agent.path.count("/")
        spent = f"{agent.own.total_tokens:3} of {agent.total.total_tokens:4} tokens"
        print(f"{indent + agent.path:17} {spent}   {agent.exit_reason}")
for caller, callee, edge in trace.delegations().edges(data=True):
    print(f"{caller} delegated {edge['calls']} time to {callee}")
for sentence in trace.why():
    print(re.sub(r" after [\d.]+ s", "", sentence).replace(" spent. ", " spent.\n"))
