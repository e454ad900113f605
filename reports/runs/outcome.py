"""What a run changed: some are ordered when there is nothing new, and then say so."""

from enum import Enum

from reports.models import Histogram, Part, Period, Run


class Outcome(Enum):
    COUNTED = "reports were read that had not been"
    PUBLISHED = "nothing was read, but something is shown that was not"
    NOTHING = "all is as it was"


def outcome_of(run: Run) -> Outcome:
    """Classify a finished run. What another run of the version releases at the same moment is attributed to it."""
    if run.parts.filter(step__in=(Part.Step.READ_OUT, Part.Step.SKETCH)).exists():
        return Outcome.COUNTED
    during = (run.planned_at, run.finished_at)
    periods = Period.objects.filter(version=run.version_id, closed_at__range=during)
    lists = Histogram.objects.filter(version=run.version_id, revision=None, generated_at__range=during)
    return Outcome.PUBLISHED if periods.exists() or lists.exists() else Outcome.NOTHING
