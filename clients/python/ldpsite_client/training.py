"""A training task: its runs, what they spent, and what it states."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldpsite_client.results import Result
from ldpsite_client.rows import TrainingRow

if TYPE_CHECKING:
    from ldpsite_client.site import Site


class TrainingRuns(Result[TrainingRow]):
    """Runs of a task, the newest first; errors are exact where devices are simulated, and no releases."""

    _row = TrainingRow


@dataclass(frozen=True)
class TrainingTask:
    """Training task of a site. Who asks for its runs is noted there, as for its pages."""

    site: "Site"
    slug: str
    # Known if it comes from a list.
    title: str = ""
    description: str = ""

    def runs(self) -> TrainingRuns:
        """Return all runs; the provenance is what the site says of the task, with what all have spent."""
        entries = [*self.site.entries(f"training-tasks/{self.slug}/runs/")]
        return TrainingRuns({**self.document(), "entries": entries})

    def run(self, run: str) -> dict[str, Any]:
        """Return a run by its identifier, with its rounds and all that left the boundary."""
        return self.site.read(f"training-runs/{run}/")

    def card(self, run: str) -> str:
        """Return the card of a finished run's model, as Markdown."""
        return str(self.site.read(f"training-runs/{run}/card/")["card"])

    def document(self) -> dict[str, Any]:
        """Return what the site says of the task: the active version, its plan, and what has been spent."""
        return self.site.read(f"training-tasks/{self.slug}/")

    def statement(self) -> dict[str, Any]:
        """Return the privacy statement."""
        return self.site.read(f"training-tasks/{self.slug}/statement/")

    def ledger(self) -> dict[str, Any]:
        """Return what runs have spent, of real devices and in simulations apart."""
        return self.site.read(f"training-tasks/{self.slug}/ledger/")
