"""The command that measures what shipped clients give away, and that it fails for broken ones."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from aggregation.audit import Client, browser_client, python_client
from aggregation.mechanisms import SequenceFragmentPuzzle, mechanism_for
from reports.management.commands import audit
from reports.management.commands.audit import SCRIPT, two_elements
from tests.aggregation.audit.broken import broken_browser_client
from tests.reports.factories import ALGORITHM, SEED, WIRE, apply, definition, make_version

pytestmark = [pytest.mark.statistical, pytest.mark.django_db]

BITS = definition(slug="bits", parameters={"epsilon": 0.5, "k": 8, "m": 16, "seed": SEED})
SIGNS = definition(
    slug="signs", algorithm="HadamardCountMeanSketch", parameters={"epsilon": 1, "k": 8, "m": 16, "seed": SEED}
)
BUCKETS = definition(
    slug="buckets", algorithm="LocalHashing", parameters={"epsilon": 8, "k": 8, "g": 2982, "seed": SEED}
)
WORDS = definition(
    slug="words",
    algorithm="SequenceFragmentPuzzle",
    normalization="word",
    parameters={
        "epsilon": 2,
        "k": 8,
        "m": 64,
        "fragment_epsilon": 3,
        "fragment_k": 8,
        "fragment_m": 64,
        "length": 4,
        "seed": SEED,
    },
    alphabet={"en_US": "abc", "fr_FR": "é"},
    dictionary=None,
)


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and standard output of the command."""
    out = io.StringIO()
    try:
        call_command("audit", *arguments, stdout=out, stderr=io.StringIO())
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def run_json(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code, output = run(*arguments, "--json")
    return code, json.loads(output)


def test_shipped_clients_pass() -> None:
    """The estimates take 36,161 runs (buckets) and 80,817 (bits) to be judged."""
    apply(BITS, BUCKETS)
    for use_case, client, epsilon, runs in (("buckets", "python", 8, 36_168), ("bits", "browser", 0.5, 81_000)):
        code, (item,) = run_json(use_case, "--client", client, "--runs", str(runs))
        assert (item["use_case"], item["client"], item["verdict"], code) == (use_case, client, "passes", 0)
        assert item["epsilon"] == epsilon
        assert item["lower_limit"] < epsilon
        assert item["estimate"] == pytest.approx(epsilon, abs=5.5 * item["standard_error"])
        assert item["faults"] == []
        assert item["runs_needed"] <= item["runs"] == runs


def test_by_default_both_clients_are_audited_in_all_use_cases() -> None:
    apply(BITS, SIGNS)
    _code, found = run_json("--runs", "80")
    assert [(item["use_case"], item["client"]) for item in found] == [
        (use_case, client) for use_case in ("bits", "signs") for client in ("python", "browser")
    ]


@pytest.mark.parametrize("how", ["seeded_at_the_start", "twice_epsilon"])
def test_broken_clients_fail(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of `aggregation.audit` break clients in every way."""
    monkeypatch.setattr(audit, "clients", lambda *_: [broken_browser_client(how, tmp_path)])
    apply(SIGNS, WORDS)
    code, found = run_json("--client", "browser", "--runs", "8000")
    assert code == 1
    assert [item["verdict"] for item in found] == ["fails"] * 2
    for item in found:
        if how == "twice_epsilon":
            assert item["lower_limit"] > item["epsilon"]
        else:
            assert any("two clients that were started anew draw the same" in fault for fault in item["faults"])


def test_the_table_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_version(parameters=BITS["parameters"])
    monkeypatch.setattr(audit, "clients", lambda *_: [broken_browser_client("hot_bit_kept", tmp_path)])
    code, table = run("keyboard-emoji", "--runs", "4000")
    headings, line, *faults = table.splitlines()
    assert code == 1
    assert headings.split("  ")[0] == "USE CASE"
    assert line.split()[:4] == ["keyboard-emoji", "browser", "4,000", "0.5"]
    assert line.endswith("  fails")
    assert "  the bits of two elements tell them apart by more than ε" in faults


def test_an_estimate_without_bound_is_null(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    apply(SIGNS)
    monkeypatch.setattr(audit, "clients", lambda *_: [broken_browser_client("hot_bit_kept", tmp_path)])
    assert run_json("--runs", "800")[1][0]["estimate"] is None
    assert " ∞ " in run("--runs", "800")[1]


def test_too_few_runs_do_not_pass_and_who_waits_is_told_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "PROGRESS_AFTER_SECONDS", -1)
    apply(SIGNS)
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("audit", "signs", "--client", "python", "--runs", "801", stdout=out, stderr=err)
    assert end.value.code == 1
    assert "signs, python: 100 % of 808 reports" in err.getvalue()
    line, told = out.getvalue().splitlines()[1:]
    assert line.split()[2] == "808"
    assert line.endswith("  too few runs to tell")
    assert "to judge the estimate takes 98" in told


def test_by_default_there_are_the_runs_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the estimate takes, and at least those of the client."""
    asked = []

    def noted(mechanism: Any, elements: list[str], client: Client, runs: int, progress: Any) -> Any:
        asked.append((client.name, runs))
        raise KeyboardInterrupt

    monkeypatch.setattr(audit, "audit", noted)
    apply(SIGNS)
    for arguments in (("--client", "python"), ("--client", "browser")):
        with pytest.raises(KeyboardInterrupt):
            run(*arguments)
    make_version(
        slug="signs", parameters={"epsilon": 8, "k": 8, "m": 16, "seed": "01" * 16}, algorithm=SIGNS["algorithm"]
    )
    with pytest.raises(KeyboardInterrupt):
        run("--client", "python")
    assert asked[:2] == [("python", 1_000_000), ("browser", 200_000)]
    assert asked[2][1] > 50_000_000


def test_both_clients_are_the_shipped_ones() -> None:
    mechanism = mechanism_for(ALGORITHM, WIRE)
    assert audit.clients(["python", "browser", "python"], mechanism) == [
        python_client(mechanism),
        browser_client(SCRIPT),
    ]
    assert SCRIPT.is_file()


def test_elements_are_those_of_the_use_case() -> None:
    assert two_elements(make_version()) == ["😂", "❤"]
    assert two_elements(make_version(dictionary=["a"], slug="one")) == ["a", "b"]
    assert two_elements(make_version(dictionary=None, slug="none")) == ["a", "b"]


@pytest.mark.parametrize("alphabet", ["a", "ab", "abcdefghijklmnopqrstuvwxyz"])
@pytest.mark.parametrize("length", [2, 16])
def test_words_to_tell_apart_share_no_fragment(alphabet: str, length: int) -> None:
    version = make_version(
        **WORDS | {"alphabet": alphabet, "parameters": WORDS["parameters"] | {"length": length}, "dictionary": None}
    )
    one, other = two_elements(version)
    mechanism = version.mechanism
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    for position in mechanism.positions:
        assert mechanism.fragment_of(one, position)[3:] != mechanism.fragment_of(other, position)[3:]


def test_what_cannot_be_audited_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no use case with an active version"):
        run()
    make_version()
    with pytest.raises(CommandError, match="no use case 'other'"):
        run("keyboard-emoji", "other")
    with pytest.raises(CommandError, match="at least 1"):
        run("--runs", "0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="apt-get install nodejs"):
        run("keyboard-emoji", "--runs", "80")
    assert run_json("keyboard-emoji", "--runs", "80", "--client", "python")[1][0]["client"] == "python"
