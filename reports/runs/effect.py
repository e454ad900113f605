"""What a run changed: some are ordered when there is nothing new, and then say so."""

from enum import Enum

from reports.models import Histogram, Part, Run


class Effect(Enum):
    COUNTED = "reports were read that had not been"
    PUBLISHED = "nothing was read, but something is published that was not"
    NOTHING = "all is as it was"


def effect_of(run: Run) -> Effect:
    """Of a finished run. What somebody asked to see at the same moment is taken for its own."""
    if run.parts.filter(step__in=(Part.Step.READ_OUT, Part.Step.SKETCH)).exists():
        return Effect.COUNTED
    during = (run.planned_at, run.finished_at)
    published = Histogram.objects.filter(version=run.version_id, generated_at__range=during)
    return Effect.PUBLISHED if published.exists() else Effect.NOTHING
