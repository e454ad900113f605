"""`make install`: how far it is, and that it fails where pip does."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

TOOLS = ("grep", "make", "rm", "sh", "test", "touch")
PIP = """#!/bin/sh
echo 'Collecting amqp==5.3.1 (from -r requirements.txt (line 7))'
echo '  Downloading amqp-5.3.1-py3-none-any.whl (50 kB)'
echo 'Ignoring tzdata: markers do not match your environment'
echo 'Processing /wheels/vine-5.1.0-py3-none-any.whl (from -r requirements.txt (line 8))'
echo 'Requirement already satisfied: django==5.2 in ./.venv (from -r requirements.txt (line 9))'
echo 'Installing collected packages: amqp'
echo 'ERROR: no space left' >&2
exit {status}
"""


def install(folder: Path, *, status: int) -> subprocess.CompletedProcess[str]:
    """Call `make install` where there is no uv, with a pip that ends so."""
    programs = folder / "programs"
    programs.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"{tool} is not installed"
        programs.joinpath(tool).symlink_to(found)
    shutil.copy(BASE_DIR / "Makefile", folder)
    folder.joinpath("requirements.txt").write_text("amqp==5.3.1\ndjango==5.2\ntzdata==2026.6\nvine==5.1.0\n")
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP.format(status=status))
    python.chmod(0o755)
    return subprocess.run(
        [programs / "make", "install"],
        cwd=folder,
        env={"PATH": str(programs), "LC_ALL": os.environ.get("LC_ALL", "C.UTF-8")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    done = install(tmp_path, status=0)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Installing requirements.txt …",
        "  1 of 4: amqp==5.3.1",
        "  3 of 4: vine-5.1.0-py3-none-any.whl",
        "  Unpacking them, which takes a minute on a slow machine …",
    ]
    assert tmp_path.joinpath(".venv", ".installed").exists()


def test_it_fails_where_pip_fails_and_shows_why(tmp_path: Path) -> None:
    done = install(tmp_path, status=1)
    assert done.returncode != 0
    assert "no space left" in done.stderr
    assert not tmp_path.joinpath(".venv", ".installed").exists()
