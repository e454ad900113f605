"""People whom a proxy in front of the site has logged in: its headers count only where they come from the proxy."""

import hashlib
import ipaddress
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.auth.backends import RemoteUserBackend
from django.contrib.auth.middleware import RemoteUserMiddleware
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from reports.accounts.preferences import PersonBackend
from reports.accounts.single_sign_on.signed_on import Claimed, NotLetIn, account_of, address_in

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

ISSUER: Final = "proxy"
BACKEND: Final = "reports.accounts.single_sign_on.proxy.ProxyBackend"
# In place of an address: the web server listens on a socket file, which the system guards.
UNIX: Final = "unix"
SECRET_HEADER: Final = "X-LDPSITE-Proxy-Secret"  # noqa: S105 — its name
_SEEN: Final = "proxy_headers"


def meta(header: str) -> str:
    """Return the name under which WSGI passes a header on."""
    return f"HTTP_{header.upper().replace('-', '_')}"


@lru_cache(maxsize=4)
def networks(addresses: tuple[str, ...]) -> tuple[Network, ...]:
    """Return the networks of addresses, but for the socket file. Raises ValueError."""
    return tuple(ipaddress.ip_network(each) for each in addresses if each != UNIX)


def is_from_proxy(request: HttpRequest) -> bool:
    """Tell whether a request comes from a trusted address, and with the secret, whichever of the two are set up."""
    secret, trusted = settings.LDPSITE_PROXY_SECRET, tuple(settings.LDPSITE_PROXY_ADDRESSES)
    if not secret and not trusted:
        return False
    if secret and not constant_time_compare(request.META.get(meta(SECRET_HEADER), ""), secret):
        return False
    if not trusted:
        return True
    sender = request.META.get("REMOTE_ADDR", "")
    if not sender:
        return UNIX in trusted
    address = ipaddress.ip_address(sender)
    # As a socket that listens for both kinds writes an IPv4 address.
    plain = getattr(address, "ipv4_mapped", None) or address
    return any(plain in network for network in networks(trusted))


class ProxyBackend(PersonBackend, RemoteUserBackend):
    """Django's backend of remote users, with accounts and rights as all single sign-on has them."""

    def authenticate(self, request: HttpRequest | None, remote_user: str = "", **_credentials: Any) -> User | None:  # type: ignore[override]
        if request is None or not remote_user:
            return None
        groups = request.META.get(meta(settings.LDPSITE_PROXY_GROUPS_HEADER), "")
        claimed = Claimed(
            issuer=ISSUER,
            subject=remote_user,
            groups=frozenset(filter(None, (each.strip() for each in groups.split(",")))),
            user_name=remote_user,
            email=address_in(remote_user),
        )
        try:
            return account_of(claimed)
        except NotLetIn as error:
            request.META[_REFUSED] = error.reason
            return None


_REFUSED: Final = "ldpsite.not_let_in"


def refusal(request: HttpRequest) -> str | None:
    """Return why the person whom the proxy names is not let in, if so."""
    reason: str | None = request.META.get(_REFUSED)
    return reason


class ProxyMiddleware(RemoteUserMiddleware):
    """Django's middleware of remote users, for requests of the proxy; from others its headers are dropped unread.

    Groups are looked at in each request: rights that are gone at the proxy are gone here at once.
    """

    @property
    def header(self) -> str:  # type: ignore[override]
        return meta(settings.LDPSITE_PROXY_USER_HEADER)

    @property
    def _groups(self) -> str:
        return meta(settings.LDPSITE_PROXY_GROUPS_HEADER)

    def process_request(self, request: HttpRequest) -> None:
        if not is_from_proxy(request):
            for name in (self.header, self._groups):
                request.META.pop(name, None)
        if not request.META.get(self.header):
            # Whom the proxy does not name, for instance because an address needs no login, is a stranger there.
            if settings.SESSION_COOKIE_NAME in request.COOKIES and request.session.get(BACKEND_SESSION_KEY) == BACKEND:
                request.user = AnonymousUser()
            return
        super().process_request(request)
        if request.user.is_authenticated:
            seen = self._digest(request.META[self.header], request)
            if request.session.get(_SEEN) != seen and request.session.get(BACKEND_SESSION_KEY) == BACKEND:
                request.session[_SEEN] = seen

    def clean_username(self, username: str, request: HttpRequest) -> str:
        """Return the name of the person logged in if the headers are those of their login, and else no name."""
        same = request.session.get(_SEEN) == self._digest(username, request)
        return request.user.get_username() if same else ""

    def _digest(self, username: str, request: HttpRequest) -> str:
        text = f"{username}\0{request.META.get(self._groups, '')}"
        return hashlib.sha256(text.encode()).hexdigest()
