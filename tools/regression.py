"""Measure the regression matrix and keep it under the name of this release."""

import json
import sys
import tomllib
from pathlib import Path

import aggregation.evaluation
import aggregation.mechanisms
from aggregation.evaluation import regression

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "reports" / "evaluation" / "regressions"
SEED = 16


def main(folder: Path = KEPT) -> None:
    release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    file = Path(aggregation.evaluation.__file__).with_name("regression.json")
    matrix = json.loads(file.read_text(encoding="utf-8"))
    rows = regression(matrix, SEED, lambda line: print(line, file=sys.stderr))
    folder.mkdir(exist_ok=True)
    document = {"release": release, "seed": SEED, "repetitions": matrix["repetitions"], "rows": rows}
    path = folder / f"{release}.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
