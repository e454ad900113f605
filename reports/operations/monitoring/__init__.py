"""Monitoring: whether what the site needs answers."""

from reports.operations.monitoring.readiness import NEEDED, answers, check_broker
