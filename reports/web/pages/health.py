"""Whether the process lives, and whether it can serve."""

import logging
import threading
import time
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from reports.operations import look_at_storage
from reports.storage import StorageUnavailable
from reports.training.trusted_processes import do_answer

logger = logging.getLogger(__name__)

# The storage may take so long to answer, and is asked no more often than that.
PATIENCE_SECONDS = 3.0
KEPT_SECONDS = 10.0


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 while the database or the storage does not answer, and which of them; no reason, for it is public.

    Where the trusted processes of training are known it says whether they answer, too: pages do without them.
    """
    storage = _answers("storage", storages["shards"], _look_at_storage)
    answers = {"database": _database_answers(), "storage": storage}
    status = HTTPStatus.OK if all(answers.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    if address := settings.LDPSITE_TRAINING_AGGREGATOR:
        answers["training"] = _answers("training", address, _training_answers)
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
    """Asks something, in a thread of its own: it may hang for longer than whoever wants to know waits."""

    def __init__(self, about: object, ask: Callable[[], bool]) -> None:
        self.about = about
        self._asks = ask
        self._asked = time.monotonic()
        self._answered = False
        self._over = threading.Event()
        threading.Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        try:
            self._answered = self._asks()
        finally:
            self._over.set()

    def is_old(self) -> bool:
        return self._over.is_set() and time.monotonic() - self._asked > KEPT_SECONDS

    def answered(self) -> bool:
        self._over.wait(max(0.0, self._asked + PATIENCE_SECONDS - time.monotonic()))
        return self._answered


# The last ones of this process: whoever asks meanwhile waits for them as well, so that no two hang.
_questions: dict[str, _Question] = {}
_lock = threading.Lock()


def _answers(name: str, about: object, ask: Callable[[], bool]) -> bool:
    with _lock:
        question = _questions.get(name)
        if question is None or question.is_old() or question.about is not about:
            question = _questions[name] = _Question(about, ask)
    return question.answered()


def _look_at_storage() -> bool:
    try:
        look_at_storage()
    except StorageUnavailable as error:
        logger.warning("The storage does not answer (%s)", error)
        return False
    return True


def _training_answers() -> bool:
    if do_answer(PATIENCE_SECONDS):
        return True
    logger.warning("The trusted processes of training do not answer")
    return False
