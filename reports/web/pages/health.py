"""Whether the process lives, and whether it can serve."""

import logging
import threading
import time
from http import HTTPStatus

from django.core.files.storage import Storage, storages
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from reports.operations import look_at_storage
from reports.storage import StorageUnavailable

logger = logging.getLogger(__name__)

# The storage may take so long to answer, and is asked no more often than that.
PATIENCE_SECONDS = 3.0
KEPT_SECONDS = 10.0


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 while the database or the storage does not answer, and which of them; no reason, for it is public."""
    answers = {"database": _database_answers(), "storage": _storage_answers()}
    status = HTTPStatus.OK if all(answers.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    words = {name: "ok" if answered else "does not answer" for name, answered in answers.items()}
    return JsonResponse(words, status=status)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


class _Question:
    """Asks the storage, in a thread of its own: it may hang for longer than whoever wants to know waits."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._asked = time.monotonic()
        self._answered = False
        self._over = threading.Event()
        threading.Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        try:
            look_at_storage()
            self._answered = True
        except StorageUnavailable as error:
            logger.warning("The storage does not answer (%s)", error)
        finally:
            self._over.set()

    def is_old(self) -> bool:
        return self._over.is_set() and time.monotonic() - self._asked > KEPT_SECONDS

    def answered(self) -> bool:
        self._over.wait(max(0.0, self._asked + PATIENCE_SECONDS - time.monotonic()))
        return self._answered


# The last one of this process: whoever asks meanwhile waits for it as well, so that no two hang.
_questions: list[_Question] = []
_lock = threading.Lock()


def _storage_answers() -> bool:
    with _lock:
        if not _questions or _questions[0].is_old() or _questions[0].storage is not storages["shards"]:
            _questions[:] = [_Question(storages["shards"])]
        question = _questions[0]
    return question.answered()
