"""The trusted distributor as a process: `python -m aggregation.training.roles.distributor --folder … --socket …`."""

from .distributing import ROLE, Distributor
from .doors import Answering
from .process import Kept, serve
from .work import WorkFor
from .works import work_for

USER = 64102
"""Number of a user of its own, which no account has, for a start by root."""


def answers(kept: Kept, work_for: WorkFor) -> dict[str, Answering]:
    own = Distributor(kept.signing_key, work_for)
    return {"/open": own.open, "/rows": own.rows}


def main(work_for: WorkFor = work_for) -> None:
    serve(ROLE, USER, lambda kept: answers(kept, work_for))


if __name__ == "__main__":
    main()
