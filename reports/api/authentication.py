"""Machine clients sign in with a bearer token."""

from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from reports.models import UploadToken
from reports.models.uploads import utc_today


class UploadTokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[UploadToken, None] | None:
        scheme, _space, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        digest = UploadToken.digest_of(secret.strip().decode("latin-1"))
        token = UploadToken.objects.filter(digest=digest, revoked=False).first()
        if token is None:
            raise AuthenticationFailed(_("This token is not known here, or is revoked."))
        if token.last_used_on != utc_today():
            token.last_used_on = utc_today()
            token.save(update_fields=["last_used_on"])
        return token, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
