"""What calls have taught about a model: by how much estimates of its prompts must be raised."""

from __future__ import annotations

import math
import threading

MAX_FACTOR = 4.0
"""No tokenizer makes more of a text; what goes beyond is something that the provider adds."""
MARGIN = 1.05
"""How far a raised factor goes beyond the prompt that showed the need."""


class LearnedFactors:
    """A factor for each model, which rises when a prompt was larger than its bound.

    One is shared by all agents of a run tree: what one agent's call shows guards the others'. It
    never falls again.
    """

    def __init__(self) -> None:
        """Start with nothing learned."""
        self._factors: dict[str, float] = {}
        self._extras: dict[tuple[str, bool], int] = {}
        self._overruns = 0
        self._lock = threading.Lock()  # guards all three: a raise reads before it writes

    @property
    def overruns(self) -> int:
        """Prompts that were larger than their bound, over all models."""
        return self._overruns

    def factor(self, model: str) -> float:
        """Return what estimates for `model` are multiplied by; 1.0 until something was learned."""
        return self._factors.get(model, 1.0)

    def bound(self, model: str, known: int, estimate: int) -> int:
        """Return how many tokens a prompt has of which `known` were counted, the rest estimated."""
        if estimate == 0:
            return known
        raised = math.ceil(estimate * self.factor(model))
        return known + raised + self._extras.get((model, known == 0), 0)

    def learn(self, model: str, known: int, estimate: int, tokens: int) -> None:
        """Take note that a prompt of which `known` and `estimate` were given has `tokens`.

        The factor rises so that it would have been enough. An excess that no tokenizer explains,
        such as a prompt of the provider's own, is added to later estimates as it is: to those of
        whole prompts, or to those of what is new in one.
        """
        with self._lock:
            self._overruns += 1
            if estimate == 0:
                return
            if tokens - known <= estimate * MAX_FACTOR:
                factor = min((tokens - known) / estimate * MARGIN, MAX_FACTOR)
                self._factors[model] = max(self.factor(model), factor)
            else:
                excess = tokens - known - math.floor(estimate * self.factor(model))
                kind = (model, known == 0)
                self._extras[kind] = max(self._extras.get(kind, 0), excess)
