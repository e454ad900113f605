"""Devices of training at the site's door: what is open, and their sealed messages on the way to the trusted processes.

Of a message its length, its task and its round are looked at, which are alike for all devices of a round. It is in no
row and no log; of those that came there is a number.
"""

import base64
import threading
from contextlib import ExitStack
from typing import Any, Final, NoReturn

from django.db import transaction
from django.db.models import F, IntegerField, JSONField
from django.db.models.expressions import CombinedExpression
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, JSONObject

from aggregation.training.roles import Refusal, Refused, RoleError, TrustedProcesses, relay, round_of, task_of
from reports.jobs import enqueue
from reports.models import DeviceRound, TrainingRun
from reports.training.trusted_processes import trusted_processes

MODELS_AT_ONCE: Final = 2
"""Answers with a whole model that a process has in memory, and sends, at a time: the other threads are for the rest."""
_models = threading.BoundedSemaphore(MODELS_AT_ONCE)


class NoSuchTask(Exception):
    """A task that does not exist for devices: there is none, or it is not published."""


class NoRound(Exception):
    """A task of which no round is open now."""


class Unanswered(Exception):
    """The trusted processes do not answer."""


class ModelsBeingSent(Exception):
    """Whole models are on their way to as many devices as a process sends them to at a time."""


def open_rounds(slug: str) -> dict[str, Any]:
    """Return what devices are told of a task: the rounds that are open, with the statements of both processes.

    Raises `NoSuchTask`.
    """
    rounds = [each for each in _rounds(slug) if _is_open(each)]
    return {
        "task": slug,
        "rounds": [
            {
                "purpose": each.purpose,
                "round": each.number,
                "contribution_bytes": each.contribution_bytes,
                "request_bytes": each.request_bytes,
                "statements": {
                    "aggregator": base64.b64encode(each.aggregator).decode(),
                    "distributor": base64.b64encode(each.distributor).decode(),
                },
            }
            for each in sorted(rounds, key=lambda each: each.purpose)
        ],
    }


def relay_request(slug: str, message: bytes, until_sent: ExitStack) -> bytes:
    """Carry a sealed request for rows to the distributor, and its sealed answer back; close the stack once it is sent.

    Raises `NoSuchTask`, `NoRound`, `Refused`, `Unanswered`, or `ModelsBeingSent`.
    """
    current = _addressed(slug, message, "request_bytes")
    if current.purpose == DeviceRound.Purpose.EVALUATE:
        # An evaluator is sent everything.
        if not _models.acquire(blocking=False):
            raise ModelsBeingSent
        until_sent.callback(_models.release)
    try:
        return _processes().distributor.ask("/rows", message)
    except Refused as refused:
        _count_refusal(current, refused.refusal)
        raise
    except RoleError:
        raise NoRound from None
    except OSError as error:
        raise Unanswered from error


def relay_contribution(slug: str, message: bytes) -> None:
    """Carry a sealed contribution to the aggregator, and call a worker if it completes the round.

    Raises `NoSuchTask`, `NoRound`, `Refused`, or `Unanswered`.
    """
    current = _addressed(slug, message, "contribution_bytes")
    try:
        refused = relay(_processes().aggregator, [message])
    except OSError as error:
        raise Unanswered from error
    for words in refused:
        _refuse(current, Refusal(words))
    rows = DeviceRound.objects.filter(pk=current.pk)
    with transaction.atomic():
        # The row is held meanwhile: one message alone completes the round, and those after it wake no process.
        rows.update(relayed=F("relayed") + 1)
        completes = rows.filter(relayed=F("expected")).exists()
    if completes:
        waiting = TrainingRun.objects.unfinished().filter(pk=current.run_id).exclude(not_before=None)
        if waiting.update(not_before=None):
            enqueue(current.run)


def refuse_length(slug: str) -> None:
    """Count a message that is too long to be read. Raises `NoSuchTask`, `NoRound`, or else `Refused`."""
    _refuse(_newest(_rounds(slug)), Refusal.LENGTH)


def _rounds(slug: str) -> list[DeviceRound]:
    """Return the newest rounds of a published task's run by devices, one of each purpose; of its last run, if none is.

    Raises `NoSuchTask`.
    """
    published = TrainingRun.objects.by_devices().filter(version__task__slug=slug, version__task__published=True)
    runs = published.order_by("-created_at")
    found = runs.unfinished().first() or runs.first()
    if found is None:
        raise NoSuchTask
    rounds = found.device_rounds.select_related("run").exclude(opened_at=None)
    return [*rounds.order_by("purpose", "-number").distinct("purpose")]


def _is_open(each: DeviceRound) -> bool:
    return not each.is_over and each.run.state in TrainingRun.UNFINISHED


def _newest(rounds: list[DeviceRound]) -> DeviceRound:
    if not rounds:
        raise NoRound
    return rounds[-1]


def _refuse(current: DeviceRound, refusal: Refusal) -> NoReturn:
    _count_refusal(current, refusal)
    raise Refused(refusal)


def _count_refusal(current: DeviceRound, refusal: Refusal) -> None:
    """Count a refused message, unless the round is over: it keeps what it ended with."""
    if not _is_open(current):
        return
    name = refusal.name.lower()
    count = Coalesce(Cast(KeyTextTransform(name, "refused"), IntegerField()), 0) + 1
    counted = CombinedExpression(F("refused"), "||", JSONObject(**{name: count}), output_field=JSONField())
    DeviceRound.objects.filter(pk=current.pk, state=DeviceRound.State.OPEN).update(refused=counted)


def _processes() -> TrustedProcesses:
    found = trusted_processes()
    if found is None:
        raise Unanswered
    return found


def _addressed(slug: str, message: bytes, length: str) -> DeviceRound:
    """Return the open round that a message says it is for, if it can be; one that cannot is counted, and refused."""
    rounds = _rounds(slug)
    task = task_of(message).hex()
    found = next((each for each in rounds if each.digest == task), None)
    if found is None:
        _refuse(_newest(rounds), Refusal.TASK if task else Refusal.LENGTH)
    if len(message) != getattr(found, length):
        _refuse(found, Refusal.LENGTH)
    if round_of(message) != found.number:
        _refuse(found, Refusal.ROUND)
    if not _is_open(found):
        _refuse(found, Refusal.LATE)
    return found
