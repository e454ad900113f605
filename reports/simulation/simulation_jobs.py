"""Simulations as jobs: a part sends the reports of a day, and then their count is ordered as that of any others."""

import datetime
from collections.abc import Iterable
from contextlib import suppress

from django.db import transaction

from reports.collection.ingest import Upload, ingest
from reports.jobs import JobType, end, hand_in, hold
from reports.models import Simulation, SimulationPart, UseCase
from reports.models.uploads import utc_today
from reports.runs import NothingToAggregate, start_run
from reports.simulation.fleets import simulate
from reports.simulation.made_up import made_up_shares
from reports.storage import spool_folder


class SimulationJobs(JobType[Simulation, SimulationPart]):
    model = Simulation

    def cut(self, job: Simulation) -> Iterable[SimulationPart]:
        today = utc_today()
        return [
            SimulationPart(
                simulation=job,
                day=today - datetime.timedelta(days=back + 1),
                reports=job.reports // job.days + (back < job.reports % job.days),
            )
            for back in range(job.days)
        ]

    def do(self, part: SimulationPart) -> None:
        """Send what a seed makes of the day, so that a part that is done twice sends the same, which is recognised."""
        version = part.simulation.version
        if not version.shards.filter(day=part.day).exists():
            with spool_folder() as folder:
                documents = folder / "fleet.ndjson"
                simulate(version, made_up_shares(version), part.reports, part.day.toordinal(), documents)
                with documents.open("rb") as stream:
                    use_case = UseCase.objects.filter(pk=version.use_case_id)
                    ingest(Upload(stream, "ndjson"), use_case, day=part.day, simulated=True)
        hand_in(part)

    def finish(self, job: Simulation) -> None:
        with transaction.atomic():
            if held := hold(job):
                # A run that began by itself may have counted all days meanwhile.
                with suppress(NothingToAggregate):
                    start_run(held.version)
                end(held)
