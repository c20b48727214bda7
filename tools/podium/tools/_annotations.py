"""Annotations as pydantic takes them: what it would refuse or not check, written another way."""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, LiteralString, Union, cast, get_args, get_origin

import typing_extensions

_LOOSE = (collections.abc.Iterable, collections.abc.Collection)
_CALLABLE: Any = collections.abc.Callable

_Memo = dict[type, type]


def checkable(annotation: Any) -> Any:
    """Return `annotation` with every part of it in a form that pydantic checks.

    Iterable and Collection become list, because pydantic would hand the first over unchecked and
    does not know the second; LiteralString becomes str; a TypedDict of `typing` becomes one of
    `typing_extensions`, the only kind pydantic takes before Python 3.12. All else is left as it is,
    the very same object where nothing in it changes.
    """
    return _checkable(annotation, {})


def _checkable(annotation: Any, memo: _Memo) -> Any:
    if annotation is LiteralString:
        return str
    if _is_old_typed_dict(annotation):
        return memo.get(annotation) or _modern_typed_dict(annotation, memo)
    origin = get_origin(annotation)
    if (origin or annotation) in _LOOSE:
        (item,) = get_args(annotation) or (Any,)
        return types.GenericAlias(list, (_checkable(item, memo),))
    args = get_args(annotation)
    if origin is None or origin is Literal or origin is _CALLABLE:
        return annotation
    inner = args[:1] if origin is Annotated else args
    changed = [_checkable(one, memo) for one in inner]
    if all(new is old for new, old in zip(changed, inner, strict=True)):
        return annotation
    return _with_args(annotation, origin, (*changed, *args[len(inner) :]))


def _with_args(annotation: Any, origin: Any, args: tuple[Any, ...]) -> Any:
    if origin is types.UnionType:
        return Union[args]  # noqa: UP007  made of whatever there is
    if origin is Annotated:
        return Annotated[args]  # pyright: ignore[reportInvalidTypeForm]  likewise
    rebuild: Callable[[tuple[Any, ...]], Any] | None = getattr(annotation, "copy_with", None)
    return rebuild(args) if rebuild is not None else types.GenericAlias(origin, args)


def _is_old_typed_dict(annotation: Any) -> bool:
    return typing.is_typeddict(annotation) and type(annotation).__module__ == "typing"


def _modern_typed_dict(old: Any, memo: _Memo) -> type:
    """Return a TypedDict with the keys of `old`; it may refer to itself."""
    make = cast("Any", typing_extensions.TypedDict)
    new: Any = make(old.__name__, {}, total=old.__total__)
    memo[old] = new
    hints = typing.get_type_hints(old, include_extras=True)
    new.__annotations__ = {key: _checkable(hint, memo) for key, hint in hints.items()}
    new.__required_keys__, new.__optional_keys__ = old.__required_keys__, old.__optional_keys__
    new.__module__, new.__doc__ = old.__module__, old.__doc__
    return cast("type", new)
