"""The roles of training, each a process or a device of its own, and what they exchange."""

from ..metrics import read_metrics
from .aggregating import LEAST_GOAL, MOST_TAKEN, Aggregator
from .confinement import environment
from .contribution_bytes import Layout
from .distributing import Distributor
from .doors import Door
from .opened_rounds import OpenedRounds
from .processes import ROLES, TrustedProcesses, command, started
from .refusals import BelowGoal, Refusal, Refused, RoleError, RoundLost
from .rounds import MessageLengths, Released, Rounds, Statements, relay
from .sealed_training import SealedRounds, sealed_rounds
from .sealing import round_of, task_of
from .statement import Statement, code_hash, task_digest, verified
from .taking_part import Configuration, Device
from .work import Catalogue, Work, awaited_messages, goal_messages
from .works import work_for

__all__ = [
    "LEAST_GOAL",
    "MOST_TAKEN",
    "ROLES",
    "Aggregator",
    "BelowGoal",
    "Catalogue",
    "Configuration",
    "Device",
    "Distributor",
    "Door",
    "Layout",
    "MessageLengths",
    "OpenedRounds",
    "Refusal",
    "Refused",
    "Released",
    "RoleError",
    "RoundLost",
    "Rounds",
    "SealedRounds",
    "Statement",
    "Statements",
    "TrustedProcesses",
    "Work",
    "awaited_messages",
    "code_hash",
    "command",
    "environment",
    "goal_messages",
    "read_metrics",
    "relay",
    "round_of",
    "sealed_rounds",
    "started",
    "task_digest",
    "task_of",
    "verified",
    "work_for",
]
