"""What to do next: the calls of one turn, or none when it is time to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from podium.agent.models._lexical.arguments import ArgumentGuess, Clues
from podium.agent.models._lexical.filling import fill_object
from podium.agent.models._lexical.passages import Reference
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.results import Results, call_key
from podium.agent.models._lexical.task import Conversation
from podium.agent.models._lexical.tools import Purpose, ToolView, ranked_tools
from podium.tools import ToolCall

MAX_CALLS = 8
"""Calls in one turn."""
MAX_TRIES = 2
"""Tools that a part is put to, one after another, until one finds something."""
MAX_SOURCES = 2
"""Places that are read for one part."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the model: the conversation, what it brought, and the tools at hand."""

    conversation: Conversation
    results: Results
    views: Sequence[ToolView]

    def calls(self) -> list[ToolCall]:
        """Return the calls to make now, none of them made before; none when nothing fits."""
        made = {call_key(call.tool_name, call.arguments) for call in self.conversation.calls}
        stages: tuple[Callable[[], Iterator[_Asked]], ...] = (
            self._check_named,
            self._read_named,
            self._first,
            self._read_found,
            self._check_found,
            self._write,
        )
        for stage in stages:
            asked = {asked.key: asked for asked in stage() if asked.key not in made}
            if asked:
                return self._numbered(list(asked.values())[:MAX_CALLS])
        return []

    def own_keys(self, part: Part) -> list[str]:
        """Return the keys of the calls that `part` by itself leads to, the best fitting first."""
        return [asked.key for asked in self._candidates(part)]

    def _numbered(self, asked: Sequence[_Asked]) -> list[ToolCall]:
        start = len(self.conversation.calls) + 1
        return [
            ToolCall(one.name, one.arguments, id=f"call_{number}")
            for number, one in enumerate(asked, start)
        ]

    # The stages, in the order in which they come.

    def _check_named(self) -> Iterator[_Asked]:
        """Check the claims that the task names."""
        task = self.conversation.task
        for view in self._unused("check"):
            for part in task.parts if task.claims else ():
                yield from self._asked(view, Clues(part, part.text, claim=part.text))

    def _read_named(self) -> Iterator[_Asked]:
        """Read the places that the task names."""
        places = self.conversation.task.references[: MAX_SOURCES * 2]
        for view in self._unused("read") if places else ():
            for part in self._parts():
                yield from self._reading(view, part, places)

    def _first(self) -> Iterator[_Asked]:
        """Put each part that has no answer yet to the next tool that fits it."""
        parts = [part for part in self._parts() if not self._is_writing(part)] or self._parts()
        made = {call_key(call.tool_name, call.arguments) for call in self.conversation.calls}
        for part in parts:
            tries = list(self._candidates(part))[:MAX_TRIES]
            useful = any(asked.key in self.results.useful for asked in tries)
            if not useful and not self.results.findings.best(part, 1):
                yield from [asked for asked in tries if asked.key not in made][:1]

    def _read_found(self) -> Iterator[_Asked]:
        """Read the places where something was found."""
        parts = self._parts()
        for view in self._unused("read"):
            for part in parts:
                places = self.results.findings.references(part)[
                    : MAX_SOURCES if len(parts) < 3 else 1
                ]
                yield from self._reading(view, part, places)

    def _check_found(self) -> Iterator[_Asked]:
        """Check the best sentence found for each part."""
        for view in self._unused("check"):
            for part in self._parts():
                for best in self.results.findings.best(part, 1):
                    request = f"Check this claim against its source: {best.text} {best.citation}"
                    yield from self._asked(view, Clues(part, request.strip(), claim=best.text))

    def _write(self) -> Iterator[_Asked]:
        """Have written what the task wants written, from what was found."""
        task, findings = self.conversation.task, self.results.findings
        for view in self._unused("write"):
            for part in filter(self._is_writing, self._parts()):
                found = [best for other in task.parts for best in findings.best(other, 3)]
                lines = [f"- {best.text} {best.citation}".rstrip() for best in found]
                material = "\n".join(lines) or task.material
                request = f"{part.text}\nFindings:\n{material}" if material else part.text
                yield from self._asked(view, Clues(part, request, material=material))

    # What the stages are made of.

    def _parts(self) -> Sequence[Part]:
        return self.conversation.task.parts

    def _unused(self, purpose: Purpose) -> list[ToolView]:
        """Return the first tool for `purpose` not called since the task, if there is one."""
        used = {call.tool_name for call in self.conversation.calls}
        fitting = [view for view in self.views if view.purpose == purpose]
        return [view for view in fitting if view.tool.name not in used][:1]

    def _is_writing(self, part: Part) -> bool:
        return any(view.purpose == "write" for view in ranked_tools(part, self.views)[:1])

    def _candidates(self, part: Part) -> Iterator[_Asked]:
        """Yield the calls that put `part` to the tools that fit it, the best first."""
        starters = [view for view in self.views if view.purpose in ("search", "other")]
        place = next(iter(self.conversation.task.references), None)
        material = self.conversation.task.material
        for view in ranked_tools(part, starters or self.views):
            known = self.results.known
            clues = Clues(part, part.text, reference=place, material=material, known=known)
            yield from self._asked(view, clues)

    def _reading(self, view: ToolView, part: Part, places: Sequence[Reference]) -> Iterator[_Asked]:
        if not places:
            return
        if "file" in view.roles:
            for place in places:
                yield from self._asked(view, Clues(part, part.text, reference=place))
        else:
            sources = "; ".join(place.citation for place in places)
            yield from self._asked(view, Clues(part, f"{part.text}\nSources: {sources}"))

    def _asked(self, view: ToolView, clues: Clues) -> Iterator[_Asked]:
        guess = ArgumentGuess(clues, view.tool.name)
        arguments = fill_object(view.tool.parameters, guess)
        if arguments is not None:
            yield _Asked(view.tool.name, arguments)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call that could be made."""

    name: str
    arguments: dict[str, object]

    @property
    def key(self) -> str:
        return call_key(self.name, self.arguments)
