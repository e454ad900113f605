"""Effects of fakes that no test sees, and of missing noise, as mechanisms derive them."""

from ..registry import Effect, Mechanism, MissingNoise, part_of


def effect_of_fakes(mechanism: Mechanism) -> Effect:
    """Bound what one fake report does to estimates.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism with its parameters.

    Returns
    -------
    Effect
        What the mechanism's module `screening` derives.

    Raises
    ------
    ParameterError
        If the mechanism is not registered.

    References
    ----------
    X. Cao, J. Jia, N. Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols" (2021).
    """
    return part_of(mechanism, "screening").effect(mechanism)


def missing_noise(mechanism: Mechanism, alpha: float) -> MissingNoise | None:
    """Return when a batch without noise is found at a rate of false alarms; None if it always is, whatever it says.

    Raises a ParameterError if the mechanism is not registered.
    """
    return part_of(mechanism, "screening").missing_noise(mechanism, alpha)
