"""Confinement of a trusted process before it holds anything: no starter's user, no core dumps, no tracing."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Mapping
from typing import Final

from .refusals import RoleError

# Prefixes of variables in which a site has its database, storage and secrets.
_OF_THE_SITE: Final = ("AWS_", "CELERY_", "DATABASE_", "DJANGO_", "LDPSITE_", "PG", "SENTRY_")
_PR_SET_PDEATHSIG: Final = 1
_PR_GET_PDEATHSIG: Final = 2
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4


def environment() -> dict[str, str]:
    """Return what a trusted process is started with: nothing of the site's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH") if name in os.environ}
    # One thread of linear algebra: idle threads would hold copies of their last operands.
    return kept | {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}


def require_nothing_of_the_site(variables: Mapping[str, str] = os.environ) -> None:
    """Raise a RoleError if the site's settings or secrets were handed down."""
    if found := sorted(name for name in variables if name.startswith(_OF_THE_SITE)):
        raise RoleError(f"The site's variables are not for this process: {', '.join(found)}. Start it without them.")


def confine(user: int, parent: int | None = None) -> dict[str, bool]:
    """Give up all that is not needed, for good.

    Parameters
    ----------
    user : int
        Number that the process takes, for its group as well, if root started it.
    parent : int, optional
        The process with whose death this one is to end.

    Returns
    -------
    dict of str to bool
        Which protections hold; systems other than Linux have fewer.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    in_memory = _lock_memory()
    parent_signal = _parent_death_signal()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    # After the change of user, which sets all three anew.
    untraceable = _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_PDEATHSIG, parent_signal if parent is None else signal.SIGTERM)
    if parent is not None and os.getppid() != parent:
        raise RoleError("The process that started this one has ended.")
    os.umask(0o077)
    return {
        "no_core_dumps": resource.getrlimit(resource.RLIMIT_CORE) == (0, 0),
        "not_traceable": untraceable,
        "not_swapped_out": in_memory,
    }


def _libc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _prctl(option: int, value: int) -> bool:
    libc = _libc()
    return libc is not None and libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) == 0


def _parent_death_signal() -> int:
    """Return the signal that comes when the parent dies, which a change of user would take away."""
    number = ctypes.c_int(0)
    libc = _libc()
    if libc is not None:
        libc.prctl(_PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0)
    return number.value


def _lock_memory() -> bool:
    """Keep pages out of swap space, where the limits allow it for all that is yet to come."""
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    try:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, unlimited)
    except (OSError, ValueError):
        return False
    libc = _libc()
    return libc is not None and libc.mlockall(_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT) == 0
