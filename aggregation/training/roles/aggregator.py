"""The trusted aggregator as a process: `python -m aggregation.training.roles.aggregator --folder … --socket …`."""

from .aggregating import ROLE, Aggregator
from .doors import Answering
from .process import Kept, serve
from .work import WorkFor
from .works import work_for

USER = 64101
"""Number of a user of its own, which no account has, for a start by root."""


def answers(kept: Kept, work_for: WorkFor) -> dict[str, Answering]:
    own = Aggregator(kept.signing_key, kept.opened, work_for)
    return {"/open": own.open, "/add": own.add, "/release": own.release}


def main(work_for: WorkFor = work_for) -> None:
    # Accounting imports it late; as a user of its own, the process may not be able to read it any more.
    import dp_accounting.pld  # noqa: F401

    serve(ROLE, USER, lambda kept: answers(kept, work_for))


if __name__ == "__main__":
    main()
