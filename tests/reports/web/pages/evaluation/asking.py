"""Data of an evaluation's form."""

ASKED = {
    "distributions": ["harmonic", "list"],
    "counts": "tea\t300\nmilk\t200\n",
    "elements": "30",
    "reports": "500",
    "algorithm": "CountMeanSketch",
    "k": "16, 65535",
    "m": "8",
    "epsilon": "2, 4",
    "estimator": "debiased",
    "family": "fixed",
    "repetitions": "20",
    "top": "3",
    "seed": "7",
}
