"""Run the device of the library for an audit, where the mechanism is registered."""

from aggregation.audit import device_runner
from aggregation.registry import register

from .mechanism import LetterBallot

if __name__ == "__main__":
    register(LetterBallot)
    device_runner.main()
