"""Machine clients sign in with a bearer token."""

from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from reports.models import ApiToken
from reports.models.uploads import utc_today


class ApiTokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[ApiToken, None] | None:
        scheme, _space, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = ApiToken.digest_of(secret.strip().decode("latin-1"))
        token = ApiToken.objects.select_related("person").filter(digest=digest).first()
        if token is None or not token.is_valid:
            raise AuthenticationFailed(_("This token is unknown, revoked or expired."))
        if token.last_used_on != utc_today():
            token.last_used_on = utc_today()
            token.save(update_fields=["last_used_on"])
        return token, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
