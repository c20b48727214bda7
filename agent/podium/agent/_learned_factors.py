"""What calls have taught about a model's tokenizer: by how much estimates must be raised."""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

MAX_FACTOR = 4.0
"""No tokenizer makes more of a text; what goes beyond is something the provider adds."""
MARGIN = 1.05
"""How far a raised factor goes beyond the prompt that showed the need."""


class _Learned(NamedTuple):
    factor: float = 1.0
    extra: int = 0


_NOTHING = _Learned()


class LearnedFactors:
    """A factor for each model that rises when a prompt was larger than its bound, and never falls.

    One is shared by all agents of a run tree: what one agent's call shows guards the others'.
    """

    def __init__(self) -> None:
        """Start with nothing learned."""
        self._learned: dict[str, _Learned] = {}
        self._overruns = 0
        self._lock = threading.Lock()  # guards both: a raise reads before it writes

    @property
    def overruns(self) -> int:
        """Prompts that were larger than their bound, over all models."""
        return self._overruns

    def factor(self, model: str) -> float:
        """Return what estimates for `model` are multiplied by; 1.0 until something was learned."""
        return self._learned.get(model, _NOTHING).factor

    def bound(self, model: str, estimate: int) -> int:
        """Return `estimate` in tokens, raised by what is known of `model`; nothing stays 0."""
        learned = self._learned.get(model)
        if learned is None or estimate == 0:
            return estimate
        return math.ceil(estimate * learned.factor) + learned.extra

    def learn(self, model: str, estimate: int, tokens: int) -> None:
        """Count an overrun: what was estimated as `estimate` turned out to be `tokens`.

        The factor rises so that it would have been enough. An excess that no tokenizer explains,
        such as a prompt of the provider's own, is added to each estimate as it is.
        """
        with self._lock:
            self._overruns += 1
            if estimate == 0:
                return
            known = self._learned.get(model, _NOTHING)
            if tokens <= estimate * MAX_FACTOR:
                factor = min(max(known.factor, tokens / estimate * MARGIN), MAX_FACTOR)
                self._learned[model] = known._replace(factor=factor)
            else:
                excess = tokens - math.floor(estimate * known.factor)
                self._learned[model] = known._replace(extra=max(known.extra, excess))
