"""Log lines for programs."""

import json
import logging
from datetime import UTC, datetime
from http import HTTPStatus


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
    # Whatever becomes of the address: without its slash, it has no route. Of embedded pages the address is the key,
    # and in a mail that resets a password, too.
    PATHS = ("/api/v1/reports", "/api/v1/batches", "/batches", "/embed", "/accounts/reset/")

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        # An upload that shall come again later is refused as well, though Django calls that an error of the server.
        later = getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE
        if request is None or (record.levelno >= logging.ERROR and not later):
            return True
        match = getattr(request, "resolver_match", None)
        is_upload = match is not None and match.url_name in self.ROUTES
        return not is_upload and not getattr(request, "path_info", "").startswith(self.PATHS)
