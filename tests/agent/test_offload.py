"""Large tool results are stored whole and shown as a pointer; nothing is overwritten or lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podium.agent import Agent, AgentResult
from podium.agent.hooks import (
    AlwaysOffload,
    FileSystemToolResultStore,
    NeverOffload,
    OffloadOverChars,
    ToolResultOffloadHook,
)
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio


@tool
def dump(n: int) -> str:
    """Return n characters."""
    return "x" * n


@tool
def fail(n: int) -> str:
    """Fail with a long text."""
    raise ValueError("y" * n)


async def run_with(hook: ToolResultOffloadHook, *wanted: ToolCall, **options: Any) -> AgentResult:
    model = ScriptedChatGenerator([calls(*wanted), "done"])
    agent = Agent(chat_generator=model, tools=[dump, fail], hooks={"after_tool": [hook]})
    return await agent.run_async("go", **options)


def answers(result: AgentResult) -> list[str]:
    return [one.text for message in result.messages for one in message.tool_call_results]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def lengths_in(folder: Path) -> list[int]:
    return sorted(len(path.read_text()) for path in folder.iterdir())


def over_1000(folder: Path) -> ToolResultOffloadHook:
    return ToolResultOffloadHook(FileSystemToolResultStore(folder), {"*": OffloadOverChars(1_000)})


async def test_only_what_is_too_long_is_stored_and_errors_stay(tmp_path: Path) -> None:
    result = await run_with(
        over_1000(tmp_path),
        call("dump", n=50_000),
        call("dump", n=0),
        call("dump", n=1_000),
        call("dump", n=1_001),
        call("fail", n=5_000),
    )

    long, empty, fitting, over, failed = answers(result)
    assert len(long) < 2_000 and "50,000 characters" in long
    assert (empty, fitting) == ("", "x" * 1_000)
    assert len(over) < 1_000 and "ValueError" in failed
    assert lengths_in(tmp_path) == [1_001, 50_000]


async def test_two_runs_with_one_call_id_keep_both_results(tmp_path: Path) -> None:
    same = ToolCall("dump", {"n": 5_000}, "same")

    await run_with(over_1000(tmp_path), same)
    await run_with(over_1000(tmp_path), same)

    assert lengths_in(tmp_path) == [5_000, 5_000]


async def test_threat_51_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"

    await run_with(over_1000(folder), ToolCall("dump", {"n": 2_000}, "../../etc/passwd"))

    assert lengths_in(folder) == [2_000]
    assert names_in(tmp_path) == ["results"]


@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_threat_51_a_planted_link_is_not_written_through(
    plant: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    store = FileSystemToolResultStore(tmp_path / "results")
    store.root.mkdir()
    target = tmp_path / "target"
    target.write_text("mine")
    plant(store.root / "key.txt", target)

    name = store.write("key.txt", "content")

    assert name == "key_2.txt"
    assert target.read_text() == "mine"
    assert (store.root / name).stat().st_mode & 0o777 == 0o600


def test_threat_51_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    store = FileSystemToolResultStore(tmp_path / "results")
    store.root.symlink_to(target)

    with pytest.raises(OSError, match=r"results"):
        store.write("key.txt", "content")

    assert names_in(target) == []


def test_threat_51_a_folder_that_was_exchanged_is_not_written_to(tmp_path: Path) -> None:
    store = FileSystemToolResultStore(tmp_path / "team" / "results")
    store.write("key.txt", "content")
    (tmp_path / "team").rename(tmp_path / "moved")
    (tmp_path / "other" / "results").mkdir(parents=True)
    (tmp_path / "team").symlink_to(tmp_path / "other")

    with pytest.raises(OSError, match=r"is another one than that of the earlier results"):
        store.write("key.txt", "content")

    assert names_in(tmp_path / "other" / "results") == []


def test_results_are_kept_where_a_system_cannot_hold_on_to_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", frozenset[object]())

    name = FileSystemToolResultStore(tmp_path).write("key.txt", "content")

    assert (tmp_path / name).read_text() == "content"


async def test_a_store_that_fails_costs_no_result(caplog: pytest.LogCaptureFixture) -> None:
    class Full:
        def write(self, key: str, content: str) -> str:
            raise OSError("no space left")

    result = await run_with(
        ToolResultOffloadHook(Full(), {"*": AlwaysOffload()}), call("dump", n=9)
    )

    assert answers(result) == ["x" * 9]
    assert "no space left" in caplog.text


async def test_policies_go_by_exact_name_then_by_tuple_then_by_star(tmp_path: Path) -> None:
    store = FileSystemToolResultStore(tmp_path)
    hook = ToolResultOffloadHook(
        store, {"*": AlwaysOffload(), ("dump", "other"): NeverOffload(), "fail": AlwaysOffload()}
    )

    result = await run_with(hook, call("dump", n=9))

    assert answers(result) == ["x" * 9]


async def test_a_run_may_bring_a_store_of_its_own(tmp_path: Path) -> None:
    own = FileSystemToolResultStore(tmp_path / "own")
    hook = ToolResultOffloadHook(
        FileSystemToolResultStore(tmp_path / "usual"), {"dump": AlwaysOffload()}
    )

    await run_with(hook, call("dump", n=9), hook_context={"tool_result_store": own})

    assert names_in(tmp_path) == ["own"]


def test_a_threshold_is_a_whole_number() -> None:
    with pytest.raises(ValueError, match="threshold=-1"):
        OffloadOverChars(-1)
