"""Wheels of this project, built and installed into empty environments."""

import os
import shutil
import subprocess
import sys
import venv
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from ldpsite.env import BASE_DIR


def run(*command: str | Path, **more: str) -> str:
    """Run a command away from this project; return what it printed."""
    result = subprocess.run(command, cwd="/", env=os.environ | more, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def built(target: str, folder: Path) -> Path:
    """Return the wheel that a target of `make` builds."""
    run("make", "--directory", BASE_DIR, "--assume-old", ".venv/.installed-dev", target, f"DIST={folder}")
    (wheel,) = folder.iterdir()
    return wheel


def installed(wheel: str, folder: Path, *lent: str) -> Path:
    """Return the Python of an environment with a wheel, and with distributions that are lent.

    There may be no network to fetch these. The wheel is installed without an index, so that anything it needs beside
    them is an error.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/*/site-packages")
    for name in lent:
        for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            found = Path(str(distribution(name).locate_file(top)))
            if top.endswith(".dist-info"):
                shutil.copytree(found, packages / top)
            else:
                (packages / top).symlink_to(found)
    if find_spec("pip"):
        installer = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install"]
    else:
        installer = ["uv", "pip", "install", "--python", str(python)]
    run(*installer, "--quiet", "--no-index", wheel)
    return python
