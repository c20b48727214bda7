"""Secret: it can be resolved, and in no other way does its value come out."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import pytest

from podium.agent.secrets import Secret, as_secret

CANARY = "sk-canary-0123456789"
TOKEN = Secret.from_token(CANARY)


def test_a_token_resolves_to_itself() -> None:
    assert Secret.from_token(CANARY).resolve_value() == CANARY


def test_the_first_environment_variable_that_is_set_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_FIRST", raising=False)
    monkeypatch.setenv("PODIUM_SECOND", "  ")
    monkeypatch.setenv("PODIUM_THIRD", f" {CANARY}\n")

    secret = Secret.from_env_var(["PODIUM_FIRST", "PODIUM_SECOND", "PODIUM_THIRD"])

    assert secret.resolve_value() == CANARY


def test_a_strict_secret_that_is_not_set_says_which_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PODIUM_KEY", raising=False)

    with pytest.raises(ValueError, match=r"No environment variable 'PODIUM_KEY' is set\. Set it"):
        Secret.from_env_var("PODIUM_KEY").resolve_value()


def test_a_secret_that_is_not_strict_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_KEY", raising=False)

    assert Secret.from_env_var("PODIUM_KEY", strict=False).resolve_value() is None


@pytest.mark.parametrize("shown", [repr(TOKEN), str(TOKEN), f"{TOKEN}", f"{[TOKEN]}"])
def test_a_token_is_shown_masked(shown: str) -> None:
    assert "***" in shown
    assert CANARY not in shown


def test_a_variable_is_shown_by_its_name() -> None:
    assert repr(Secret.from_env_var("KEY")) == "Secret.from_env_var('KEY')"
    assert repr(Secret.from_env_var(["A", "B"], strict=False)) == (
        "Secret.from_env_var(['A', 'B'], strict=False)"
    )


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_secret_cannot_be_pickled(protocol: int) -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(TOKEN, protocol)


def test_a_secret_has_no_dict_to_copy_it_out_of() -> None:
    @dataclasses.dataclass
    class Settings:
        key: Secret

    copied = dataclasses.asdict(Settings(TOKEN))

    assert copied == {"key": TOKEN}
    assert CANARY not in repr(copied)
    assert not hasattr(TOKEN, "__dict__")
    with pytest.raises(TypeError):
        json.dumps(copied)


def test_a_secret_copies_as_itself_and_never_changes() -> None:
    assert copy.copy(TOKEN) is TOKEN
    assert copy.deepcopy([TOKEN])[0] is TOKEN
    with pytest.raises(AttributeError, match="cannot be set"):
        TOKEN._token = "another"


def test_secrets_are_equal_when_they_come_from_the_same_place() -> None:
    assert Secret.from_token(CANARY) == TOKEN
    assert hash(Secret.from_token(CANARY)) == hash(TOKEN)
    assert Secret.from_env_var("A") == Secret.from_env_var(["A"])
    assert Secret.from_env_var("A") != Secret.from_env_var("A", strict=False)
    assert TOKEN != CANARY


def test_variables_go_to_data_and_back_by_name() -> None:
    secret = Secret.from_env_var(["A", "B"], strict=False)

    data = secret.to_dict()

    assert data == {"type": "env_var", "env_vars": ["A", "B"], "strict": False}
    assert Secret.from_dict(json.loads(json.dumps(data))) == secret


def test_a_token_never_goes_to_data() -> None:
    with pytest.raises(ValueError, match=r"Use Secret\.from_env_var") as caught:
        TOKEN.to_dict()

    assert CANARY not in str(caught.value)


def test_data_can_only_name_variables() -> None:
    with pytest.raises(ValueError, match="type 'token' cannot be read from data"):
        Secret.from_dict({"type": "token", "token": CANARY})
    with pytest.raises(ValueError, match="Name at least one"):
        Secret.from_dict({"type": "env_var"})


def test_a_secret_is_made_by_its_named_constructors() -> None:
    with pytest.raises(TypeError, match="from_env_var"):
        Secret()
    with pytest.raises(ValueError, match="Name at least one"):
        Secret.from_env_var([])
    with pytest.raises(ValueError, match="Pass the token"):
        Secret.from_token("")


def test_plain_text_is_taken_where_a_secret_is_wanted() -> None:
    assert as_secret(CANARY) == TOKEN
    assert as_secret(TOKEN) is TOKEN
    with pytest.raises(TypeError, match="cannot be made from int"):
        as_secret(7)
