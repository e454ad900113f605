"""Receives an uploaded file into the spool. What the sender called it is not kept, not even as the end of a name."""

import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopFutureHandlers

# The name is only looked at for these, to tell how the file is written.
SUFFIXES = (".json", ".ndjson", ".json.gz", ".ndjson.gz")


class SpoolUploadHandler(FileUploadHandler):
    """Streams to a file that vanishes when it is closed, and stops writing where the site's limit is."""

    too_large = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        spool = Path(settings.LDPSITE_SPOOL_DIR)
        spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = cast(BinaryIO, tempfile.TemporaryFile(dir=spool))
        self._received = 0
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._received += len(raw_data)
        if self._received > settings.LDPSITE_MAX_RECEIVED_BYTES:
            self.too_large = True
            self._file.close()
            raise SkipFile  # the rest is read and thrown away, so that the browser can show an answer
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes] | None":
        if self.too_large:
            return None
        self._file.seek(0)
        suffix = next((end for end in SUFFIXES if str(self.file_name).lower().endswith(end)), "")
        return UploadedFile(self._file, name=f"upload{suffix}", size=file_size)

    def upload_interrupted(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
