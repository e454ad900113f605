"""Log lines for programs."""

import json
import logging
from datetime import UTC, datetime


class JsonFormatter(logging.Formatter):
    """One JSON object per line, of named fields only: a record may carry the whole request."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class NoUploads(logging.Filter):
    """Drops what Django notes about refused uploads: a log line has a time, and a batch must not be tied to one."""

    ROUTES = frozenset({"api_upload", "api_batch", "api_reports", "upload", "batch", "withdraw_batch", "release_batch"})

    def filter(self, record: logging.LogRecord) -> bool:
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        return record.levelno >= logging.ERROR or match is None or match.url_name not in self.ROUTES
