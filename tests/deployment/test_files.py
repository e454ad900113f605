"""Deployment files held against the project: each command, variable and path exists, and nothing needs root."""

import json
import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from ldpsite.broker import WORKER_OPTIONS
from ldpsite.env import BASE_DIR

pytestmark = pytest.mark.exact

DEPLOY = BASE_DIR / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
# Services of others, which have images of their own.
SERVERS = {"postgres", "rabbitmq", "store"}
TRUSTED = {"aggregator", "distributor"}
SITE: dict[str, dict[str, Any]] = {name: each for name, each in COMPOSE["services"].items() if name not in SERVERS}
UNITS = {path.stem: path.read_text(encoding="utf-8") for path in (DEPLOY / "systemd").glob("*.service")}
MANIFESTS: list[dict[str, Any]] = [
    manifest
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text(encoding="utf-8"))
]
PODS = [each["spec"]["template"]["spec"] for each in MANIFESTS if "template" in each.get("spec", {})]
CONTAINERS: list[dict[str, Any]] = [
    container for pod in PODS for container in (*pod.get("initContainers", ()), *pod["containers"])
]
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    """Return what is started anywhere, as lists of words."""
    found = [list(map(str, each["command"])) for each in SITE.values()]
    found += [container["command"] for container in CONTAINERS]
    found += [
        shlex.split(line) for unit in UNITS.values() for line in re.findall(r"^ExecStart\w*=(.*)$", unit, re.MULTILINE)
    ]
    found.append(json.loads(re.findall(r"^CMD (.*)$", CONTAINERFILE, re.MULTILINE)[0]))
    of_shells = [
        part.removeprefix("exec ") for each in found if each[0] == "sh" for part in re.split(r"\s*&&\s*", each[2])
    ]
    return [each for each in found if each[0] != "sh"] + [shlex.split(part) for part in of_shells]


def test_every_command_exists() -> None:
    seen = set()
    for command in commands():
        program, *rest = command
        program = program.removeprefix("/opt/ldpsite/.venv/bin/")
        seen.add(program)
        if program == "gunicorn":
            config = rest[rest.index("--config") + 1]
            assert find_spec(config.removeprefix("python:")), command
        elif program == "celery":
            assert rest[:2] == ["-A", "ldpsite"]
            assert rest[2] == "beat" or (rest[2] == "worker" and set(WORKER_OPTIONS) < set(rest)), command
        elif rest[0] == "manage.py":
            assert rest[1] in get_commands(), command
        elif rest[0] == "-m":
            assert find_spec(rest[1]), command
        else:
            assert rest[0] == "-c"
            compile(rest[1], "compose.yaml", "exec")
    assert seen == {"gunicorn", "celery", "python"}


def test_every_variable_is_read() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (BASE_DIR / "ldpsite").glob("*.py"))
    of_amazon = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    known = set(re.findall(r'env\w*\(\s*"(\w+)"', source)) | of_amazon
    named = {name for each in SITE.values() for name in each.get("environment", {})}
    named |= {name for each in MANIFESTS for name in (*each.get("data", {}), *each.get("stringData", {}))}
    named |= set(re.findall(r"\b(?:LDPSITE|DATABASE|CELERY|AWS)_[A-Z_]+\b", "".join(UNITS.values())))
    example = set(re.findall(r"^#?([A-Z_]+)=", (DEPLOY / "site.env.example").read_text(encoding="utf-8"), re.MULTILINE))
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    assert asked <= example
    assert named | example <= known | asked
    (settings,) = (each["data"] for each in MANIFESTS if each["kind"] == "ConfigMap")
    json.loads(settings["LDPSITE_SHARD_STORAGE"])
    json.loads(SITE["web"]["environment"]["LDPSITE_SHARD_STORAGE"])


def test_every_path_that_is_copied_exists() -> None:
    sent = (BASE_DIR / ".containerignore").read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE):
        *sources, _target = line.split()
        for source in sources:
            assert BASE_DIR.joinpath(source).exists(), source
            assert any(Path(source).match(pattern.removeprefix("!")) for pattern in sent if pattern[0] == "!"), source


def test_image_holds_what_is_read_from_the_base_folder() -> None:
    sources = [path for folder in ("ldpsite", "reports") for path in (BASE_DIR / folder).rglob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    read = set(re.findall(r'BASE_DIR / "([^"]+)"', text)) - {"var"}  # where LDPSITE_DATA_DIR is not set
    copied = " ".join(re.findall(r"^COPY (?!--from)(.*) \S+$", CONTAINERFILE, re.MULTILINE)).split()
    assert {"clients", "LICENSE", "docs"} <= read <= set(copied)


def test_nothing_needs_root_or_writes_where_it_is_installed() -> None:
    assert re.findall(r"^USER (.*)$", CONTAINERFILE, re.MULTILINE) == ["64100:64100"]
    for name, service in SITE.items():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    for pod in PODS:
        assert pod["securityContext"]["runAsNonRoot"]
        assert not pod["automountServiceAccountToken"]
    for container in CONTAINERS:
        assert container["securityContext"]["readOnlyRootFilesystem"], container["name"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, container["name"]
    for name, unit in UNITS.items():
        assert re.search(r"^User=ldpsite", unit, re.MULTILINE), name
        assert {"NoNewPrivileges=yes", "ProtectSystem=strict"} < set(unit.splitlines()), name


def test_trusted_processes_have_nothing_of_the_site() -> None:
    for name in TRUSTED:
        assert not SITE[name].get("environment")
        assert SITE[name]["network_mode"] == "none"
        assert "EnvironmentFile" not in "".join(
            line for line in UNITS[f"ldpsite-{name}"].splitlines() if line[0:1] != "#"
        )
        assert f"User=ldpsite-{name}" in UNITS[f"ldpsite-{name}"].splitlines()
    volumes = {name: {each.split(":")[0] for each in service.get("volumes", ())} for name, service in SITE.items()}
    doors = {f"{name}-door" for name in TRUSTED}
    for name in TRUSTED:
        others = set().union(*(volumes[other] for other in volumes if other != name))
        assert volumes[name] & others == {f"{name}-door"}
    assert doors < volumes["web"]


def test_the_site_is_the_same_one_everywhere() -> None:
    """Parts that are made of anchors cannot differ; those of other files can."""
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "LDPSITE_SHARD_STORAGE", "LDPSITE_SECRET_KEY"):
        for service, each in SITE.items():
            assert (name in each.get("environment", {})) == (service not in TRUSTED), service
        assert any(name in manifest.get("data", {}) or name in manifest.get("stringData", {}) for manifest in MANIFESTS)
    assert {each["image"] for each in SITE.values()} == {"ldpsite:0.1.0"}
    assert {each["image"] for each in CONTAINERS} == {"registry.example.org/ldpsite:0.1.0"}
    assert all(re.search(r":\d", COMPOSE["services"][name]["image"]) for name in SERVERS)
