"""Single sign-on: by OpenID Connect, or by a proxy that knows who asks. Both end in `signed_on.account_of`."""
