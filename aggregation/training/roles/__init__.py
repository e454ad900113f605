"""The roles of training, each a process or a device of its own, and what they exchange."""

from ..metrics import read_metrics
from .aggregating import Aggregator
from .confinement import environment
from .contribution_bytes import Layout
from .distributing import Distributor
from .doors import Door
from .opened_rounds import OpenedRounds
from .processes import ROLES, TrustedProcesses, command, started
from .refusals import Refusal, Refused, RoleError
from .rounds import Released, Rounds, Statements
from .sealed_training import SealedRounds, sealed_rounds
from .statement import Statement, code_hash, task_digest, verified
from .taking_part import Configuration, Device
from .work import Catalogue, Work

__all__ = [
    "ROLES",
    "Aggregator",
    "Catalogue",
    "Configuration",
    "Device",
    "Distributor",
    "Door",
    "Layout",
    "OpenedRounds",
    "Refusal",
    "Refused",
    "Released",
    "RoleError",
    "Rounds",
    "SealedRounds",
    "Statement",
    "Statements",
    "TrustedProcesses",
    "Work",
    "code_hash",
    "command",
    "environment",
    "read_metrics",
    "sealed_rounds",
    "started",
    "task_digest",
    "verified",
]
