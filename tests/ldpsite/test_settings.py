import json
import os
import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured

from ldpsite import broker
from ldpsite.env import BASE_DIR, env, envbool, envint, envjson
from tests.processes import clean_environment

pytestmark = pytest.mark.exact

Load = Callable[..., SimpleNamespace]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Load:
    """Return settings as a process has them that starts with these variables. Those of this process stay."""

    def load(**variables: str) -> SimpleNamespace:
        with monkeypatch.context() as patch:
            patch.setattr(os, "environ", clean_environment(LDPSITE_DATA_DIR=str(tmp_path), **variables))
            return SimpleNamespace(**runpy.run_path(str(BASE_DIR / "ldpsite" / "settings.py")))

    return load


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


def test_the_secret_key_is_made_once_and_for_the_owner_alone(load: Load, tmp_path: Path) -> None:
    first = load().SECRET_KEY
    assert len(first) >= 50
    assert load().SECRET_KEY == first
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert load(LDPSITE_SECRET_KEY="given").SECRET_KEY == "given"


def test_safe_unless_told_otherwise(load: Load) -> None:
    def switches(settings: SimpleNamespace) -> tuple[bool, ...]:
        secure = (settings.SECURE_SSL_REDIRECT, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE)
        return (settings.DEBUG, *secure)

    assert switches(load()) == (False, True, True, True)
    assert switches(load(LDPSITE_LOCAL_HTTP="1")) == (False, False, False, False)


def test_the_proxy_header_is_believed_only_when_asked_to(load: Load) -> None:
    assert not hasattr(load(), "SECURE_PROXY_SSL_HEADER")
    assert load(LDPSITE_SECURE_PROXY_HEADER="1").SECURE_PROXY_SSL_HEADER == ("HTTP_X_FORWARDED_PROTO", "https")


def test_only_postgresql(load: Load) -> None:
    with pytest.raises(ImproperlyConfigured, match="must name a PostgreSQL database"):
        load(DATABASE_URL="sqlite:///x")


def test_shards_may_go_to_another_storage(load: Load) -> None:
    bucket = {"BACKEND": "a.Bucket", "OPTIONS": {"bucket_name": "b"}}
    assert load(LDPSITE_SHARD_STORAGE=json.dumps(bucket)).STORAGES["shards"] == bucket


def test_processes_may_share_a_cache(load: Load) -> None:
    assert load().CACHES["default"]["BACKEND"].endswith(".LocMemCache")
    shared = {"BACKEND": "a.Cache", "LOCATION": "redis://cache"}
    assert load(LDPSITE_CACHE=json.dumps(shared)).CACHES["default"] == shared


def test_the_database_is_the_broker_unless_another_is_named(load: Load) -> None:
    settings = load(DATABASE_URL="postgresql://u:p%40ss@db.example:5433/site?sslmode=require")
    assert settings.BROKER_IN_DATABASE
    told = settings.CELERY_BROKER_TRANSPORT_OPTIONS["conn_string"]
    assert {*"host=db.example port=5433 user=u password=p@ss dbname=site sslmode=require".split()} <= {*told.split()}
    settings = load(CELERY_BROKER_URL="redis://localhost")
    assert not settings.BROKER_IN_DATABASE
    assert "conn_string" not in settings.CELERY_BROKER_TRANSPORT_OPTIONS


def test_transport_options_fit_the_broker() -> None:
    database = {"HOST": "/run/with space", "PORT": "", "USER": "u", "PASSWORD": "", "NAME": "n"}
    options = broker.transport_options(broker.IN_DATABASE, database)
    assert options["conn_string"] == "host='/run/with space' user=u dbname=n"
    assert options["init_extension"] is False
    assert broker.transport_options("redis://localhost", database)["unacked_restore_throttle"] == 1
    assert broker.transport_options("memory://", database) == {}


def test_nothing_leaves_the_site_unless_it_is_told_where_to(load: Load) -> None:
    def leaves(settings: SimpleNamespace) -> tuple[object, ...]:
        where = (settings.LDPSITE_WEBHOOK_HOSTS, settings.LDPSITE_EMBED_ORIGINS, settings.LDPSITE_ADDRESS)
        return (settings.EMAIL_BACKEND.split(".")[4], settings.EMAIL_HOST, *where)

    assert leaves(load()) == ("dummy", "", [], [], "https://localhost")
    told = {
        "LDPSITE_EMAIL_HOST": "mail.example.org",
        "LDPSITE_WEBHOOK_HOSTS": "hooks.example.org, http://127.0.0.1:8099",
        "LDPSITE_EMBED_ORIGINS": "https://wiki.example.org,https://*.example.com:8443",
        "LDPSITE_ADDRESS": "https://reports.example.org/",
    }
    assert leaves(load(**told)) == (
        "smtp",
        "mail.example.org",
        ["hooks.example.org", "http://127.0.0.1:8099"],
        ["https://wiki.example.org", "https://*.example.com:8443"],
        "https://reports.example.org",
    )


def test_mail_is_encrypted_unless_told_otherwise(load: Load) -> None:
    def encrypted(settings: SimpleNamespace) -> tuple[bool, bool]:
        return settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL

    assert encrypted(load()) == (True, False)
    assert encrypted(load(LDPSITE_EMAIL_SECURITY="tls")) == (False, True)
    with pytest.raises(ImproperlyConfigured, match="must be starttls, tls or none"):
        load(LDPSITE_EMAIL_SECURITY="ssl")


@pytest.mark.parametrize("origin", ["wiki.example.org", "https://a.example; script-src *", "*", "https://a.example/x"])
def test_what_is_no_origin_does_not_come_into_the_policy(origin: str, load: Load) -> None:
    with pytest.raises(ImproperlyConfigured, match="must list origins"):
        load(LDPSITE_EMBED_ORIGINS=origin)


PROVIDER = {
    "LDPSITE_OIDC_DISCOVERY_URL": "https://id.example.org/.well-known/openid-configuration",
    "LDPSITE_OIDC_CLIENT_ID": "ldpsite",
    "LDPSITE_SSO_GROUPS": '{"there": "here"}',
}
PROXY = {
    "LDPSITE_PROXY_USER_HEADER": "X-Auth-User",
    "LDPSITE_PROXY_GROUPS_HEADER": "X-Auth-Groups",
    "LDPSITE_PROXY_ADDRESSES": "10.0.0.7",
    "LDPSITE_SSO_ADMIN_GROUPS": "admins",
}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"LDPSITE_PASSWORD_LOGIN": "0"}, "no login would be left"),
        (PROVIDER | {"LDPSITE_OIDC_CLIENT_ID": ""}, "needs LDPSITE_OIDC_CLIENT_ID"),
        (PROVIDER | {"LDPSITE_OIDC_SCOPES": "email"}, "openid among"),
        (PROVIDER | {"LDPSITE_SSO_GROUPS": ""}, "needs LDPSITE_SSO_GROUPS"),
        (PROVIDER | {"LDPSITE_SSO_GROUPS": '{"there": 1}'}, "must be JSON such as"),
        (PROXY | {"LDPSITE_PROXY_ADDRESSES": ""}, "anybody could send it"),
        (PROXY | {"LDPSITE_PROXY_ADDRESSES": "10.0.0.7,proxy"}, "'proxy' does not appear"),
        (PROXY | {"LDPSITE_PROXY_ADDRESSES": "0.0.0.0/0"}, "must not be everybody's"),
        (PROXY | {"LDPSITE_PROXY_GROUPS_HEADER": ""}, "needs LDPSITE_PROXY_GROUPS_HEADER"),
        (PROXY | {"LDPSITE_SSO_ADMIN_GROUPS": ""}, "needs LDPSITE_SSO_GROUPS"),
    ],
)
def test_single_sign_on_with_a_gap_does_not_start(load: Load, given: dict[str, str], words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        load(**{name: value for name, value in given.items() if value})


@pytest.mark.parametrize(
    "addresses",
    [("s3://lake/", "s3://lake/emoji/"), ("/srv/lake/emoji/", "/srv/lake/"), ("/srv/lake/", "/srv/./lake/")],
)
def test_sources_of_reports_within_each_other_do_not_start(load: Load, addresses: tuple[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="within another"):
        load(LDPSITE_REPORT_SOURCES=json.dumps({address: [] for address in addresses}))
    load(LDPSITE_REPORT_SOURCES='{"s3://lake/emoji/": [], "s3://lake/emoji-2/": [], "/lake/": []}')


def test_single_sign_on_makes_sessions_short_and_may_end_logins_with_a_password(load: Load) -> None:
    plain, provider, proxy = load(), load(**PROVIDER, LDPSITE_PASSWORD_LOGIN="0"), load(**PROXY)
    assert (plain.SESSION_COOKIE_AGE, provider.SESSION_COOKIE_AGE) == (14 * 24 * 3600, 12 * 3600)
    assert [len(each.AUTHENTICATION_BACKENDS) for each in (plain, provider, proxy)] == [1, 1, 2]
    assert (provider.LDPSITE_OIDC_NAME, provider.LDPSITE_SSO_GROUPS) == ("id.example.org", {"there": ["here"]})
    middleware = "reports.accounts.single_sign_on.proxy.ProxyMiddleware"
    assert [middleware in each.MIDDLEWARE for each in (plain, provider, proxy)] == [False, False, True]
