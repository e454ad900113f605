"""Simulations: reports of a made-up fleet for a copy of a use case, made and sent by workers."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.jobs import Job, LeasedPart
from reports.models.versions import Version


class Simulation(Job):
    """Order of so many simulated reports over some days, for a version that takes no others."""

    PLANNING = _("planning")
    FINISHING = _("ordering the count")

    version = models.OneToOneField(
        Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="simulation"
    )
    reports = models.PositiveIntegerField(_("reports"))
    days = models.PositiveSmallIntegerField(_("days"))

    class Meta:
        verbose_name = _("simulation")
        verbose_name_plural = _("simulations")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return str(self.version)


class SimulationPart(LeasedPart):
    """Reports of one day."""

    class Step(models.IntegerChoices):
        SEND = 0, _("sending simulated reports")

    simulation = models.ForeignKey(Simulation, on_delete=models.CASCADE, related_name="parts")
    day = models.DateField(_("day"))
    reports = models.PositiveIntegerField(_("reports"))

    class Meta:
        verbose_name = _("part of a simulation")
        verbose_name_plural = _("parts of simulations")
        ordering = ["simulation", "-day"]
        constraints = [models.UniqueConstraint(fields=["simulation", "day"], name="simulation_part_once")]

    def __str__(self) -> str:
        return f"{self.simulation} {self.day}"

    @property
    def job(self) -> Simulation:
        return self.simulation
