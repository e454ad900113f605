"""Why something of an upload was left out: in words, with the fields of the format that it is about."""

from dataclasses import dataclass

from django.urls import reverse

from reports.collection.ingest import fields_of, reason_in_words


@dataclass(frozen=True)
class Reason:
    # As the API, the command and the report format call it.
    name: str
    words: str
    fields: tuple[str, ...]

    @property
    def address(self) -> str:
        """Where the report format tells more."""
        return f"{reverse('report_format')}#{self.name}"


def reason_of(name: str) -> Reason:
    return Reason(name, reason_in_words(name), fields_of(name))
