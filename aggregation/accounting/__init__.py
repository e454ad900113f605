"""What reports cost their senders: the central ε of a report among others."""

from .amplification import amplified, composed, divergence

__all__ = ["amplified", "composed", "divergence"]
