"""Print as JSON what a site holds: jobs; with `--all` also files, what is published, and which promises are broken.

Before, `--all` closes and counts the day that is still open. Run on a host, with its environment.
"""

import datetime
import io
import json
import sys
from typing import Any

import django

django.setup()

from django.apps import apps  # noqa: E402
from django.core.files.storage import Storage  # noqa: E402
from django.core.management import call_command  # noqa: E402

from reports.models import PendingFile, Period, Version  # noqa: E402
from reports.models.jobs import Job  # noqa: E402
from reports.models.uploads import utc_today  # noqa: E402
from reports.results import HistogramQuery, histogram_view  # noqa: E402
from reports.runs import RUNS  # noqa: E402
from reports.storage import shard_storage  # noqa: E402
from tests.many.collector import SLUG  # noqa: E402


def files(storage: Storage, folder: str = "") -> list[str]:
    folders, names = storage.listdir(folder)
    below = [name for each in folders for name in files(storage, f"{folder}/{each}".strip("/"))]
    return below + [f"{folder}/{name}".strip("/") for name in names]


def owned() -> set[str]:
    """Return the files that rows name, of whatever model has such a field."""
    found: set[str] = set()
    for model in apps.get_models():
        if model is not PendingFile and "file_name" in {field.name for field in model._meta.get_fields()}:
            found.update(model._default_manager.exclude(file_name="").values_list("file_name", flat=True))
    return found


def published() -> list[dict[str, Any]]:
    """Return what the page of each release period shows."""
    found = []
    for period in Period.objects.select_related("version__use_case"):
        query = HistogramQuery(locale=period.locale, first=period.first_day, last=period.last_day)
        document = histogram_view(period.version.use_case, query).document()
        assert document is not None, period
        estimates = {each["element"]: each["estimate"] for each in document["entries"]}
        days = [str(period.first_day), str(period.last_day)]
        found.append({"locale": period.locale, "days": days, "n": document["n"], "estimates": estimates})
    return found


def main() -> None:
    yesterday = utc_today() - datetime.timedelta(days=1)
    told: dict[str, Any] = {}
    if "--all" in sys.argv:
        from tests.many.promises import broken_promises  # which loads all pages

        call_command("aggregate", SLUG, stdout=io.StringIO())
        told = {
            "files": sorted(files(shard_storage())),
            "owned": sorted(owned()),
            "pending": list(PendingFile.objects.values_list("file_name", flat=True)),
            "published": published(),
            "broken": list(broken_promises()),
        }
    told["jobs"] = {
        model._meta.label: {state: model._default_manager.filter(state=state).count() for state in Job.State.values}
        for model in apps.get_models()
        if issubclass(model, Job)
    }
    told["due"] = any(RUNS.of(version).is_due(version, yesterday) for version in Version.objects.all())
    print(json.dumps(told))


if __name__ == "__main__":
    main()
