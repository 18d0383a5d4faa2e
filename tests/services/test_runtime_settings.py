"""Settings: typed, named in every refusal, safe by default."""

import pytest

from libs.runtime.server import serving
from libs.runtime.settings import (
    Listen,
    SettingError,
    Settings,
    Tls,
    is_loopback,
    listen_settings,
    misspelt,
)
from services.rules_engine.main import SERVICE as RULES


def _settings(**values: str) -> Settings:
    return Settings.of("toy", {f"PAIJU_TOY_{name}": value for name, value in values.items()})


BAD = [
    (lambda s: s.integer("N", 1), {"N": "x"}),
    (lambda s: s.integer("N", 1, 0, 5), {"N": "6"}),
    (lambda s: s.integer("N", 1), {"N": "-1"}),
    (lambda s: s.integer("N", 1), {"N": "--1"}),
    (lambda s: s.seconds("N", 1), {"N": "soon"}),
    (lambda s: s.seconds("N", 1), {"N": "nan"}),
    (lambda s: s.flag("N"), {"N": "maybe"}),
    (lambda s: s.text("N"), {}),
    (lambda s: s.file("N"), {"N": "/nonexistent/file"}),
]


@pytest.mark.parametrize(("read", "values"), BAD)
def test_bad_values_name_the_variable_not_the_value(read, values):
    """The refusal names the variable; the value may be a secret and is not repeated."""
    with pytest.raises(SettingError, match="PAIJU_TOY_N") as caught:
        read(_settings(**values))
    assert not any(value in str(caught.value) for value in values.values() if len(value) > 2)


def test_good_values():
    """Values are read by type; empty ones count as absent."""
    settings = _settings(N="5", F="yes", T="text", E=" ", S="0")
    assert settings.integer("N", 1) == 5
    assert settings.flag("F") is True
    assert settings.text("T") == "text"
    assert settings.text("E", "default") == "default"
    assert settings.seconds("S", 3.0) == 0
    assert settings.file("E") is None


def test_keys_come_from_files(tmp_path):
    """A key has its exact length in hexadecimal digits; anything else is refused unseen."""
    path = tmp_path / "key"
    for text, size in (("00ff" * 8 + "\n", 16), ("abc", 0), ("zz" * 16, 0), ("", 0)):
        path.write_text(text)
        settings = _settings(K_FILE=str(path))
        if size:
            assert settings.key_bytes("K", size) == bytes.fromhex(text)
            continue
        with pytest.raises(SettingError, match="PAIJU_TOY_K_FILE must be a file of 32"):
            settings.key_bytes("K", 16)
    with pytest.raises(SettingError, match="PAIJU_TOY_K_FILE"):
        _settings().key_bytes("K", 16)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "[::]", "example.org"])
def test_plain_text_beyond_loopback_is_refused(host):
    """Beyond this machine a service wants TLS or an explicit INSECURE."""
    with pytest.raises(SettingError, match="PAIJU_TOY_TLS_CERT"):
        listen_settings(_settings(BIND=host), 1, 2)
    assert listen_settings(_settings(BIND=host, INSECURE="1"), 1, 2) == Listen(host, 1, 2, None)


def test_tls_lets_a_service_listen_anywhere(tmp_path):
    """With certificate and key any address is fine; one without the other is refused."""
    (tmp_path / "cert").write_bytes(b"c")
    (tmp_path / "key").write_bytes(b"k")
    cert, key = str(tmp_path / "cert"), str(tmp_path / "key")
    listen = listen_settings(_settings(BIND="0.0.0.0", TLS_CERT=cert, TLS_KEY=key), 1, 2)
    assert listen.tls == Tls(b"c", b"k")
    with pytest.raises(SettingError, match="go together"):
        listen_settings(_settings(TLS_CERT=cert), 1, 2)


def test_loopback():
    """Addresses of this machine only."""
    assert all(is_loopback(host) for host in ("127.0.0.1", "localhost", "[::1]", "127.8.0.1"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "example.org", "::", "10.0.0.1"))


def test_secrets_stay_out_of_repr():
    """Neither the environment nor a key shows when settings are printed."""
    assert "hidden" not in repr(Settings.of("toy", {"PAIJU_TOY_KEY": "hidden"}))
    assert "hidden" not in repr(Tls(b"c", b"hidden"))


def test_misspelt_names_are_found_with_the_nearest():
    """Of one service or of all; what stands in the table and what is no setting of ours is not."""
    env = {"PAIJU_MATCH_PROT": "", "PAIJU_LEGER_BIND": "", "PAIJU_RULES_PORT": "1", "PATH": "x"}
    assert list(misspelt(env)) == [
        ("PAIJU_LEGER_BIND", "PAIJU_LEDGER_BIND"),
        ("PAIJU_MATCH_PROT", "PAIJU_MATCH_PORT"),
    ]
    assert list(misspelt(env, "MATCH")) == [("PAIJU_MATCH_PROT", "PAIJU_MATCH_PORT")]
    for name in ("PAIJU_RULES_DATABASE_URL", "PAIJU_X"):
        assert [found for found, _ in misspelt({name: "x"})] == [name]


async def test_a_service_warns_of_a_misspelt_setting_and_serves(capfd):
    """A warning with the nearest name, never the value; another service's is not its business."""
    env = {f"PAIJU_RULES_{name}": "0" for name in ("PORT", "METRICS_PORT", "DRAIN_SECONDS")}
    env |= {"PAIJU_RULES_BNID": "canary", "PAIJU_MATCH_BNID": "canary"}
    async with serving(RULES, Settings.of("rules", env)) as app:
        assert app.serving
    told = capfd.readouterr().err
    warned = [line for line in told.splitlines() if "unknown_setting" in line]
    assert len(warned) == 1
    assert '"variable":"PAIJU_RULES_BNID","nearest":"PAIJU_RULES_BIND"' in warned[0]
    assert "canary" not in told
