"""The site of the promises, where tests of the API read everything."""

from tests.promises.conftest import world

__all__ = ["world"]
