"""OpenID Connect, by Authlib: discovery, state, nonce, PKCE and signed tokens; imported where a provider is set up.

The browser keeps state, nonce and verifier until the answer comes. Tokens are read and forgotten, never kept or logged.
"""

import time
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final

import requests
from authlib.integrations.base_client import MismatchingStateError, OAuthError
from authlib.integrations.django_client.apps import DjangoOAuth2App
from authlib.integrations.django_client.integration import DjangoIntegration
from django.conf import settings
from django.http import QueryDict
from django.http.response import HttpResponseBase
from joserfc.errors import ClaimError, ExpiredTokenError, JoseError

from reports.accounts.single_sign_on.signed_on import Claimed, address_in, groups_in

_TIMEOUT: Final = 10.0
"""Seconds in which a provider has to answer."""
_SILENCE: Final = 15.0
"""Seconds in which a provider that did not answer is not asked again."""
# Signatures that take the provider's private key to make.
_SIGNATURES: Final = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)] + ["EdDSA"]


class LoginFailed(Exception):
    """The provider's answer is no login. `reason` is a key of the page that says why; `detail` may be logged."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


class _Provider(DjangoOAuth2App):
    _silent_until: float | None = None

    def load_server_metadata(self) -> dict[str, Any]:
        """Return what the provider says of itself. One that did not is asked again later, by one request at a time.

        Nothing that a stranger sends is in the question, so that strangers cannot make it fail for others.
        """
        if self._silent_until is not None:
            if time.monotonic() < self._silent_until:
                raise requests.ConnectionError("The provider did not answer a moment ago.")
            self._silent_until = time.monotonic() + _SILENCE
        try:
            metadata: dict[str, Any] = super().load_server_metadata()
        except (requests.RequestException, ValueError):
            self._silent_until = time.monotonic() + _SILENCE
            raise
        self._silent_until = None
        metadata["id_token_signing_alg_values_supported"] = _SIGNATURES
        return metadata


@lru_cache(maxsize=1)
def _provider(discovery_url: str, client_id: str, client_secret: str, scopes: str) -> _Provider:
    return _Provider(
        DjangoIntegration("oidc"),
        name="oidc",
        client_id=client_id,
        client_secret=client_secret or None,
        server_metadata_url=discovery_url,
        client_kwargs={"scope": scopes, "code_challenge_method": "S256", "default_timeout": _TIMEOUT},
    )


def provider() -> _Provider:
    """Return the provider of the settings, with what it said of itself when it was asked first."""
    return _provider(
        settings.LDPSITE_OIDC_DISCOVERY_URL,
        settings.LDPSITE_OIDC_CLIENT_ID,
        settings.LDPSITE_OIDC_CLIENT_SECRET,
        settings.LDPSITE_OIDC_SCOPES,
    )


def begin(under_way: dict[str, Any], redirect_uri: str) -> HttpResponseBase:
    """Send a browser to the provider, and add to what its logins under way keep. Raises `LoginFailed`."""
    try:
        answer: HttpResponseBase = provider().authorize_redirect(SimpleNamespace(session=under_way), redirect_uri)
    except (requests.RequestException, RuntimeError, ValueError) as error:
        raise LoginFailed("down", type(error).__name__) from error
    return answer


def issuer() -> str:
    """Return how the provider names itself. Raises `LoginFailed`."""
    try:
        return str(provider().load_server_metadata()["issuer"])
    except (requests.RequestException, ValueError, KeyError) as error:
        raise LoginFailed("down", type(error).__name__) from error


def finish(query: QueryDict, under_way: dict[str, Any]) -> Claimed:
    """Return the facts of the provider's answer, once it is known to be its own, fresh, and meant for this browser.

    Raises `LoginFailed`.
    """
    try:
        return _claimed(query, under_way)
    except MismatchingStateError as error:
        raise LoginFailed("state") from error
    except OAuthError as error:
        # Errors have short names, such as invalid_client; their descriptions may hold anything.
        name = error.error if error.error and error.error.isidentifier() else ""
        raise LoginFailed("denied" if name == "access_denied" else "refused", name) from error
    except ExpiredTokenError as error:
        raise LoginFailed("clock", "expired") from error
    except ClaimError as error:
        raise LoginFailed("clock" if error.claim in {"iat", "nbf"} else "token", str(error.claim)) from error
    except requests.RequestException as error:
        raise LoginFailed("down", type(error).__name__) from error
    except (JoseError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LoginFailed("token", type(error).__name__) from error


def _claimed(query: QueryDict, under_way: dict[str, Any]) -> Claimed:
    there = provider()
    metadata = there.load_server_metadata()
    expected = {
        "iss": {"essential": True, "value": metadata["issuer"]},
        "aud": {"essential": True, "value": there.client_id},
    }
    answer = SimpleNamespace(method="GET", GET=query, session=under_way)
    token = there.authorize_access_token(answer, claims_options=expected)
    claims: dict[str, Any] = dict(token["userinfo"])
    wanted = settings.LDPSITE_OIDC_GROUPS_CLAIM
    if wanted not in claims and "userinfo_endpoint" in metadata:
        more = there.userinfo(token=token)
        if more.get("sub") == claims["sub"]:
            claims = {**more, **claims}
    email = address_in(claims.get("email"))
    return Claimed(
        issuer=metadata["issuer"],
        subject=str(claims["sub"]),
        groups=groups_in(claims.get(wanted)),
        user_name=str(claims.get("preferred_username") or email or ""),
        email=email if claims.get("email_verified", True) is True else "",
    )


def logout_address(back: str) -> str | None:
    """Return where the provider ends its own session; None if it does not offer that, or does not answer.

    It is asked without a token, since none is kept: some providers ask the person first.
    """
    there = provider()
    try:
        if not there.load_server_metadata().get("end_session_endpoint"):
            return None
        address: str = there.create_logout_url(post_logout_redirect_uri=back, client_id=there.client_id)["url"]
    except (requests.RequestException, ValueError):
        return None
    return address
