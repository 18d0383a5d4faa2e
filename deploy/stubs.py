"""Generates the Python stubs of `protos/` into the git-ignored `gen/`.

Files that did not change keep their time; a failed run leaves the old stubs as they are. Type
stubs come along where mypy-protobuf is installed.
"""

import importlib.metadata
import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GEN = ROOT / "gen"
THIRD_PARTY = ("google/rpc/status.proto",)
_PLUGINS = {"mypy": "protoc-gen-mypy", "mypy_grpc": "protoc-gen-mypy_grpc"}


def _third_party(target: Path) -> None:
    """Protos of googleapis-common-protos, put where protoc and buf look."""
    package = importlib.metadata.distribution("googleapis-common-protos")
    for name in THIRD_PARTY:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(package.locate_file(name)), target / name)


def _typed(target: Path) -> list[str]:
    folder = Path(sys.executable).parent
    present = [(name, plugin) for name, plugin in _PLUGINS.items() if (folder / plugin).exists()]
    plugins = [f"--plugin={plugin}={folder / plugin}" for _, plugin in present]
    return plugins + [f"--{name}_out=quiet:{target}" for name, _ in present]


def _generate(target: Path) -> None:
    _third_party(target / "third_party")
    own = Path(str(protoc.__file__)).parent / "_proto"
    arguments = ["protoc", f"-I{PROTOS}", f"-I{target / 'third_party'}", f"-I{own}"]
    arguments += [f"--python_out={target}", f"--grpc_python_out={target}"]
    arguments += _typed(target)
    arguments += sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    if protoc.main(arguments) != 0:
        raise SystemExit("stubs: protoc refused the protos")
    (target / "paiju" / "py.typed").touch()


def _files(folder: Path) -> set[Path]:
    kinds = (".py", ".pyi", ".proto", ".typed")
    return {p.relative_to(folder) for p in folder.rglob("*") if p.suffix in kinds}


def _replace(made: Path, names: set[Path]) -> None:
    for name in names:
        target = GEN / name
        if target.exists() and target.read_bytes() == (made / name).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        (made / name).replace(target)
    old = {name for name in _files(GEN) if not name.parts[0].startswith(".new-")}
    for name in old - names:
        (GEN / name).unlink()


def main() -> int:
    """Command line."""
    GEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=GEN, prefix=".new-") as folder:
        made = Path(folder) / "out"
        made.mkdir()
        _generate(made)
        _replace(made, _files(made))
    (GEN / ".stamp").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
