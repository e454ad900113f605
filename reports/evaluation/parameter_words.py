"""Parameters of what was tried, as pages write them: in the order of their mechanism, the estimator last."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy

from aggregation.mechanisms import MECHANISMS
from reports.formatting import whole

ESTIMATORS: Final = {
    "debiased": gettext_lazy("without bias"),
    "corrected": gettext_lazy("corrected for collisions"),
    "consistent": gettext_lazy("made consistent"),
}


def parameters_text(algorithm: str, parameters: Mapping[str, int | str]) -> str:
    """Write parameters as in "k = 32,768, m = 64, corrected for collisions"."""
    # The database keeps keys in an order of its own.
    names = [name for name in MECHANISMS[algorithm].parameter_types if name in parameters]
    written = [f"{name} = {whole(int(parameters[name]))}" for name in names]
    if "estimator" in parameters:
        written.append(str(ESTIMATORS[str(parameters["estimator"])]))
    return ", ".join(written)
