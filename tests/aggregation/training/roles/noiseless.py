"""Both processes with real algorithms and without noise, which makes of the sums something to compare."""

import sys
from collections.abc import Mapping
from typing import Any

from aggregation.training import Noise, TrainingTask
from aggregation.training.roles import Catalogue, Work, aggregator, distributor
from aggregation.training.roles.works import PURPOSES


def work_for(task: Mapping[str, Any], catalogue: Catalogue, purpose: str) -> Work:
    return PURPOSES[purpose](TrainingTask.from_mapping(task), catalogue, Noise(off=True))


if __name__ == "__main__":
    {"aggregator": aggregator, "distributor": distributor}[sys.argv.pop(1)].main(work_for)
