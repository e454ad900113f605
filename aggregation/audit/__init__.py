"""The audit of clients: what reports give away is measured from the reports alone, as an observer would.

A client is a program that turns elements into record lines (`clients`); the server's own parser reads them. Nothing
here looks at how a client draws its randomness, only at what comes of it. What is counted of whose reports the
mechanisms say, in their modules `audit`; what that is made of is here.
"""

from ..registry import Measured
from .clients import Client, ClientError, Device, browser_client, python_client
from .conduct import Outcome, audit
from .evidence import Drawn, Events, Together, loss_of_flips
from .faults import COMMON_FAULTS, failed, sentence
from .joint_flips import JointFlips
from .limits import ALPHA, are_binomial, highest, lowest
from .power import MOST_EPSILON_OF_EVENTS, error_of_bits, error_of_events, flip_chance, runs_for, runs_needed
from .uniformity import Uniformity

__all__ = [
    "ALPHA",
    "COMMON_FAULTS",
    "MOST_EPSILON_OF_EVENTS",
    "Client",
    "ClientError",
    "Device",
    "Drawn",
    "Events",
    "JointFlips",
    "Measured",
    "Outcome",
    "Together",
    "Uniformity",
    "are_binomial",
    "audit",
    "browser_client",
    "error_of_bits",
    "error_of_events",
    "failed",
    "flip_chance",
    "highest",
    "loss_of_flips",
    "lowest",
    "python_client",
    "runs_for",
    "runs_needed",
    "sentence",
]
