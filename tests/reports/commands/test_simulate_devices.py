"""`simulate_devices`: documents as a fleet would send them, and the truth beside."""

import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from reports.collection.ingest import Upload, ingest
from reports.models import UseCase, Version
from tests.reports.factories import SEED, WIRE, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

SHARES = "locale\telement\tshare\nen_US\t😂\t0.75\nen_US\t❤️\t0.25\nfr_FR\t👍\t2\nfr_FR\t❤\t1\nfr_FR\t❤️\t1\n"


@pytest.fixture
def version(db: None) -> Version:
    return make_version()


def run(folder: Path, *options: str, shares: str = SHARES, use_case: str = "keyboard-emoji") -> tuple[Path, Path]:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / "shares.tsv"
    path.write_text(shares)
    out = io.StringIO()
    call_command("simulate_devices", use_case, "--shares", str(path), "--output", str(folder), *options, stdout=out)
    documents, truth = map(Path, out.getvalue().splitlines())
    assert (documents, truth) == (folder / f"{use_case}.ndjson", folder / f"{use_case}-true-counts.tsv")
    return documents, truth


def true_counts(path: Path) -> dict[tuple[str, str], int]:
    head, *lines = path.read_text().splitlines()
    assert head == "locale\telement\tcount"
    rows = [line.split("\t") for line in lines]
    return {(locale, element): int(count) for locale, element, count in rows}


def test_documents_and_true_counts_agree(version: Version, tmp_path: Path) -> None:
    documents, truth = run(tmp_path, "--reports", "2501")
    records: Counter[str] = Counter()
    for line in documents.read_text().splitlines():
        content = json.loads(line)
        assert content.keys() == {"version", "segments"}
        (segment,) = content["segments"]
        assert segment.keys() == {"use_case", "locale", "algorithm", "parameters", "records"}
        assert segment["parameters"] == WIRE
        assert 0 < len(segment["records"]) <= 1000
        records[segment["locale"]] += len(segment["records"])
    assert records == {"en_US": 1251, "fr_FR": 1250}
    counts = true_counts(truth)
    assert counts.keys() == {("en_US", "😂"), ("en_US", "❤"), ("fr_FR", "👍"), ("fr_FR", "❤")}
    assert counts["en_US", "😂"] + counts["en_US", "❤"] == 1251
    assert counts["en_US", "😂"] > counts["en_US", "❤"] > 0


def simulate(version: Version, folder: Path, *options: str) -> tuple[Path, Path]:
    """Simulation without a file of shares."""
    slug = version.use_case.slug
    call_command("simulate_devices", slug, "--output", str(folder), *options, stdout=io.StringIO())
    return folder / f"{slug}.ndjson", folder / f"{slug}-true-counts.tsv"


def test_without_shares_devices_follow_zipfs_law_in_every_locale(version: Version, tmp_path: Path) -> None:
    documents, truth = simulate(version, tmp_path, "--reports", "12000")
    counts = true_counts(truth)
    for locale in ("en_US", "fr_FR"):
        # 6/11, 3/11 and 2/11 of 6,000 reports; five standard deviations are at most 193.
        for element, expected in (("😂", 3273), ("❤", 1636), ("👍", 1091)):
            assert abs(counts[locale, element] - expected) < 193
    with documents.open("rb") as stream:
        assert ingest(Upload(stream, "ndjson"), UseCase.objects.all()).accepted == 12000


def test_without_shares_and_without_a_dictionary(tmp_path: Path) -> None:
    version = make_version(dictionary=None)
    with pytest.raises(CommandError, match="has no dictionary to draw from"):
        simulate(version, tmp_path)


WORDS = {
    "slug": "new-words",
    "algorithm": "SequenceFragmentPuzzle",
    "normalization": "word",
    "locales": ["en", "fr"],
    "parameters": {
        "epsilon": 16,
        "k": 16,
        "m": 64,
        "fragment_epsilon": 16,
        "fragment_k": 16,
        "fragment_m": 64,
        "length": 6,
        "seed": SEED,
    },
    "alphabet": {"en": "abeihlotuv'", "fr": "abeihlotuvé"},
    "minimum_reports": 1000,
    "dictionary": None,
}
WORD_SHARES = "locale\tword\tshare\nen\tLol\t2\nen\thubbub\t1\nen\thubbubaloo\t1\nfr\tété\t1\nfr\te\u0301te\u0301\t1\n"


def test_devices_that_meet_unknown_words(tmp_path: Path) -> None:
    make_version(**WORDS)
    documents, truth = run(tmp_path, "--reports", "2400", shares=WORD_SHARES, use_case="new-words")
    (segment,) = json.loads(documents.read_text().splitlines()[0])["segments"]
    assert segment["algorithm"] == "SequenceFragmentPuzzle"
    # Position, row and bits of two letters, row and bits of the word.
    form = re.compile(r"[135],(1?\d),[0-9a-f]{16},(1?\d),[0-9a-f]{16}")
    assert all(form.fullmatch(record) for record in segment["records"])
    assert {record[0] for record in segment["records"]} == {"1", "3", "5"}
    counts = true_counts(truth)
    # In lower case, composed, and cut to six letters: as devices report them, but for the pads.
    assert counts.keys() == {("en", "lol"), ("en", "hubbub"), ("fr", "été")}
    # Half of 1,200 and five standard deviations.
    assert abs(counts["en", "lol"] - 600) < 87
    with documents.open("rb") as stream:
        assert ingest(Upload(stream, "ndjson"), UseCase.objects.all()).accepted == sum(counts.values()) == 2400


def test_true_counts_name_words_as_the_export_does(tmp_path: Path) -> None:
    make_version(**WORDS)
    documents, truth = run(tmp_path, "--reports", "2400", shares=WORD_SHARES, use_case="new-words")
    with documents.open("rb") as stream:
        ingest(Upload(stream, "ndjson"), UseCase.objects.all())
    call_command("aggregate", "new-words", inline=True, stdout=io.StringIO())
    for locale in ("en", "fr"):
        out = io.StringIO()
        call_command("export", "new-words", locale=locale, stdout=out)
        found = {(locale, entry["element"]) for entry in json.loads(out.getvalue())["entries"]}
        assert found == {counted for counted in true_counts(truth) if counted[0] == locale}


@pytest.mark.parametrize(
    ("word", "foreign"),
    [("", ""), ("l_l", "_"), ("lol_", "_"), ("zero", "z"), ("été", "é"), ("lo l", " "), ("hubbubaloo!", "!")],
)
def test_words_that_devices_do_not_report(tmp_path: Path, word: str, foreign: str) -> None:
    make_version(**WORDS)
    reason = f": {foreign!r} is not in the alphabet of en" if foreign else ""
    with pytest.raises(CommandError, match=f"line 3: not an element that devices report{re.escape(reason)}$"):
        run(tmp_path, shares=f"head\nfr\tété\t1\nen\t{word}\t1\n", use_case="new-words")


def test_unknown_words_follow_no_law_of_a_dictionary(tmp_path: Path) -> None:
    version = make_version(**WORDS)
    with pytest.raises(CommandError, match="has no dictionary to draw from"):
        simulate(version, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_help_says_how_a_file_of_shares_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("simulate_devices", "--help")
    said = capsys.readouterr().out
    assert "  locale  element  share\n  en_US   😂       0.06\n" in said
    assert "Zipf's law" in said


def test_the_same_seed_makes_the_same_fleet(version: Version, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in run(tmp_path / "a", "--reports", "100", "--seed", "5")]
    again = [path.read_bytes() for path in run(tmp_path / "b", "--reports", "100", "--seed", "5")]
    other = [path.read_bytes() for path in run(tmp_path / "c", "--reports", "100", "--seed", "6")]
    assert first == again
    assert first[0] != other[0]


def test_fewer_reports_than_locales(version: Version, tmp_path: Path) -> None:
    documents, truth = run(tmp_path, "--reports", "1")
    assert len(documents.read_text().splitlines()) == 1
    assert sum(true_counts(truth).values()) == 1


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ("", "no shares"),
        ("locale\telement\tshare\n", "no shares"),
        ("head\nen_US\t😂\n", "line 2"),
        ("head\nen_US\t😂\t1\t1\n", "line 2"),
        ("head\nen_US\t😂\tmany\n", "line 2"),
        ("head\nen_US\t😂\t-1\n", r"line 2: the share is not a number from 0 upwards$"),
        ("head\nen_US\t😂\tnan\n", r"line 2: the share is not a number from 0 upwards$"),
        ("head\nen_US\t😂\tinf\n", r"line 2: the share is not a number from 0 upwards$"),
        ("head\nen_US\t\t1\n", "line 2"),
        ("head\nen_US\t😂\t1\nde_DE\t😂\t1\n", "line 3.*'de_DE'"),
        ("head\nde_DE\t\t1\n", "line 2.*'de_DE'"),
        ("head\nen_US\t😂\t0\n", "no shares above 0 for en_US"),
        ("head\nen_US\t😂\t1\nfr_FR\t😂\t0\n", "no shares above 0 for fr_FR"),
    ],
)
def test_shares_that_cannot_be_used(version: Version, tmp_path: Path, shares: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run(tmp_path, shares=shares)


@pytest.mark.parametrize("options", [["--reports", "0"], ["--reports", "-5"], ["--seed", "-1"], ["--reports", "x"]])
def test_options_that_cannot_be_used(version: Version, tmp_path: Path, options: list[str]) -> None:
    with pytest.raises(CommandError):
        run(tmp_path, *options)


def test_an_unknown_use_case(version: Version, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no use case 'nothing'"):
        run(tmp_path, use_case="nothing")


def test_files_that_cannot_be_read_or_written(version: Version, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("simulate_devices", "keyboard-emoji", "--shares", str(tmp_path / "missing.tsv"))
    (tmp_path / "shares.tsv").write_text(SHARES)
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="cannot be written"):
        call_command(
            "simulate_devices",
            "keyboard-emoji",
            "--shares",
            str(tmp_path / "shares.tsv"),
            "--output",
            str(tmp_path / "file"),
        )
