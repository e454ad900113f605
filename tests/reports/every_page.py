"""Pages that show a use case, whatever its mechanism."""

from django.test import Client

from reports.models import Run


def assert_shown(client: Client, use_case: str, element: str, run: Run) -> None:
    """Every page of a use case opens, and every page about all use cases and about the run."""
    for name in ("", "trend/", "compare/", f"elements/?element={element}", "privacy/", "viewings/"):
        assert client.get(f"{use_case}{name}").status_code == 200, name
    for address in ("/", f"/runs/{run.pk}/", "/operations/", "/planner/", "/report-format/", "/api/v1/schema/"):
        assert client.get(address).status_code == 200, address
