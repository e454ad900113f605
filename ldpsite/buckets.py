"""A bucket as storage: how long its client waits."""

from typing import Any


def with_deadline(storage: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return a storage's setting; a bucket that speaks S3 gets a client that gives a request up after so many seconds.

    Each is tried twice. What goes on, however slowly, is waited for.
    """
    if storage["BACKEND"] != "storages.backends.s3.S3Storage":
        return storage
    try:
        from botocore.config import Config
    except ImportError:  # the storage says what is missing when it is used
        return storage
    options = dict(storage.get("OPTIONS", {}))
    # A storage that is given a configuration looks at these no more.
    style, signature, proxies = (
        options.pop(name, None) for name in ("addressing_style", "signature_version", "proxies")
    )
    options["client_config"] = Config(
        connect_timeout=seconds / 2,
        read_timeout=seconds / 2,
        retries={"mode": "standard", "total_max_attempts": 2},
        s3={"addressing_style": style},
        signature_version=signature,
        proxies=proxies,
    )
    return storage | {"OPTIONS": options}
