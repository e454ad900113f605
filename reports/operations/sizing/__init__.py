"""Size of a site for so many reports a day, and what breaks next."""

from reports.operations.sizing.limits import Limit, limits
from reports.operations.sizing.load import ALGORITHM, PARAMETERS, Load, mechanism_of
from reports.operations.sizing.needs import Need, needs
from reports.operations.sizing.unit_costs import UnitCosts, kept_costs
