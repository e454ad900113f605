import subprocess
import sys
from pathlib import Path

import pytest

from ldpsite import broker
from ldpsite.env import BASE_DIR, env, envbool, envint, envjson
from tests.processes import clean_environment

pytestmark = pytest.mark.exact


def setting(expression: str, data_dir: Path, **variables: str) -> str:
    """Evaluate an expression on freshly loaded settings."""
    code = f"from ldpsite import settings; print({expression})"
    environment = clean_environment(LDPSITE_DATA_DIR=str(data_dir), **variables)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    return (done.stdout or done.stderr).strip()


def test_a_switch_with_a_typo_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "Yes")
    assert envbool("X") is True
    monkeypatch.setenv("X", "0")
    assert envbool("X", default=True) is False
    monkeypatch.setenv("X", "")
    assert envbool("X", default=True) is True
    monkeypatch.setenv("X", "flase")
    with pytest.raises(ValueError, match="got 'flase'"):
        envbool("X")
    with pytest.raises(ValueError, match="whole number"):
        envint("X", 1)


def test_broken_json_is_named_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert envjson("X") is None
    monkeypatch.setenv("X", '{"BACKEND": "a.B"}')
    assert envjson("X") == {"BACKEND": "a.B"}
    monkeypatch.setenv("X", '{"secret_key": "s3cr3t",}')
    with pytest.raises(ValueError, match=r"^X must be JSON; at character") as caught:
        envjson("X")
    assert "s3cr3t" not in str(caught.value)


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("from a file\n")
    monkeypatch.setenv("X_FILE", str(path))
    assert env("X") == "from a file"


def test_the_secret_key_is_made_once_and_for_the_owner_alone(tmp_path: Path) -> None:
    first = setting("settings.SECRET_KEY", tmp_path)
    assert len(first) >= 50
    assert setting("settings.SECRET_KEY", tmp_path) == first
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert setting("settings.SECRET_KEY", tmp_path, LDPSITE_SECRET_KEY="given") == "given"


def test_safe_unless_told_otherwise(tmp_path: Path) -> None:
    names = ("DEBUG", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
    values = f"[settings.{', settings.'.join(names)}]"
    assert setting(values, tmp_path) == "[False, True, True, True]"
    assert setting(values, tmp_path, LDPSITE_LOCAL_HTTP="1") == "[False, False, False, False]"


def test_the_proxy_header_is_believed_only_when_asked_to(tmp_path: Path) -> None:
    expression = "getattr(settings, 'SECURE_PROXY_SSL_HEADER', None)"
    assert setting(expression, tmp_path) == "None"
    assert "X_FORWARDED_PROTO" in setting(expression, tmp_path, LDPSITE_SECURE_PROXY_HEADER="1")


def test_only_postgresql(tmp_path: Path) -> None:
    assert "must name a PostgreSQL database" in setting("1", tmp_path, DATABASE_URL="sqlite:///x")


def test_shards_may_go_to_another_storage(tmp_path: Path) -> None:
    bucket = '{"BACKEND": "a.Bucket", "OPTIONS": {"bucket_name": "b"}}'
    told = setting("settings.STORAGES['shards']", tmp_path, LDPSITE_SHARD_STORAGE=bucket)
    assert told == "{'BACKEND': 'a.Bucket', 'OPTIONS': {'bucket_name': 'b'}}"


def test_processes_may_share_a_cache(tmp_path: Path) -> None:
    assert "LocMemCache" in setting("settings.CACHES['default']['BACKEND']", tmp_path)
    shared = '{"BACKEND": "a.Cache", "LOCATION": "redis://cache"}'
    told = setting("settings.CACHES['default']", tmp_path, LDPSITE_CACHE=shared)
    assert told == "{'BACKEND': 'a.Cache', 'LOCATION': 'redis://cache'}"


def test_the_database_is_the_broker_unless_another_is_named(tmp_path: Path) -> None:
    url = "postgresql://u:p%40ss@db.example:5433/site?sslmode=require"
    expression = "(settings.BROKER_IN_DATABASE, settings.CELERY_BROKER_TRANSPORT_OPTIONS.get('conn_string'))"
    conninfo = "host=db.example port=5433 user=u password=p@ss dbname=site sslmode=require"
    assert setting(expression, tmp_path, DATABASE_URL=url).startswith("(True, ")
    for part in conninfo.split():
        assert part in setting(expression, tmp_path, DATABASE_URL=url)
    assert setting(expression, tmp_path, CELERY_BROKER_URL="redis://localhost") == "(False, None)"


def test_transport_options_fit_the_broker() -> None:
    database = {"HOST": "/run/with space", "PORT": "", "USER": "u", "PASSWORD": "", "NAME": "n"}
    options = broker.transport_options(broker.IN_DATABASE, database)
    assert options["conn_string"] == "host='/run/with space' user=u dbname=n"
    assert options["init_extension"] is False
    assert broker.transport_options("redis://localhost", database)["unacked_restore_throttle"] == 1
    assert broker.transport_options("memory://", database) == {}


def test_deployment_check_has_nothing_to_say(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=BASE_DIR,
        env=clean_environment(LDPSITE_DATA_DIR=str(tmp_path), DATABASE_URL="postgresql://nobody@nowhere/nothing"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_nothing_leaves_the_site_unless_it_is_told_where_to(tmp_path: Path) -> None:
    names = ("EMAIL_HOST", "LDPSITE_WEBHOOK_HOSTS", "LDPSITE_EMBED_ORIGINS", "LDPSITE_ADDRESS")
    values = f"[settings.{', settings.'.join(names)}], settings.EMAIL_BACKEND.split('.')[4]"
    assert setting(values, tmp_path) == "['', [], [], 'https://localhost'] dummy"
    told = {
        "LDPSITE_EMAIL_HOST": "mail.example.org",
        "LDPSITE_WEBHOOK_HOSTS": "hooks.example.org, http://127.0.0.1:8099",
        "LDPSITE_EMBED_ORIGINS": "https://wiki.example.org,https://*.example.com:8443",
        "LDPSITE_ADDRESS": "https://reports.example.org/",
    }
    assert setting(values, tmp_path, **told) == (
        "['mail.example.org', ['hooks.example.org', 'http://127.0.0.1:8099'],"
        " ['https://wiki.example.org', 'https://*.example.com:8443'], 'https://reports.example.org'] smtp"
    )


def test_mail_is_encrypted_unless_told_otherwise(tmp_path: Path) -> None:
    values = "[settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL]"
    assert setting(values, tmp_path) == "[True, False]"
    assert setting(values, tmp_path, LDPSITE_EMAIL_SECURITY="tls") == "[False, True]"
    assert "must be starttls, tls or none" in setting(values, tmp_path, LDPSITE_EMAIL_SECURITY="ssl")


@pytest.mark.parametrize("origin", ["wiki.example.org", "https://a.example; script-src *", "*", "https://a.example/x"])
def test_what_is_no_origin_does_not_come_into_the_policy(origin: str, tmp_path: Path) -> None:
    assert "must list origins" in setting("0", tmp_path, LDPSITE_EMBED_ORIGINS=origin)
