"""Subset selection: a report is a subset of a dictionary that devices know, more often with the own element in it."""

from .client import Client
from .server import Server


class SubsetSelection(Client, Server):
    """Subset selection: a report is w elements of a dictionary of D, among which the own one is more often than not.

    For dictionaries that devices know; with w = 1 it is generalised randomised response. `SubsetSelection.of` takes the
    dictionary itself.

    Parameters
    ----------
    epsilon : int, float or Decimal
        ε, the privacy loss of one report, kept as an exact Decimal.
    size : int
        D, from 2 to 4,096: the elements of the dictionary, and one more, *anything else*, if there is one.
    w : int
        Elements of a subset, from 1 to 512 and less than D; best is the integer nearest D/(e^ε + 1).
    other : bool
        Whether there is *anything else*, which is reported for whatever is not in the dictionary.
    dictionary : str
        The first 32 hex digits of the SHA-256 of the sorted elements, joined by line feeds.
    elements : tuple of str, optional
        The dictionary, sorted; `with_dictionary` checks that it is the one.

    Raises
    ------
    ParameterError
        If a parameter is out of range.

    Notes
    -----
    The own element is in the subset with probability p = w·e^ε/(w·e^ε + D - w), the others are uniform. A subset with
    it has probability p/C(D-1, w-1), one without (1-p)/C(D-1, w): e^ε times less. A report takes 4 bytes for w = 1,
    and 2·w or D/8, whichever is less, for more.

    References
    ----------
    M. Ye, A. Barg, "Optimal schemes for discrete distribution estimation under locally differential privacy" (2018).

    Examples
    --------
    >>> drinks = SubsetSelection.of(1, ["tea", "coffee", "water", "juice", "milk", "cocoa"])
    >>> drinks.w, drinks.elements[0], len(drinks.privatize("tea").split(","))
    (1, 'cocoa', 1)
    >>> drinks.reports("wine"), SubsetSelection.of(1, ["tea", "coffee"], other=True).reports("wine")
    (False, True)
    """
