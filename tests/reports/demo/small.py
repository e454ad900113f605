"""The demo with small dictionaries: what tests use where the size does not matter."""

from functools import partial

from reports.demo import setup
from reports.demo.fleets import EMOJI, HEALTH, WEB, Fleet, shares_of_domains
from reports.demo.loads import version_of
from reports.models import Version

MANY, FEW = 300, 240
ENERGY, MEMORY, AUTOPLAY = (
    fleet._replace(shares=partial(shares_of_domains, use_case, size))
    for fleet, use_case, size in zip(WEB, ("energy", "memory", "autoplay"), (MANY, MANY, FEW), strict=True)
)
SMALL_WEB = (ENERGY, MEMORY, AUTOPLAY)


def define_small_web() -> None:
    setup.define_web(MANY, FEW)


def define(fleet: Fleet = EMOJI) -> Version:
    """The version of a fleet's use case."""
    setup.define_small()
    if fleet not in (EMOJI, HEALTH):
        define_small_web()
    version = version_of(fleet)
    assert version is not None
    return version
