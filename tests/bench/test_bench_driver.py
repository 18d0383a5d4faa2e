"""The driver of `make bench`: medians over fresh processes, failures told and counted."""

import pytest

from tests.bench import __main__ as bench


def test_every_module_of_the_folder_is_run(tmp_path):
    """Modules are found by name, the ones a reader asks for first."""
    for name in ("bench_zzz", "bench_cluster", "bench_hand", "helper"):
        (tmp_path / f"{name}.py").touch()
    assert bench.modules(tmp_path) == ["hand", "cluster", "zzz"]
    assert set(bench.FIRST) <= set(bench.modules())


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("win_checks_per_s", "1/s"),
        ("steps/s through gRPC, one by one", "1/s"),
        ("rules-engine CPU µs per step, in batches of 64", "µs"),
        ("cpu_us_per_command_match", "µs"),
        ("step_us", "µs"),
        ("step_p99_us", "µs"),
        ("command_p50_ms", "ms"),
        ("state_max", "bytes"),
        ("other", ""),
    ],
)
def test_units_follow_from_names(name, unit):
    """A figure's name tells its unit."""
    assert bench.unit_of(name) == unit


def test_the_table_has_medians(capsys):
    """The median of the runs, the lowest, the highest, the command."""
    answers = iter([{"step_us": 30.0}, {"step_us": 10.0}, {"step_us": 1234.0}])
    assert bench.main(["engine"], lambda name: next(answers)) == 0
    head, titles, line = capsys.readouterr().out.splitlines()
    assert "cores" in head
    assert titles.split() == ["figure", "median", "unit", "lowest", "highest", "command"]
    words = ["step_us", "30.0", "µs", "10.0", "1,234", "python", "-m", "tests.bench", "engine"]
    assert line.split() == words


def test_a_module_that_fails_is_told_and_the_others_run(capsys):
    """Exit status 1, and the figures of the others stand."""

    def once(name):
        if name == "hand":
            raise bench.Failed("out of cards")
        return {"rounds_per_s": 7.0}

    assert bench.main(["hand", "engine", "--runs", "2"], once) == 1
    out, err = capsys.readouterr()
    assert "rounds_per_s" in out
    assert "hand failed:\nout of cards" in err


def test_figures_must_be_the_same_in_every_run(capsys):
    """A figure that only some runs have is a failure, not a median of fewer."""
    answers = iter([{"a": 1.0}, {"b": 1.0}])
    assert bench.main(["hand", "--runs", "2"], lambda name: next(answers)) == 1
    assert "hand failed" in capsys.readouterr().err


def test_a_child_that_breaks_is_a_failure():
    """A real process: its last words are the reason."""
    with pytest.raises(bench.Failed, match=r"No module named .*bench_nothing"):
        bench.child("nothing")


def test_an_unknown_module_is_refused(capsys):
    """One clear line."""
    with pytest.raises(SystemExit, match="2"):
        bench.main(["nothing"])
    assert "no such module: nothing" in capsys.readouterr().err
