"""Privacy accounting: the central ε of reports that are shuffled among others."""

from .amplification import amplified, composed, divergence

__all__ = ["amplified", "composed", "divergence"]
