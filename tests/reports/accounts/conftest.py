from tests.oidc_provider import oidc_process, provider  # noqa: F401
