"""Simulated fleets: their uploads, for tests and the demo, and simulations of a use case, which workers do."""

from reports.jobs import register
from reports.simulation.fleets import Fleet, Shares, SharesError, read_shares, simulate, write_truth, zipf_shares
from reports.simulation.ordering import remove_simulation, start_simulation
from reports.simulation.simulation_jobs import SimulationJobs

register(SimulationJobs())
