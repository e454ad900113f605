"""The client for notebooks as a wheel: installed where nothing but its requirements are, and asked about a site."""

import gzip
import io
import json
import re
import zipfile
from email import message_from_bytes
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from ldpsite.env import BASE_DIR
from reports.models import ApiToken, Version
from reports.simulation import Fleet, Shares
from reports.web.api.api_schema import openapi
from tests.environments import built, installed, run
from tests.reports.comparing import EATEN, send_shares
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import FRUITS, PROBABILITIES, aggregate, days_ago, define
from tests.reports.trained import define_task, order
from tests.worlds import once

pytestmark = [
    pytest.mark.exact,
    pytest.mark.skipif(
        not (find_spec("httpx") and find_spec("pandas")), reason="make install-dev installs httpx, pandas"
    ),
]

CLIENT = BASE_DIR / "clients" / "python"
README = (CLIENT / "README.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
# Packages that the client needs, and that its extra does.
NEEDED = ("httpx", "httpcore", "h11", "anyio", "certifi", "idna", "typing_extensions")
EXTRA = ("pandas", "numpy", "python-dateutil", "six", "tzdata")
# For charts; nbformat, by which a notebook shows them, is not called here.
DRAWS = ("plotly", "narwhals", "packaging")

JOURNEY = """
import contextlib, io, json, os, sys
from pathlib import Path
import ldpsite_client
from ldpsite_client import NothingShown, Site, SiteError
url, token, folder = sys.argv[1:]
said = {}

def refused(ask, *arguments, **named):
    try:
        ask(*arguments, **named)
    except SiteError as error:
        return [type(error).__name__, error.status, error.name, str(error)]
    except (ValueError, ModuleNotFoundError) as error:
        return [type(error).__name__, str(error)]

with Site(url, token) as site:
    said["use_cases"] = [(each.slug, each.title, each.state) for each in site.use_cases()]
    fruits = site.use_case("keyboard-emoji")
    said["versions"] = [(each.version, each.kind, each.locales) for each in fruits.versions()]
    said["locales"] = [(each.locale, str(each.last_day)) for each in fruits.locales()]
    said["windows"] = [str(each.last_day) for each in fruits.windows(locale="fr_FR")]

    histogram = fruits.histogram(locale="fr_FR", days=7)
    said["histogram"] = histogram.document
    said["kept"] = fruits.histogram(locale="fr_FR", days=7).document is histogram.document
    frame = histogram.to_frame()
    said["frame"] = [list(frame.columns), frame["lower"].tolist(), frame["upper"].tolist()]
    said["attrs"] = frame.attrs
    said["properties"] = [histogram.n, histogram.locale, str(histogram.first_day), histogram.confidence, len(histogram)]

    compared = fruits.compare(locale="en_US", other_locale="fr_FR", other_last=histogram.last_day, top=3)
    said["compared"] = [len(compared), list(compared.to_frame().columns), compared.false_discovery_rate]
    together = fruits.all_locales(last=histogram.last_day, top=2)
    said["together"] = [list(together.to_frame().columns), {row["locale"] for row in together} == {"en_US", "fr_FR"}]
    changes = fruits.changes(days=1)
    said["changes"] = [len(changes), changes.clear, list(changes.to_frame().columns)]
    of_site = site.changes()
    said["site changes"] = [len(of_site), of_site.false_discovery_rate, list(of_site.to_frame().columns)]
    trend = fruits.trend("apple", "fig", locale="fr_FR", days=28, step=1)
    said["trend"] = [sorted({row["element"] for row in trend}), str(trend.to_frame()["first_day"].dtype)]
    words = site.use_case("slang").words("all")
    said["words"] = [[row["display"] for row in words], "verdict" in words.to_frame()]
    nothing = site.use_case("slang").words("accepted").to_frame()
    said["no words"] = [len(nothing), "verdict" in nothing]

    drawn = [histogram, compared, together, trend, site.use_case("slang").words("all")]
    said["charts"] = [json.loads(each.plot().to_json()) for each in drawn]
    said["charts of nothing"] = [len(changes.plot().data), len(histogram.plot(0).data[0].x)]

    films = site.training_task("films")
    runs = films.runs()
    said["training"] = [
        [each.slug for each in site.training_tasks()],
        list(runs.to_frame().columns),
        [row["state"] for row in runs],
        [
            films.ledger()["simulated_with_file"]["runs"],
            films.statement()["task"],
            films.run(runs.rows[0]["run"])["state"],
        ],
    ]

    said["errors"] = [
        refused(fruits.words),
        refused(fruits.histogram, locale="xx"),
        refused(fruits.histogram, first="2020-01-01", last="2020-01-02"),
        refused(site.use_case("none").histogram),
        refused(site.use_case("none").upload, []),
        refused(Site(url, "wrong").use_cases),
        refused(Site(url + "/elsewhere", token).use_cases),
        refused(Site, "http://ldpsite.example.org", token),
        refused(Site, url),
        refused(site.upload, Path(folder, "reports.csv")),
        refused(site.upload, b""),
    ]

    receipts = [
        site.upload(folder + "/reports.ndjson.gz", key="one"),
        site.upload(Path(folder, "reports.ndjson.gz"), key="one"),
        fruits.upload(Path(folder, "records").read_text().split(), locale="fr_FR", strict=True),
    ]
    said["receipts"] = [(each.status, each.accepted, each.rejected, str(each.day)) for each in receipts]

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(Path(folder, "example").read_text(), {"url": url, "token": token})
    said["printed"] = printed.getvalue()

    os.environ["LDPSITE_TOKEN"] = token
    said["copied"] = []
    for program in json.loads(Path(folder, "copied").read_text()):
        exec(program, scope := {})
        said["copied"].append(scope["frame"].attrs["address"])

    sys.modules["pandas"] = sys.modules["plotly"] = None
    said["errors"] += [refused(histogram.to_frame), refused(histogram.plot)]

rows = {name: list(getattr(ldpsite_client, name).__annotations__) for name in ldpsite_client.__all__
        if name.endswith(("Row", "Point"))}
print(json.dumps([said, rows]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("client", tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(f"{wheel}[pandas]", tmp_path_factory.mktemp("environment"), *NEEDED, *EXTRA, *DRAWS)


@pytest.fixture
@once
def fruits(transactional_db: None) -> Version:
    """A use case of the name that the README has, and one that finds words."""
    version = define(slug="keyboard-emoji")
    for seed, locale in enumerate(EATEN):
        send_shares(version, 1000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    find(define_search(), ["yeet", "lol"])
    return version


@pytest.fixture
def token(fruits: Version) -> str:
    task = order(define_task()).version.task
    _token, secret = ApiToken.create("notebook", may_read=True, may_ingest=True, training_tasks=[task])
    return secret


def test_the_wheel_has_types_and_a_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"ldpsite_client/__init__.py", "ldpsite_client/py.typed", "ldpsite_client/LICENSE"} <= set(names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ldpsite_client"}


def parts(fields: list[str] | None) -> set[frozenset[str]]:
    """Take fields apart, because bounds of a version may stand in any order."""
    return {frozenset(re.findall(r"[<>=]+ ?[^,;]+|[^<>=,;]+", each)) for each in fields or ()}


def test_the_site_serves_the_same_wheel(wheel: Path, client: Client) -> None:
    answer = client.get(reverse("client_wheel", args=[wheel.name]))
    with zipfile.ZipFile(wheel) as built_one, zipfile.ZipFile(io.BytesIO(answer.content)) as served:
        (info,) = {name.partition("/")[0] for name in served.namelist() if ".dist-info/" in name}
        assert {*served.namelist()} == {*built_one.namelist()}
        for name in {*served.namelist()} - {f"{info}/{each}" for each in ("METADATA", "WHEEL", "RECORD")}:
            assert served.read(name) == built_one.read(name), name
        known, said = (message_from_bytes(each.read(f"{info}/METADATA")) for each in (built_one, served))
        for field in ("Name", "Version", "Requires-Python", "Requires-Dist", "Provides-Extra"):
            assert parts(said.get_all(field)) == parts(known.get_all(field)), field
    assert client.get(reverse("client_wheel", args=["other.whl"])).status_code == 404


def assert_is_frame_of_three_lines(printed: str) -> None:
    assert len(EXAMPLE.splitlines()) == 3
    assert re.search(r"^[0-9]+ +banana\b", printed, re.MULTILINE)


def check_charts(charts: list[dict[str, Any]], document: dict[str, Any]) -> None:
    bars, points, panels, lines, words = charts
    shown, entries = bars["data"][0], document["entries"]
    assert shown["x"] == [100 * entry["share"] for entry in entries]
    for end, sign in (("array", 1), ("arrayminus", -1)):
        field = "share_upper" if sign > 0 else "share_lower"
        reached = [x + sign * part for x, part in zip(shown["x"], shown["error_x"][end], strict=True)]
        assert reached == pytest.approx([100 * entry[field] for entry in entries])
    assert bars["layout"]["shapes"][0]["x0"] == 100 * document["threshold"] / document["n"]
    assert bars["layout"]["yaxis"]["ticktext"] == [entry["display"] for entry in entries]
    assert unescape(bars["layout"]["annotations"][-1]["text"]).replace("<br>", "") == document["address"]
    # Lines that join both sides come first; the last trace is what is below T.
    assert [trace.get("name") for trace in points["data"]] == [None, "en_US", "fr_FR", "fr_FR"]
    assert [note["text"] for note in panels["layout"]["annotations"][:-1]] == ["<b>en_US</b>", "<b>fr_FR</b>"]
    assert {trace["xaxis"] for trace in lines["data"]} == {"x", "x2"}
    assert words["layout"]["yaxis"]["ticktext"] == ["yeet", "lol"]


def test_all_that_the_api_has_is_asked_for(
    python: Path, fruits: Version, token: str, live_server: LiveServer, tmp_path: Path, as_bob: Client
) -> None:
    fleet = Fleet(fruits, Shares("en_US", FRUITS, np.array(PROBABILITIES)), np.random.default_rng(9))
    lines = list(fleet.documents(50))
    (tmp_path / "reports.ndjson.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    records = json.loads(lines[0])["segments"][0]["records"][:10]
    host = {"host": live_server.url.removeprefix("http://")}
    pages = [
        unescape(as_bob.get(f"/use-cases/{page}", headers=host).content.decode())
        for page in (
            "keyboard-emoji/?locale=fr_FR",
            "keyboard-emoji/compare/",
            "keyboard-emoji/trend/",
            "slang/?words=all",
        )
    ]
    programs = [re.findall(r'(?s)<code id="as-python">(.*?)</code>', page)[0] for page in pages]
    for name, content in ("records", "\n".join(records)), ("copied", json.dumps(programs)), ("example", EXAMPLE):
        (tmp_path / name).write_text(content)
    printed = run(python, "-I", "-W", "error", "-c", JOURNEY, live_server.url, token, str(tmp_path))
    said, rows = json.loads(printed)

    day, today = days_ago(1).isoformat(), days_ago(0).isoformat()
    assert said["use_cases"] == [["keyboard-emoji", "Fruits", "running"], ["slang", "Slang", "running"]]
    assert said["versions"] == [[1, "counting", ["en_US", "fr_FR"]]]
    assert said["locales"] == [["en_US", day], ["fr_FR", day]]
    assert said["windows"] == [day]

    document: dict[str, Any] = said["histogram"]
    entries = document["entries"]
    assert {"lower", "upper", "standard_error"} <= set(entries[0])
    assert said["kept"] is True
    assert said["frame"] == [
        list(entries[0]),
        [entry["lower"] for entry in entries],
        [entry["upper"] for entry in entries],
    ]
    assert said["attrs"] == {name: value for name, value in document.items() if name != "entries"}
    assert said["attrs"]["address"].startswith(f"{live_server.url}/use-cases/keyboard-emoji/?locale=fr_FR&from={day}")
    assert said["properties"] == [1000, "fr_FR", day, 0.95, len(entries)]

    check_charts(said["charts"], document)
    assert said["charts of nothing"] == [0, 0]

    length, columns, rate = said["compared"]
    assert (length, columns, rate) == (3, rows["ComparisonRow"], 0.05)
    assert said["together"] == [rows["LocaleRow"], True]
    assert said["changes"] == [0, [], rows["ChangeRow"]]
    assert said["site changes"] == [0, 0.05, rows["SiteChangeRow"]]
    assert said["trend"][0] == ["apple", "fig"]
    assert said["trend"][1].startswith("datetime64")
    assert (said["words"], said["no words"]) == ([["yeet", "lol"], True], [0, True])
    assert said["training"] == [["films"], rows["TrainingRow"], ["waiting"], [0, "films", "waiting"]]

    assert said["errors"] == [
        ["ValueError", "keyboard-emoji counts a dictionary and looks for no words: ask for its histogram."],
        ["SiteError", 400, "bad-parameter", "locale: The use case does not have this locale."],
        ["NothingShown", 404, "not-yet", "No histogram is published for this window."],
        ["SiteError", 404, "not-found", "There is nothing here, or nothing that you may see."],
        ["ValueError", "Devices are not asked about none."],
        ["SiteError", 401, "authentication-failed", "This token is unknown, revoked or expired."],
        ["SiteError", 404, "", f"{live_server.url}/elsewhere/api/v1/use-cases/ answers 404 Not Found."],
        ["ValueError", "http://ldpsite.example.org: the token would travel unencrypted. Write https://…"],
        ["ValueError", "Give an API token, or set the environment variable LDPSITE_TOKEN."],
        ["ValueError", "reports.csv: name it .json or .ndjson, packed with .gz or .zst behind that."],
        ["SiteError", 400, "empty-upload", "The upload is empty."],
        ["ModuleNotFoundError", "Data frames need pandas: pip install 'ldpsite-client[pandas]'"],
        ["ModuleNotFoundError", "Charts need plotly: pip install 'ldpsite-client[plot]'"],
    ]
    assert said["receipts"] == [
        ["stored", 50, {}, today],
        ["duplicate", 50, {}, today],
        ["stored", 10, {}, today],
    ]

    assert_is_frame_of_three_lines(said["printed"])
    # Code to copy asks for the page's own content: the whole address of each is on it.
    assert len(said["copied"]) == len(pages)
    assert all(address in page for address, page in zip(said["copied"], pages, strict=True))

    schemas = openapi()["components"]["schemas"]
    entry = schemas["HistogramEntry"]
    assert set(rows["HistogramRow"]) == set(entry["required"])
    assert set(rows["WordRow"]) == set(entry["properties"])
    assert set(rows["ComparisonRow"]) == set(schemas["ComparisonEntry"]["properties"])
    assert set(rows["ChangeRow"]) == set(schemas["ChangesEntry"]["properties"])
    assert set(rows["SiteChangeRow"]) == set(schemas["SiteChangesEntry"]["properties"])
    assert set(rows["LocaleRow"]) == set(schemas["AllLocalesEntry"]["properties"])
    assert set(rows["TrainingRow"]) == set(schemas["TrainingRun"]["properties"])
    assert set(rows["TrendPoint"]) == set(schemas["TrendPoint"]["properties"])
