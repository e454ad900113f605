"""Warnings of `check --deploy`: single sign-on that lets in more people than was meant, or none."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.conf import settings
from django.core import checks

from reports.accounts.single_sign_on.proxy import networks

_LARGE_NETWORK: Final = 256
_SHORT_SECRET: Final = 32
_LONG_SESSION: Final = 24 * 3600


def check_single_sign_on(app_configs: Sequence[Any] | None, **options: Any) -> list[checks.CheckMessage]:
    return [checks.Warning(text, hint=hint, id=f"ldpsite.W1{number}") for number, text, hint in _warnings()]


def _warnings() -> Iterator[tuple[int, str, str]]:
    oidc, proxy = settings.LDPSITE_OIDC_DISCOVERY_URL, settings.LDPSITE_PROXY_USER_HEADER
    if oidc and not oidc.startswith("https://"):
        yield (
            1,
            "The provider of single sign-on is asked over plain HTTP.",
            "Its reader could log in as anybody.",
        )
    if oidc and proxy:
        yield 2, "People come in by a provider and by a proxy.", "Each has accounts of its own. Set up one of them."
    if (oidc or proxy) and settings.SESSION_COOKIE_AGE > _LONG_SESSION:
        hint = "Groups of a provider are looked at when a person logs in. Lower LDPSITE_SESSION_HOURS."
        yield 3, "Who loses a group at the provider keeps its rights here for more than a day.", hint
    if not settings.LDPSITE_PASSWORD_LOGIN and not settings.LDPSITE_SSO_ADMIN_GROUPS:
        hint = "Set LDPSITE_SSO_ADMIN_GROUPS, or allow logins with a password."
        yield 4, "Without logins with a password, no administrator of the site can log in.", hint
    if not proxy:
        return
    if "mail" in proxy.lower():
        hint = "Addresses change hands, and accounts with them. Have the proxy pass on an identifier that stays."
        yield 8, f"By its name, the user header {proxy} holds an e-mail address.", hint
    secret = settings.LDPSITE_PROXY_SECRET
    if secret and len(secret) < _SHORT_SECRET:
        yield 5, "The secret of the proxy is short.", f"Use {_SHORT_SECRET} random characters or more."
    wide = [net for net in networks(tuple(settings.LDPSITE_PROXY_ADDRESSES)) if net.num_addresses > _LARGE_NETWORK]
    if wide and not secret:
        hint = "Name the addresses of the proxy alone, or set LDPSITE_PROXY_SECRET as well."
        yield 6, f"Every machine of {wide[0]} may say who asks.", hint
    if any(net.is_loopback for net in networks(tuple(settings.LDPSITE_PROXY_ADDRESSES))) and not secret:
        hint = "If others can log in there, set LDPSITE_PROXY_SECRET, or listen on a socket file."
        yield 7, "Every program on this machine may say who asks.", hint
