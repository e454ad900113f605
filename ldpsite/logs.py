"""Log lines for programs."""

import json
import logging
from datetime import UTC, datetime
from http import HTTPStatus

from ldpsite.middleware import TO_DEVICES


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


class RoutesOnly(logging.Filter):
    """Keeps of a line about a request what happened and on which route: never its address, which is its sender's text.

    Refused uploads, and what devices are refused, leave no line at all, for it has a time, and neither a batch nor a
    device must be tied to one; nor does an address that has no route, for it may be that of an upload, or the key of an
    embedded page, spelt wrongly.
    """

    SILENT = TO_DEVICES | {
        *("api_upload", "api_batch", "upload", "batch", "withdraw_batch", "release_batch"),
        *("embed", "embed_preview"),
    }

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is None:
            return True
        status = HTTPStatus(getattr(record, "status_code", HTTPStatus.INTERNAL_SERVER_ERROR))
        match = getattr(request, "resolver_match", None)
        name = match.url_name if match is not None else None
        if status != HTTPStatus.INTERNAL_SERVER_ERROR:
            if name is None or name in self.SILENT:
                return False
            record.exc_info = None  # of what was refused: it may repeat the request
        record.msg, record.args = f"{status.phrase}: {match.route if match is not None else 'no route'}", ()
        return True
