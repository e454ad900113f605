"""Questions to servers that may hang: asked in threads of their own, and no more often than every few seconds."""

import threading
import time
from collections.abc import Callable

from django.db import connection

# A server may take so long to answer, and is asked no more often than that.
PATIENCE_SECONDS = 3.0
KEPT_SECONDS = 10.0


class Question:
    """Asks something that may hang for longer than the waiting caller can."""

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
            connection.close()
            self._over.set()

    def is_old(self) -> bool:
        return self._over.is_set() and time.monotonic() - self._asked > KEPT_SECONDS

    def answered(self) -> bool:
        self._over.wait(max(0.0, self._asked + PATIENCE_SECONDS - time.monotonic()))
        return self._answered


# The last ones of this process: further callers wait for them as well, so that no two hang.
_questions: dict[str, Question] = {}
_lock = threading.Lock()


def put(name: str, about: object, ask: Callable[[], bool]) -> Question:
    """Put a question, unless it is put already, or was answered just now and about the same server."""
    with _lock:
        question = _questions.get(name)
        if question is None or question.is_old() or question.about is not about:
            question = _questions[name] = Question(about, ask)
    return question
