"""Filling an empty installation with the demo's use cases and its user, through the same doors as everybody."""

import json
import secrets
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User

from reports.definitions import apply_definitions, read_definitions
from reports.demo import lists
from reports.demo.domains import write_dictionary
from reports.demo.fleets import FEW_DOMAINS, MANY_DOMAINS
from reports.models import UseCase
from reports.storage import spool_folder

DATA = Path(__file__).parent
SMALL, WEB, TWINS = (DATA / f"{name}.json" for name in ("use_cases", "web_use_cases", "twin_use_cases"))
LOGIN = "demo"
TRAINING = DATA / "training_tasks.json"
GROUPS = ["films", "films-owners", "keyboard", "keyboard-owners", "health", "health-owners", "web", "web-owners"]


def define_small() -> None:
    """Define the use cases whose dictionaries come with the demo."""
    if _missing(SMALL):
        _define(SMALL)


def is_web_missing() -> bool:
    return bool(_missing(WEB))


def are_twins_missing() -> bool:
    return bool(_missing(TWINS))


def define_web(many: int = MANY_DOMAINS, few: int = FEW_DOMAINS) -> None:
    """Define those about domains, whose dictionaries are generated, in these sizes."""
    with spool_folder() as folder:
        write_dictionary(folder / "many-domains.csv", many)
        write_dictionary(folder / "few-domains.csv", few)
        _define(Path(shutil.copy(WEB, folder)))


def define_twins(many: int = MANY_DOMAINS) -> None:
    """Define those that ask what others ask by another mechanism."""
    with spool_folder() as folder:
        write_dictionary(folder / "many-domains.csv", many)
        _define(Path(shutil.copy(TWINS, folder)))


def _missing(file: Path) -> set[str]:
    """The file's use cases that do not exist. Those that do may have been changed by people, and stay as they are."""
    slugs = {item["slug"] for item in json.loads(file.read_text(encoding="utf-8"))}
    return slugs - set(UseCase.objects.values_list("slug", flat=True))


def _define(file: Path) -> None:
    missing = _missing(file)
    apply_definitions([definition for definition in read_definitions(file) if definition.slug in missing])
    lists.make(missing)


def login() -> str:
    """Describe how the demo's administrator signs in.

    The password is drawn at random once and kept in the data folder: a reader of that owns the data anyway.
    A user of that name who has another password was given it by a person, and keeps it; so does one that came with a
    back-up, without the file.
    """
    user = User.objects.filter(username=LOGIN).first()
    path = Path(settings.DATA_DIR) / "demo-password"
    password = None
    if user is None or path.exists():
        password = _password(path)
    if user is None:
        user = User.objects.create_superuser(LOGIN, password=password)
    user.groups.add(*Group.objects.filter(name__in=GROUPS))
    if password is None:
        return f"user {LOGIN}, with the password it had before (change it: manage.py changepassword {LOGIN})"
    if not user.check_password(password):
        return f"user {LOGIN}, with the password you chose"
    return f"user {LOGIN}, password {password}"


def _password(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Complete before it has its name. Its mode is 0600.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:
            new.write(secrets.token_urlsafe(9))
        Path(new.name).replace(path)
    return path.read_text().strip()
