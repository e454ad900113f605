"""Count Mean Sketch."""

from .mechanism import CountMeanSketch

__all__ = ["CountMeanSketch"]
