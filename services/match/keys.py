"""Where the secrets come from: the key that wraps all match keys, and the audit token."""

import os
import secrets
import tempfile
from pathlib import Path

from libs.runtime.settings import SettingError, Settings
from services.match.seal import KEY_BYTES, SealError, Vault


def vault_of(settings: Settings, stored: tuple[str, bytes] | None) -> Vault:
    """KEY (64 hex digits), else KEY_FILE; `stored` is a match of the database and its wrapped key.

    A new key is made for a database without matches only: with another key no stored match could
    be read. The file must not lie in the database's directory in production: whoever copies the
    one should not get the other.
    """
    given, place = settings.raw("KEY"), settings.name("KEY")
    if given is None:
        path = Path(settings.text("KEY_FILE", "var/keys/match.key"))
        given, place = _key_text(settings, path, stored is None), f"key file {path}"
    try:
        vault = Vault(bytes.fromhex(given))
    except ValueError:
        wanted = f"{place} must be {KEY_BYTES * 2} hex digits"
        raise SettingError(f"{settings.service}: {wanted}") from None
    if stored is not None:
        _try(settings, vault, stored, place)
    return vault


def audit_token(settings: Settings) -> str:
    """AUDIT_TOKEN, else what AUDIT_TOKEN_FILE holds; empty without both: nobody may audit."""
    given, file = settings.raw("AUDIT_TOKEN"), settings.raw("AUDIT_TOKEN_FILE")
    place = settings.name("AUDIT_TOKEN")
    if given is None and file is None:
        return ""
    if given is None:
        given, place = _text(settings, Path(file or "")), f"audit token file {file}"
    if not given or not (given.isascii() and given.isprintable()):
        raise SettingError(f"{settings.service}: {place} must be one line of printable ASCII")
    return given


def make_secret(path: Path) -> None:
    """A file of random hex digits for its owner only: all of it, or none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(KEY_BYTES) + "\n")
        file.flush()
        os.fsync(handle)
    Path(name).replace(path)


def _key_text(settings: Settings, path: Path, new: bool) -> str:
    try:
        if not path.exists():
            if not new:
                lost = f"key file {path} is missing, and the database has matches under its key"
                raise SettingError(f"{settings.service}: {lost}")
            make_secret(path)
    except OSError as error:
        raise SettingError(f"{settings.service}: key file {path}: {error.strerror}") from None
    return _text(settings, path)


def _text(settings: Settings, path: Path) -> str:
    """What a file holds; bytes that are no text become what no secret may contain."""
    try:
        return path.read_bytes().decode("ascii", "replace").strip()
    except OSError as error:
        raise SettingError(f"{settings.service}: {path}: {error.strerror}") from None


def _try(settings: Settings, vault: Vault, stored: tuple[str, bytes], place: str) -> None:
    try:
        vault.unwrap(*stored)
    except SealError:
        wrong = f"{place} is not the key of the matches in the database"
        raise SettingError(f"{settings.service}: {wrong}") from None
