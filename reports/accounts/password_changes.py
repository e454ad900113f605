"""Consequences of a new password, wherever it is set: a page, a mail's link, the admin, a command or a shell."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from reports.accounts.sessions import revoke_tokens


class EndsTokens:
    """A validator of `AUTH_PASSWORD_VALIDATORS`, which Django tells of each password that was changed."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            revoke_tokens(user)

    def get_help_text(self) -> str:
        return _("A new password ends the API tokens of its person.")
