"""What the planner calls mechanisms."""

from django.utils.translation import gettext_lazy as _

ALGORITHMS = {
    "CountMeanSketch": _("Count Mean Sketch"),
    "HadamardCountMeanSketch": _("Hadamard Count Mean Sketch"),
    "SequenceFragmentPuzzle": _("Sequence Fragment Puzzle"),
}
