"""The match service's secrets: made once, never replaced, refused in one line."""

import stat
from pathlib import Path

import pytest

from libs.runtime.settings import SettingError, Settings
from services.match.keys import audit_token, vault_of
from services.match.seal import Vault

STORED = ("m", Vault(bytes(range(32))).new_key("m")[1])


def _settings(**values: str) -> Settings:
    return Settings.of("match", {f"PAIJU_MATCH_{name}": value for name, value in values.items()})


def test_a_key_is_made_only_for_a_database_without_matches(tmp_path: Path) -> None:
    """A lost key must not be followed by a new one that reads nothing."""
    path = tmp_path / "keys" / "match.key"
    settings = _settings(KEY_FILE=str(path))
    with pytest.raises(SettingError, match=f"key file {path} is missing") as refused:
        vault_of(settings, STORED)
    assert "\n" not in str(refused.value)
    assert not path.exists()
    _, wrapped = vault_of(settings, None).new_key("m")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    vault_of(settings, ("m", wrapped))


def test_a_wrong_key_refuses_the_start(tmp_path: Path) -> None:
    """Tried on a stored match; the refusal names where the key came from."""
    path = tmp_path / "match.key"
    path.write_text("00" * 32)
    for settings, place in (
        (_settings(KEY_FILE=str(path)), f"key file {path}"),
        (_settings(KEY="00" * 32), "PAIJU_MATCH_KEY"),
    ):
        with pytest.raises(SettingError, match=f"{place} is not the key of the matches"):
            vault_of(settings, STORED)
    vault_of(_settings(KEY=bytes(range(32)).hex()), STORED)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"\x00\x01"])
def test_secrets_that_are_no_text_are_refused_by_file(tmp_path: Path, content: bytes) -> None:
    """One line with the file's name, for the key and for the audit token."""
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(SettingError, match=f"key file {path} must be 64 hex digits"):
        vault_of(_settings(KEY_FILE=str(path)), None)
    with pytest.raises(SettingError, match=f"audit token file {path} must be"):
        audit_token(_settings(AUDIT_TOKEN_FILE=str(path)))


def test_the_audit_token_is_trimmed_and_may_be_missing(tmp_path: Path) -> None:
    """Without one there is none; the setting itself wins over the file."""
    path = tmp_path / "token"
    path.write_text("sesame\n")
    assert audit_token(_settings()) == ""
    assert audit_token(_settings(AUDIT_TOKEN_FILE=str(path))) == "sesame"
    assert audit_token(_settings(AUDIT_TOKEN="open", AUDIT_TOKEN_FILE=str(path))) == "open"
