"""TLS and mutual TLS between services."""

import datetime
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime import clients
from libs.runtime.server import App, Service, serving
from libs.runtime.settings import Settings


def _make_certificate(folder: Path, name: str) -> tuple[str, str]:
    """A self-signed certificate for localhost and its key, as files."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(
        subject, subject, key.public_key(), x509.random_serial_number()
    )
    builder = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(hours=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
    certificate = builder.sign(key, hashes.SHA256())
    encoded = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / f"{name}.crt").write_bytes(encoded)
    (folder / f"{name}.key").write_bytes(secret)
    return str(folder / f"{name}.crt"), str(folder / f"{name}.key")


async def _setup(_app: App) -> None:
    """Health alone is enough to talk to."""


def _settings(**values: str) -> Settings:
    base = {"PORT": "0", "METRICS_PORT": "0", "DRAIN_SECONDS": "0"}
    return Settings.of("toy", {f"PAIJU_TOY_{k}": v for k, v in {**base, **values}.items()})


async def _ask(port: int, credentials: grpc.ChannelCredentials | None) -> int:
    async with clients.channel(f"localhost:{port}", credentials) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        return (await stub.Check(health_pb2.HealthCheckRequest(), timeout=5)).status


async def test_mutual_tls(tmp_path):
    """With TLS_CLIENT_CA only callers with a certificate of it get in; plain text never does."""
    cert, key = _make_certificate(tmp_path, "server")
    mine, mine_key = _make_certificate(tmp_path, "caller")
    other, other_key = _make_certificate(tmp_path, "stranger")
    settings = _settings(TLS_CERT=cert, TLS_KEY=key, TLS_CLIENT_CA=mine)
    known = clients.credentials(_settings(TLS_CA=cert, TLS_CERT=mine, TLS_KEY=mine_key))
    strangers = [
        None,
        clients.credentials(_settings(TLS_CA=cert)),
        clients.credentials(_settings(TLS_CA=cert, TLS_CERT=other, TLS_KEY=other_key)),
    ]
    async with serving(Service("toy", 0, 0, _setup), settings) as app:
        assert await _ask(app.port, known) == health_pb2.HealthCheckResponse.SERVING
        for stranger in strangers:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await _ask(app.port, stranger)
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
