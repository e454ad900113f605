"""The policy that stands between what is observed on a device and what leaves it."""

import datetime
import os
import time
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from ..errors import shown
from . import transport as http
from .configuration import Configuration, read_configuration
from .delivering import Delivery, Sending, deliver
from .errors import DeviceError
from .file import StateFile
from .holding import Observed, observe
from .sampling import Dropped, take_due
from .state import Sent, State

ONE_DAY: Final = datetime.timedelta(days=1)
_MOST_EPSILON: Final = 10**6


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


@dataclass(frozen=True)
class Lapsed:
    """A configuration that costs more than its owner agrees to from now on, and the records that went with it."""

    epsilon_per_day: Decimal
    records: int


class Device:
    """One device: dormant until its owner opts in.

    Parameters
    ----------
    folder : Path
        Where it keeps its file, for its owner alone. Processes and threads may share it.
    clock : callable
        Returns the time, in UTC.
    transport : callable
        Makes a request; see `transport`.
    sleep : callable
        Waits some seconds.
    longest_delay : timedelta
        Records of a day become due at a random moment, at most this long after its end.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], datetime.datetime] = utc_now,
        transport: http.Transport = http.request,
        sleep: Callable[[float], None] = time.sleep,
        longest_delay: datetime.timedelta = ONE_DAY,
    ) -> None:
        self._file = StateFile(folder)
        self._clock, self._transport, self._sleep = clock, transport, sleep
        self._longest_delay = longest_delay

    # The owner's word.

    def opt_in(self, epsilon_per_day: Decimal | float | str) -> Lapsed | None:
        """Agree to at most so much ε a day, over all use cases together.

        Returns what is dropped, if there is a configuration that costs more than that.
        """
        agreed, lapsed = _epsilon(epsilon_per_day), None
        with self._file.changing(self._today()) as state:
            state.agreed = agreed
            if state.configuration is not None and state.in_force() is None:
                # It was made under an agreement that is no more.
                lapsed = Lapsed(read_configuration(state.configuration).epsilon_per_day, state.count_held())
                state.configuration, state.held = None, []
                if (waiting := state.waiting()) is not None:
                    waiting.close("given up")
        return lapsed

    def opt_out(self) -> None:
        """Delete everything but the day and ε of the last document, and the day and hash of the last configuration."""
        if self._file.read() != State():
            with self._file.changing(self._today()) as state:
                state.opt_out()

    # The server's word.

    def configure(self, document: bytes) -> Configuration:
        """Follow a device configuration.

        Raises a DeviceError, and changes nothing, if it cannot be used, costs more than the owner agreed to, or is not
        the one that was given out earlier on the same day.
        """
        self._require_consent()
        configuration, today = read_configuration(document), self._today()
        with self._file.changing(today) as state:
            if state.agreed is None or configuration.epsilon_per_day > state.agreed:
                raise DeviceError(
                    f"This device configuration costs up to ε = {configuration.epsilon_per_day:f} a day, and you agreed"
                    f" to {state.agreed or Decimal(0):f}. It is refused (SHA-256 {configuration.sha256})."
                )
            known = state.configured_sha256
            if state.configured_on is not None and state.configured_on >= today and known != configuration.sha256:
                raise DeviceError(
                    "This is another device configuration than earlier today; it is refused, as a server might tell"
                    f" devices apart by it. Earlier SHA-256 {known}, now {configuration.sha256}. Ask others"
                    " which one they see; tomorrow (UTC) a new one is accepted."
                )
            # Should the clock have been set back, the later day counts.
            state.configuration, state.configured_on = document, max(today, state.configured_on or today)
            state.configured_sha256 = configuration.sha256
        return configuration

    def fetch_configuration(self, server: str) -> Configuration:
        """Fetch the device configuration and follow it; see `configure`. Nothing is fetched by a dormant device."""
        self._require_consent()
        url = http.address(server, http.CONFIGURATION)
        try:
            # Without If-None-Match: an entity tag handed to one device alone would come back as its mark.
            answer = self._transport("GET", url, {}, None)
        except OSError as error:
            raise DeviceError(f"The server cannot be reached at {url}: {error}") from None
        if answer.status != 200:
            raise DeviceError(f"At {url} the server answered {answer.status} instead of a device configuration.")
        return self.configure(answer.body)

    def _require_consent(self) -> None:
        if self._file.read().agreed is None:
            raise DeviceError("The device is dormant: opt in first, and say how much ε a day you agree to.")

    # Events.

    def observe(self, use_case: str, text: str, locale: str, local_words: Container[str] = frozenset()) -> Observed:
        """Privatise an event at once and hold the record, if it is to be reported; say what became of it.

        `local_words` is the device's own dictionary, each word as `normalization.fold_word` makes it.
        """
        # Before anything is made or locked: a dormant device leaves no trace.
        if self._file.read().agreed is None:
            return Observed.DORMANT
        now = self._clock()
        with self._file.changing(now.date()) as state:
            state.forget(now.date())
            return observe(state, use_case, text, locale, local_words, now, self._longest_delay)

    def send(self, server: str, *, at_once: bool = False) -> Delivery:
        """Send the document of the day: the one that was not answered, or else a sample of what is due.

        At most one leaves a day (UTC); what becomes due afterwards waits for a later day.

        Parameters
        ----------
        server : str
            Its address.
        at_once : bool
            Do not wait for what is held to be due. To try things out: the time of sending then tells something.
        """
        url = http.address(server, http.REPORTS)
        found, dropped = self._next_document(at_once=at_once)
        if isinstance(found, Delivery):
            return replace(found, dropped=dropped)
        delivery = deliver(found, url, self._transport, self._sleep, lambda: self._may_send(found))
        if delivery.outcome is not Sending.UNANSWERED:
            self._close(found, "accepted" if delivery.outcome is Sending.ACCEPTED else "refused")
        return replace(delivery, dropped=dropped)

    def _next_document(self, *, at_once: bool) -> tuple[Sent | Delivery, Counter[Dropped]]:
        """Return the document to send, or why there is none; and how many records were dropped."""
        if self._file.read().agreed is None:
            return Delivery(Sending.DORMANT), Counter()
        now = self._clock()
        with self._file.changing(now.date()) as state:
            before = state.count_held()
            state.forget(now.date())
            dropped = +Counter({Dropped.TOO_OLD: before - state.count_held()})
            configuration = state.in_force()
            if configuration is None:
                return Delivery(Sending.NOT_CONFIGURED), dropped
            if state.spent_on is not None and state.spent_on > now.date():
                return Delivery(Sending.CLOCK_BEHIND), dropped
            if (waiting := state.waiting()) is not None:
                return waiting, dropped
            if state.spent_on == now.date():
                return Delivery(Sending.SENT_TODAY), dropped
            document, not_sent = take_due(state, configuration, now, at_once=at_once)
            dropped += not_sent
            if not document["segments"]:
                return Delivery(Sending.NOTHING_DUE), dropped
            state.sent.append(Sent(now.date(), document, "waiting", os.urandom(16).hex()))
            return state.sent[-1], dropped

    def _may_send(self, document: Sent) -> bool:
        """Tell whether a document may be sent, again or at all: not when its day is over, or the owner's consent."""
        waiting = self._file.read().waiting()
        return waiting is not None and waiting.key == document.key and self._today() == document.day

    def _close(self, document: Sent, answer: str) -> None:
        with self._file.changing(self._today()) as state:
            for sent in state.sent:
                if sent.key == document.key:
                    sent.close(answer)

    # The owner's eyes.

    def state(self) -> State:
        """Return all that the device remembers."""
        return self._file.read()

    def stored(self) -> list[dict[str, Any]]:
        """Return what is held: of each day the moment it becomes due, and segments as an upload document has them."""
        return [held.as_json() for held in self._file.read().held]

    def sent(self) -> list[dict[str, Any]]:
        """Return the documents of the last 30 days, exactly as they were sent, and how they were answered."""
        return [sent.as_json() for sent in self._file.read().sent]

    def _today(self) -> datetime.date:
        return self._clock().date()


def _epsilon(value: Decimal | float | str) -> Decimal:
    try:
        epsilon = Decimal(str(value).strip())
    except InvalidOperation:
        epsilon = Decimal("NaN")
    if not epsilon.is_finite() or not 0 < epsilon <= _MOST_EPSILON:
        raise DeviceError(f"ε a day must be a number above 0, such as 8, not {shown(value)}.")
    return epsilon
