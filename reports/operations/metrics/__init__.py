"""Metrics for a server that collects them, apart from `monitoring`: their library takes a while to import."""

from reports.operations.metrics.exposition import expose
