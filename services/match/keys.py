"""Where the key that wraps all match keys comes from."""

import os
import secrets
from pathlib import Path

from libs.runtime.settings import SettingError, Settings
from services.match.seal import KEY_BYTES, Vault


def vault_of(settings: Settings) -> Vault:
    """KEY (64 hex digits), else KEY_FILE, which is made if it is not there.

    The file must not lie in the database's directory in production: whoever copies the one should
    not get the other. Losing the key loses every open match.
    """
    given = settings.raw("KEY")
    if given is None:
        given = _from_file(settings)
    try:
        return Vault(bytes.fromhex(given))
    except ValueError:
        raise SettingError(
            f"{settings.service}: {settings.name('KEY')} must be {KEY_BYTES * 2} hex digits"
        ) from None


def _from_file(settings: Settings) -> str:
    path = Path(settings.text("KEY_FILE", "var/keys/match.key"))
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(KEY_BYTES))
        return path.read_text().strip()
    except OSError as error:
        raise SettingError(f"{settings.service}: key file {path}: {error.strerror}") from None
