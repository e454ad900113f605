"""The trusted aggregator: it opens contributions, checks, clips again, adds, and lets a noisy sum out once a round."""

import json
import math
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ...arrays import Floats
from ..algorithms import Release
from .contribution_bytes import Layout
from .frames import pack_arrays, require_fields, unpack
from .opened_rounds import OpenedRounds
from .refusals import BelowGoal, Refusal, Refused, RoleError, RoundLost
from .sealing import Binding, SealingKey, check_header, task_of
from .statement import Statement, code_hash, sign, task_digest
from .tokens import SpentTokens
from .work import Catalogue, Work, WorkFor, awaited_messages, goal_messages

ROLE: Final = "aggregator"
LEAST_GOAL: Final = 10
"""Contributions below which no task of this aggregator releases anything, whatever it asks for."""
MOST_TAKEN: Final = 2
"""Multiple of the messages it waits for that a round takes: fakes can move the model, and fill memory, that far."""
# Reasons that are to be seen on a message that is relayed. Others are counted with the release.
_SEEN_FROM_OUTSIDE: Final = (Refusal.LENGTH, Refusal.TASK, Refusal.ROUND, Refusal.KEY, Refusal.LATE, Refusal.FULL)


class _Round:
    """One open round: its key, its sum, and its counts."""

    def __init__(self, work: Work, binding: Binding) -> None:
        self.work = work
        self.binding = binding
        self.key: SealingKey | None = SealingKey()
        self.public = self.key.public
        self.layout: Layout = work.layout
        self.sums: Any = work.empty()
        self.discarded: Any = work.empty()
        self.signed = b""
        self.taken = 0
        self.most = MOST_TAKEN * awaited_messages(work)
        self.refused: Counter[Refusal] = Counter()
        self.released: bytes | None = None

    def take(self, message: bytes, spent: SpentTokens) -> None:
        """Add one contribution, or raise a Refused; nothing of it stays either way but its tokens."""
        check_header(message, self.binding, self.public, self.layout.length)
        if self.key is None:
            raise Refused(Refusal.LATE)
        if self.taken >= self.most:
            raise Refused(Refusal.FULL)
        counts, tokens, items, vector = self.layout.unpack(self.key.open(message, self.binding))
        contribution = self.work.checked(items, vector)
        if not spent.spend(self.binding.round, tokens):
            raise Refused(Refusal.DOUBLE)
        # A contribution that does not count takes as long as one that does.
        self.work.add(self.sums if counts else self.discarded, contribution)
        self.taken += 1

    def release(self) -> bytes:
        """Return the noisy sums. Noise is drawn once: key and sums are gone then, and the bytes stay the same.

        How many contributions are in them is not said: it would tell whether one person's is. Nor is the goal held
        against that number, but against how many of the messages are expected to count: whether the exact one reaches
        the goal would tell an administrator who fills it up, but for one, with fakes, whether that one was drawn, is
        held out, or sits out.
        """
        if self.released is None:
            if self.taken < goal_messages(self.work):
                raise BelowGoal(f"Below the report goal of {self.work.report_goal}: nothing is released.")
            releases = self.work.releases(self.sums, self.binding.round)
            self.key = self.sums = self.discarded = None
            head = {
                "refused": {refusal.value: count for refusal, count in self.refused.items()},
                "releases": [_said(release) for release in releases],
            }
            self.released = pack_arrays(head, list(map(without_low_bits, releases)))
        return self.released


class Aggregator:
    """Rounds of any number of tasks.

    Parameters
    ----------
    signing_key : Ed25519PrivateKey
        Whose public half devices have in their own configuration.
    opened : OpenedRounds
        Which rounds there were, also of processes before this one.
    work_for : callable
        What a task computes.
    """

    def __init__(self, signing_key: Ed25519PrivateKey, opened: OpenedRounds, work_for: WorkFor) -> None:
        self._signing_key = signing_key
        self._opened = opened
        self._work_for = work_for
        self._works: dict[bytes, Work] = {}
        self._rounds: dict[bytes, _Round] = {}
        self._spent: dict[bytes, SpentTokens] = {}
        self._unknown: Counter[Refusal] = Counter()
        self._lock = threading.Lock()

    def open(self, body: bytes) -> bytes:
        """Open a round, and return the signed statement that devices ask for; a round that is open goes on.

        Parameters
        ----------
        body : bytes
            A JSON object: ``task`` (all its parameters), ``catalogue``, ``purpose`` and ``round``.
        """
        asked = _asked(body, {"task": dict, "catalogue": dict, "purpose": str, "round": int})
        task, catalogue, purpose, number = (asked[name] for name in ("task", "catalogue", "purpose", "round"))
        digest = task_digest(task, catalogue, purpose)
        with self._lock:
            current = self._rounds.get(digest)
            if current is not None and current.binding.round == number and current.released is None:
                return current.signed
            work = self._works.get(digest) or self._work_for(task, Catalogue.from_mapping(catalogue), purpose)
            if work.report_goal < LEAST_GOAL:
                raise RoleError(f"A report goal below {LEAST_GOAL} is not served.")
            if not 1 <= number <= work.rounds:
                raise RoleError(f"This task has rounds 1 to {work.rounds}; there is no round {number}.")
            noise = work.noise(number)
            self._opened.open(digest, number)
            # An algorithm may need its noise of earlier rounds.
            self._works[digest] = work
            opened = _Round(work, Binding(ROLE, digest, number))
            statement = Statement(ROLE, code_hash(), task, catalogue, purpose, number, noise, opened.public.hex())
            opened.signed = sign(statement, self._signing_key)
            self._rounds[digest] = opened
            self._spent.setdefault(digest, SpentTokens()).forget_before(number)
            return opened.signed

    def add(self, body: bytes) -> bytes:
        """Take relayed messages; return how many came, and the refusals that were to be seen from outside.

        What was inside is said of none of them: counts of it come with the release.
        """
        refused: Counter[Refusal] = Counter()
        received = 0
        for message in unpack(body):
            received += 1
            with self._lock:
                task = task_of(message)
                opened = self._rounds.get(task)
                try:
                    if opened is None:
                        raise Refused(Refusal.TASK if task else Refusal.LENGTH)
                    opened.take(message, self._spent[task])
                except Refused as error:
                    refused[error.refusal] += 1
                    (self._unknown if opened is None else opened.refused)[error.refusal] += 1
        shown = {refusal.value: refused[refusal] for refusal in _SEEN_FROM_OUTSIDE if refused[refusal]}
        return json.dumps({"received": received, "refused": shown}).encode()

    def release(self, body: bytes) -> bytes:
        """Return the noisy sums of a round, with what was refused in it.

        Parameters
        ----------
        body : bytes
            A JSON object: ``task`` (its digest in hexadecimal) and ``round``.
        """
        asked = _asked(body, {"task": str, "round": int})
        with self._lock:
            for task, opened in self._rounds.items():
                number = opened.binding.round
                if (task.hex(), number) == (asked["task"], asked["round"]):
                    released = opened.release()
                    # No later round is too close to the last one.
                    kept = opened.work.separation if number == opened.work.rounds else 1
                    self._spent[task].forget_before(number + kept)
                    return released
        raise RoundLost("This round is not open.")


def without_low_bits(release: Release) -> Floats:
    """Return what is released as multiples of 2⁻¹⁶ of its noise's standard deviation, or of a little less.

    Floating-point noise never takes some values, so that the last bits of a noisy sum can tell the sum (Mironov 2012;
    for Box and Muller's method Holohan and Braghin 2021). What is cut off is far below the noise.
    """
    if release.noise_standard_deviation == 0:
        return release.array
    step = 2.0 ** (math.floor(math.log2(release.noise_standard_deviation)) - 16)
    return np.asarray(np.round(release.array / step) * step)


def _said(release: Release) -> dict[str, Any]:
    """Return what belongs to a release beside its array."""
    return {each.name: getattr(release, each.name) for each in fields(release) if each.name != "array"}


def _asked(body: bytes, fields: Mapping[str, type]) -> dict[str, Any]:
    """Return a request's JSON object, which has exactly the fields that are expected."""
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    require_fields(content, fields)
    return dict(content)
