"""Secrets: API keys as objects that cannot be printed, pickled or dumped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Self, cast

__all__ = ["Secret"]


class Secret:
    """A key or a token. Make it with `from_env_var` or `from_token`; read it with `resolve_value`.

    It shows itself masked, cannot be pickled, and is written to data only as the names of the
    environment variables it is read from.

    >>> Secret.from_token("sk-1234")
    Secret.from_token('***')
    """

    __slots__ = ("_names", "_strict", "_token")

    _names: tuple[str, ...]
    _strict: bool
    _token: str | None

    def __init__(self) -> None:
        """Refuse: the two named constructors say where the value comes from."""
        raise TypeError(
            "Secret() holds nothing. Use Secret.from_env_var('OPENAI_API_KEY') or "
            "Secret.from_token(text)."
        )

    @classmethod
    def from_env_var(cls, env_vars: str | Sequence[str], *, strict: bool = True) -> Self:
        """Return a secret that is read from the first of these environment variables that is set.

        With `strict=False` the value is None when none is set, in place of an error.

        Raises:
            ValueError: no name was given, or one is empty.
        """
        names = (env_vars,) if isinstance(env_vars, str) else tuple(env_vars)
        if not names or not all(names):
            raise ValueError(
                f"Secret.from_env_var got {env_vars!r}. Name at least one environment variable."
            )
        return cls._make(names, strict, None)

    @classmethod
    def from_token(cls, token: str) -> Self:
        """Return a secret with this value; it cannot be written to data.

        Raises:
            ValueError: the text is empty.
        """
        if not token:
            raise ValueError("Secret.from_token got ''. Pass the token, or use from_env_var.")
        return cls._make((), True, token)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the secret that `to_dict` described.

        Raises:
            ValueError: the data describes no secret read from environment variables.
        """
        given: Mapping[str, Any] = (
            cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}
        )
        kind = given.get("type")
        if kind != "env_var":
            raise ValueError(
                f"A secret of type {kind!r} cannot be read from data. Write it as "
                "{'type': 'env_var', 'env_vars': ['NAME'], 'strict': True}."
            )
        return cls.from_env_var(given.get("env_vars") or (), strict=bool(given.get("strict", True)))

    def resolve_value(self) -> str | None:
        """Return the value, without the white space around it.

        Raises:
            ValueError: none of the environment variables is set and the secret is strict.
        """
        if self._token is not None:
            return self._token
        for name in self._names:
            value = os.environ.get(name, "").strip()
            if value:
                return value
        if self._strict:
            raise ValueError(
                f"No environment variable {' or '.join(map(repr, self._names))} is set. "
                "Set it, or pass the key as Secret.from_token(...)."
            )
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the names of the environment variables as plain data.

        Raises:
            ValueError: the secret is a token, which is never written down.
        """
        if self._token is not None:
            raise ValueError(
                f"{self!r} cannot be written to data, since that would reveal it. "
                "Use Secret.from_env_var('NAME') for what is saved."
            )
        return {"type": "env_var", "env_vars": list(self._names), "strict": self._strict}

    @classmethod
    def _make(cls, names: tuple[str, ...], strict: bool, token: str | None) -> Self:
        secret = object.__new__(cls)
        object.__setattr__(secret, "_names", names)
        object.__setattr__(secret, "_strict", strict)
        object.__setattr__(secret, "_token", token)
        return secret

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a secret never changes."""
        raise AttributeError(f"Secret.{name} cannot be set. Make a new Secret.")

    def __repr__(self) -> str:
        """Return where the value comes from, never the value."""
        if self._token is not None:
            return "Secret.from_token('***')"
        names = self._names[0] if len(self._names) == 1 else list(self._names)
        return f"Secret.from_env_var({names!r}{'' if self._strict else ', strict=False'})"

    def __eq__(self, other: object) -> bool:
        """Return whether both are read from the same place, or hold the same token."""
        if not isinstance(other, Secret):
            return NotImplemented
        return (self._names, self._strict, self._token) == (
            other._names,
            other._strict,
            other._token,
        )

    def __hash__(self) -> int:
        """Return a hash that fits `==`."""
        return hash((self._names, self._strict, self._token))

    def __copy__(self) -> Self:
        """Return itself: a secret never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: a secret never changes."""
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError(
            f"{self!r} cannot be pickled, since that would reveal it. "
            "Keep to_dict() of a Secret.from_env_var('NAME') instead."
        )


def as_secret(value: object) -> Secret:
    """Return the secret, or one that holds this text.

    Raises:
        TypeError: the value is neither.
    """
    if isinstance(value, Secret):
        return value
    if isinstance(value, str):
        return Secret.from_token(value)
    raise TypeError(
        f"A secret cannot be made from {type(value).__name__}. "
        "Pass a Secret or a str, such as Secret.from_env_var('OPENAI_API_KEY')."
    )
