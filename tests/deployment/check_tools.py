"""Deployment files held against the tools of those who use them: `make check-deployment`, which `pytest` does not find.

promtool (Debian: `prometheus`) and systemd-analyze come from the system, hadolint and kubernetes-validate from
`deploy/checks.txt`.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from ldpsite.env import BASE_DIR
from reports.jobs.host_heartbeat import record_host
from reports.models import Version
from tests.deployment.monitoring import ALERTS, queries_of_dashboard
from tests.reports.small_fleet import define

DEPLOY = BASE_DIR / "deploy"


def run(*command: str, given: str = "", folder: Path = DEPLOY) -> str:
    assert shutil.which(command[0]), f"{command[0]} is not installed: see the Makefile"
    done = subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.django_db
def test_promtool_finds_no_fault_with_the_exposition(settings: Settings) -> None:
    settings.LDPSITE_METRICS_TOKEN = "a token of twenty-six chars"
    settings.MIDDLEWARE = ["ldpsite.metrics.measure", *settings.MIDDLEWARE]
    version: Version = define()
    record_host()
    client = Client()
    client.get(f"/use-cases/{version.use_case.slug}/")
    answer = client.get(reverse("metrics"), headers={"authorization": f"Bearer {settings.LDPSITE_METRICS_TOKEN}"})
    assert run("promtool", "check", "metrics", given=answer.text) == ""


def test_promtool_finds_no_fault_with_rules_and_queries(tmp_path: Path) -> None:
    run("promtool", "check", "rules", str(ALERTS))
    run("promtool", "test", "rules", str(ALERTS.with_name("alerts_test.yml")))
    rules = [{"record": f"panel:{place}", "expr": query} for place, query in enumerate(queries_of_dashboard())]
    path = tmp_path / "dashboard.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
    run("promtool", "check", "rules", str(path))


def test_hadolint_finds_no_fault_with_the_image() -> None:
    run("hadolint", "Containerfile")


def test_manifests_have_the_form_that_kubernetes_asks_for() -> None:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        run("kubernetes-validate", "--strict", str(path))


def test_systemd_knows_all_that_the_units_say_and_finds_them_closed(tmp_path: Path) -> None:
    """With the paths and accounts of this machine, which it looks for."""
    for path in (DEPLOY / "systemd").glob("*.service"):
        unit = path.read_text(encoding="utf-8").replace("/opt/ldpsite/.venv/bin/", f"{Path(sys.executable).parent}/")
        unit = unit.replace("/opt/ldpsite", str(BASE_DIR)).replace(
            "/etc/ldpsite/site.env", str(DEPLOY / "site.env.example")
        )
        unit = re.sub(r"^(User|Group)=.*$", r"\1=daemon", unit, flags=re.MULTILINE)
        tried = tmp_path / path.name
        tried.write_text(unit, encoding="utf-8")
        assert run("systemd-analyze", "verify", str(tried)) == ""
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", str(tried))
