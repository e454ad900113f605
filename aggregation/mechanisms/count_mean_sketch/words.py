"""Texts of forms and pages about Count Mean Sketch."""

import math
from collections.abc import Mapping
from typing import Final

from ...registry import ParameterWords, Say
from ...registry import marked as _
from ..sketch_words import EPSILON, SEED, VECTOR_FINDINGS, VECTOR_TESTS, K, M, examples, vector_fields
from .mechanism import CountMeanSketch

__all__ = ["FINDINGS", "NAME", "PARAMETERS", "SUMMARY", "TESTS", "examples", "fields", "plan"]

NAME: Final = _("Count Mean Sketch")
SUMMARY: Final = _("Count Mean Sketch: a report is m bits, each with noise; as deployed for emoji")
PARAMETERS: Final[Mapping[str, ParameterWords]] = {"epsilon": EPSILON, "k": K, "m": M, "seed": SEED}
TESTS: Final = VECTOR_TESTS
FINDINGS: Final = VECTOR_FINDINGS


def fields(mechanism: CountMeanSketch, say: Say, about: str = _("what was observed")) -> list[tuple[str, str]]:
    flip = 1 / (math.exp(float(mechanism.epsilon) / 2) + 1)
    return vector_fields(mechanism.k, mechanism.m, flip, say(about), say)


def plan(parameters: Mapping[str, str], say: Say) -> list[str]:
    return [say(_("k = %(k)s, m = %(m)s"), k=parameters["k"], m=parameters["m"])]
