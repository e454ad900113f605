"""Make the tables, the use case and a token of a site, and print the token as JSON. Run on a host."""

import io
import json
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from reports.definitions import apply_definitions, check_definitions  # noqa: E402
from reports.models import ApiToken  # noqa: E402
from tests.many.collector import DEFINITION  # noqa: E402


def main() -> None:
    call_command("migrate", verbosity=0, skip_checks=True, stdout=io.StringIO())
    apply_definitions(check_definitions(DEFINITION, Path()))
    _token, secret = ApiToken.create("collector", may_ingest=True)
    print(json.dumps(secret))


if __name__ == "__main__":
    main()
