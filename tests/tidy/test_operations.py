"""What docs/operations.md says of settings, metrics and log lines is what the code has."""

import re

import pytest
from tidy_sources import ROOT, files, text

from libs.runtime.settings import KNOWN

PAGE = (ROOT / "docs/operations.md").read_text("utf-8")
SETTING = re.compile(
    r"settings\.(?:text|integer|seconds|flag|path|file|raw|secret|key_bytes|name)\(\s*\"([A-Z_]+)\""
)
METRIC = re.compile(r"metrics\.(counter|gauge|histogram)\(\s*\"([a-z_]+)\"")
TARGETS = ("RULES", "SCORING", "LEDGER")


def _settings() -> set[str]:
    code = files("services", "libs/runtime")
    found = {setting for path in code for setting in SETTING.findall(text(path))}
    return found | {f"{target}_TARGET" for target in TARGETS}


def _metrics() -> set[str]:
    found = set()
    for path in files("services", "libs/runtime"):
        for kind, metric in METRIC.findall(text(path)):
            total = "_total" if kind == "counter" else ""
            found.add(f"paiju_{metric.removesuffix('_total')}{total}")
    return found


def test_every_setting_is_explained():
    """Each setting that the code reads has a row, and no row is about another."""
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    told = {word for row in rows for word in re.findall(r"`([A-Z][A-Z_]+)`", row)}
    assert len(told) > 15
    assert told == _settings()
    assert told == {setting for settings in KNOWN.values() for setting in settings}


@pytest.mark.parametrize("metric", sorted(_metrics()))
def test_every_metric_is_explained(metric):
    """Each metric stands in the table, in full or after the name of its row's first."""
    tail = "…" + metric.removeprefix("paiju_ledger_")
    assert f"`{metric}" in PAGE or f"`{tail}" in PAGE


@pytest.mark.parametrize("event", re.findall(r"`([a-z]+_(?:failed|unreadable))`", PAGE))
def test_log_lines_to_watch_for_exist(event):
    """An alarm on a line that nobody writes would never ring."""
    code = files("services", "libs/runtime")
    assert any(re.search(rf'\.error\(\s*"{event}"', text(path)) for path in code)
