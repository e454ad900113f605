"""How large a site has to be for so many reports a day, and what breaks next."""

from reports.operations.sizing.limits import Limit, limits
from reports.operations.sizing.load import Load
from reports.operations.sizing.needs import Need, needs
from reports.operations.sizing.unit_costs import UnitCosts, kept_costs

__all__ = ["Limit", "Load", "Need", "UnitCosts", "kept_costs", "limits", "needs"]
