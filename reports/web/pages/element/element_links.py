"""Where an element's page is."""

from urllib.parse import urlencode

from django.urls import reverse


def element_parameters(text: str, version: int | None) -> dict[str, str]:
    """The query string that names an element as people write it, of a version or of the one that is shown anyway."""
    return {"element": text} | ({"version": str(version)} if version is not None else {})


def element_address(slug: str, text: str, version: int | None = None) -> str:
    return f"{reverse('element', args=[slug])}?{urlencode(element_parameters(text, version))}"
