"""A job as plain as can be, for tests of `reports.jobs`. It has tables in databases of tests only."""

from django.db import models

from reports.models import Job, LeasedPart


class Toy(Job):
    """Squares the numbers below its size, each in a part, and adds the squares up in a last one."""

    PLANNING = "unpacking"
    FINISHING = "tidying up"

    size = models.PositiveIntegerField(default=3)
    total = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return f"toy of {self.size}"


class ToyPart(LeasedPart):
    class Step(models.IntegerChoices):
        SQUARE = 0, "squaring"
        SUM = 1, "adding up"

    toy = models.ForeignKey(Toy, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"part {self.number} of {self.toy}"

    @property
    def job(self) -> Toy:
        return self.toy
