"""Settings of single sign-on, read and checked when the site starts: a gap in them would let in the wrong people."""

import ipaddress
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def group_mapping(given: Any) -> dict[str, list[str]]:
    """Return for each group of the provider the groups of the site that its members are in."""
    words = 'LDPSITE_SSO_GROUPS must be JSON such as {"their group": ["our group"]}.'
    if not isinstance(given or {}, dict):
        raise ImproperlyConfigured(words)
    found = {there: [here] if isinstance(here, str) else here for there, here in (given or {}).items()}
    if not all(
        isinstance(here, list) and all(isinstance(each, str) and each for each in here) for here in found.values()
    ):
        raise ImproperlyConfigured(words)
    return found


def check_provider(discovery_url: str, client_id: str, scopes: str, *, lets_in: bool) -> None:
    if not discovery_url:
        return
    if not discovery_url.startswith(("https://", "http://")) or not client_id or "openid" not in scopes.split():
        raise ImproperlyConfigured(
            "LDPSITE_OIDC_DISCOVERY_URL needs LDPSITE_OIDC_CLIENT_ID, and openid among LDPSITE_OIDC_SCOPES."
        )
    _require_groups(lets_in)


def check_proxy(user_header: str, groups_header: str, addresses: list[str], secret: str, *, lets_in: bool) -> None:
    if not user_header:
        return
    if not groups_header:
        raise ImproperlyConfigured("LDPSITE_PROXY_USER_HEADER needs LDPSITE_PROXY_GROUPS_HEADER.")
    if not addresses and not secret:
        raise ImproperlyConfigured(
            "LDPSITE_PROXY_USER_HEADER needs LDPSITE_PROXY_ADDRESSES or LDPSITE_PROXY_SECRET: anybody could send it."
        )
    for address in addresses:
        try:
            network = None if address == "unix" else ipaddress.ip_network(address)
        except ValueError as error:
            raise ImproperlyConfigured(f"LDPSITE_PROXY_ADDRESSES: {error}") from None
        if network is not None and network.prefixlen == 0:
            raise ImproperlyConfigured("LDPSITE_PROXY_ADDRESSES must not be everybody's.")
    _require_groups(lets_in)


def _require_groups(lets_in: bool) -> None:
    if not lets_in:
        raise ImproperlyConfigured("Single sign-on needs LDPSITE_SSO_GROUPS or LDPSITE_SSO_ADMIN_GROUPS.")
