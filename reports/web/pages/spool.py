"""Receives an uploaded file into the spool. What the sender called it is not kept, not even as the end of a name."""

import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopFutureHandlers

from reports.collection.ingest import known_suffix


class SpoolUploadHandler(FileUploadHandler):
    """Streams one file to where it vanishes when it is closed, and stops writing where the site's limit is."""

    too_large = False
    too_many = False
    _begun = False
    _received = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self._begun:
            self.too_many = True
            raise SkipFile  # read and thrown away, so that the browser can show an answer
        spool = Path(settings.LDPSITE_SPOOL_DIR)
        spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = cast(BinaryIO, tempfile.TemporaryFile(dir=spool))
        self._begun = True
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._received += len(raw_data)
        if self._received > settings.LDPSITE_MAX_RECEIVED_BYTES:
            self.too_large = True
            self._file.close()
            raise SkipFile
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes] | None":
        if self.too_large:
            return None
        self._file.seek(0)
        # The name is only looked at for how the file is written.
        return UploadedFile(self._file, name=f"upload{known_suffix(str(self.file_name)) or ''}", size=file_size)

    def upload_interrupted(self) -> None:
        if self._begun:
            self._file.close()
