"""Queries of the dashboard and of the alert rules, and the metrics that they name."""

import json
import re
from pathlib import Path

import yaml

from ldpsite.env import BASE_DIR

MONITORING = BASE_DIR / "deploy" / "monitoring"
ALERTS = MONITORING / "alerts.yml"


def queries_of_alerts() -> list[str]:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule["expr"] for rule in group["rules"]]


def queries_of_dashboard() -> list[str]:
    board = json.loads(Path(MONITORING, "dashboard.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def names_in(text: str) -> set[str]:
    """Return the series that queries or an exposition name; values of labels are none."""
    return set(re.findall(r"\bldpsite_\w+", re.sub(r'"[^"]*"', "", text)))
