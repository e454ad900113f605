"""Run the Python client for an audit: JSON lines of requests on standard input, record lines on standard output.

A request is ``{"algorithm", "parameters", "dictionary", "element", "runs"}``, the dictionary null where none is needed,
and is answered by that many lines. `device_runner.mjs` does the same with the client of the browser. Arguments
``module:class`` name mechanisms that are to be registered.
"""

import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from ..device import Observed, read_configuration
from ..device.holding import observe
from ..device.state import State
from ..mechanisms import mechanism_for, register
from ..normalization import PAD

_SLUG, _LOCALE = "audited", "und"
_A_DAY = datetime.timedelta(days=1)


def records(
    algorithm: str, parameters: dict[str, Any], element: str, dictionary: Sequence[str] | None = None
) -> Iterator[str]:
    """Yield what a device with consent holds of one event after the other, before it draws a sample and sends."""
    asked = {
        "slug": _SLUG,
        "title": _SLUG,
        "daily_limit": 1,
        "budget_group": None,
        "algorithm": algorithm,
        "parameters": parameters,
        # Elements come normalised, and none of these changes them any more.
        "normalization": "raw" if mechanism_for(algorithm, parameters).element_length is None else "word",
        "keep_case": True,
        "alphabet": None,
        "locales": [_LOCALE],
    } | ({} if dictionary is None else {"dictionary": dictionary})
    document = json.dumps({"version": 1, "budget_groups": [], "use_cases": [asked]}).encode()
    state = State(agreed=read_configuration(document).epsilon_per_day, configuration=document)
    text = element.rstrip(PAD) if asked["normalization"] == "word" else element
    now = datetime.datetime.now(datetime.UTC)
    while True:
        state.held.clear()
        outcome = observe(state, _SLUG, text, _LOCALE, frozenset(), now, _A_DAY)
        if outcome is not Observed.HELD:
            raise ValueError(f"The device does not report this element: {outcome.value}.")
        yield state.held[0].segments[0]["records"][0]


def main(mechanisms: Sequence[str] = ()) -> None:
    for mechanism in mechanisms:
        module, _, name = mechanism.partition(":")
        register(getattr(import_module(module), name))
    for line in sys.stdin:
        request = json.loads(line)
        made = records(request["algorithm"], request["parameters"], request["element"], request["dictionary"])
        for _ in range(request["runs"]):
            sys.stdout.write(next(made) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
