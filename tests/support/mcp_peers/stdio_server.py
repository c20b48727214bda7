"""A scripted MCP server over stdio: `python stdio_server.py BEHAVIOUR [FILE]`.

FILE notes each start and what the server was told about cancelled calls, one line each. Uses the
standard library alone, so it starts fast; the protocol is written out by hand, so it can be broken.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from mcp_peers.answers import Server

Json = dict[str, Any]

CHANGED: Json = {"method": "notifications/tools/list_changed"}
ASKED: dict[str, Json] = {
    "sampling/createMessage": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}],
        "maxTokens": 9,
    },
    "elicitation/create": {
        "message": "password?",
        "requestedSchema": {"type": "object", "properties": {}},
    },
    "roots/list": {},
}


class Pipe:
    """The server's side of the pipes."""

    def __init__(self, behaviour: str, notes: Path | None) -> None:
        self.behaviour = behaviour
        self.notes = notes
        starts = notes.read_text().count("start") if notes is not None and notes.exists() else 0
        self.server = Server(behaviour, starts + 1)
        self.note(f"start {os.getpid()}")

    def note(self, line: str) -> None:
        if self.notes is not None:
            with self.notes.open("a") as file:
                file.write(f"{line}\n")

    def send(self, message: Json) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def write(self, line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    def receive(self) -> Json:
        line = sys.stdin.readline()
        if not line:
            self.end()
        received: Json = json.loads(line)
        return received

    def end(self) -> None:
        while self.behaviour == "will_not_end":
            time.sleep(1)
        sys.exit(0)

    def serve(self) -> None:
        while True:
            request = self.receive()
            if request.get("method") == "notifications/cancelled":
                self.note(f"cancelled {request['params']['requestId']}")
            if "id" in request and "method" in request:
                self.answer(request)

    def answer(self, request: Json) -> None:
        method = request["method"]
        act = getattr(self, f"{self.behaviour}_{method.partition('/')[2] or method}", None)
        if act is not None and act(request):
            return
        result = self.server.result(method, request.get("params", {}))
        if result is None:
            error = {"code": -32601, "message": "Method not found"}
            self.send({"id": request["id"], "error": error})
        else:
            self.send({"id": request["id"], "result": result})

    # Each of these acts before the honest answer; True keeps that back.

    def partial_silence_call(self, request: Json) -> bool:
        return bool(request["params"]["arguments"].get("q") == "silence")

    def listing_list(self, request: Json) -> bool:
        tools = json.loads(Path(os.environ["LISTING"]).read_text())
        self.send({"id": request["id"], "result": {"tools": tools}})
        return True

    def silent_call(self, request: Json) -> bool:
        return True

    def silent_start_initialize(self, request: Json) -> bool:
        return True

    def slow_start_initialize(self, request: Json) -> bool:
        time.sleep(2)
        return False

    def wrong_id_call(self, request: Json) -> bool:
        self.send({"id": request["id"] + 1_000, "result": {"content": []}})
        return True

    def garbage_call(self, request: Json) -> bool:
        self.write("\n".join(["Starting up...", "{", "[]", "\x00\x01", "null", '{"a": ' * 900, ""]))
        return False

    def huge_result_call(self, request: Json) -> bool:
        part = json.dumps({"type": "text", "text": "x" * 50_000_000})
        self.write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"content":[{part}]}}}}\n')
        return True

    def deep_call(self, request: Json) -> bool:
        deep = "[" * 10_000 + "]" * 10_000
        self.write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"content":{deep}}}}}\n')
        return True

    def dies_after_initialize_list(self, request: Json) -> bool:
        print("out of memory", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    def dies_once_call(self, request: Json) -> bool:
        if self.server.starts == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    def dies_always_call(self, request: Json) -> bool:
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    def drip_call(self, request: Json) -> bool:
        for letter in json.dumps({"jsonrpc": "2.0", "id": request["id"]}) * 10:
            self.write(letter)
            time.sleep(0.02)
        return True

    def flood_call(self, request: Json) -> bool:
        line = json.dumps({"jsonrpc": "2.0", **CHANGED}) + "\n"
        self.write(line * 5_000)
        return False

    def flood_list(self, request: Json) -> bool:
        self.note("list")
        return False

    def changes_call(self, request: Json) -> bool:
        self.send(CHANGED)
        return False

    def changes_and_sulks_call(self, request: Json) -> bool:
        self.send(CHANGED)
        return False

    def changes_and_sulks_list(self, request: Json) -> bool:
        if not self.server.calls:
            return False
        self.send({"id": request["id"], "error": {"code": -32603, "message": "not now"}})
        return True

    def changes_and_hangs_call(self, request: Json) -> bool:
        self.send(CHANGED)
        return False

    def changes_and_hangs_list(self, request: Json) -> bool:
        return bool(self.server.calls)

    def progress_flood_call(self, request: Json) -> bool:
        token = request["params"]["_meta"]["progressToken"]
        for done in range(2_000):
            params = {
                "progressToken": token,
                "progress": done,
                "total": 2_000,
                "message": "\x1b[2J",
            }
            self.send({"method": "notifications/progress", "params": params})
        return False

    def asks_call(self, request: Json) -> bool:
        said: list[str] = []
        for number, (method, params) in enumerate(ASKED.items()):
            self.send({"id": f"s{number}", "method": method, "params": params})
            said.append(str(self.receive().get("error", {}).get("message", "an answer")))
        result = {"content": [{"type": "text", "text": " | ".join(said)}]}
        self.send({"id": request["id"], "result": result})
        return True

    def refuses_call(self, request: Json) -> bool:
        error = {"code": -32000, "message": f"no: {os.environ.get('TOKEN')} \x1b[31m"}
        self.send({"id": request["id"], "error": error})
        return True

    def loud_call(self, request: Json) -> bool:
        print("\x1b[2Jlog line " * 50_000, file=sys.stderr, flush=True)
        return False

    def environment_call(self, request: Json) -> bool:
        shown = {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
        self.send({"id": request["id"], "result": shown})
        return True


if __name__ == "__main__":
    if sys.argv[1] == "will_not_end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Pipe(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None).serve()
