"""Content and storage of dictionaries: in bulk, for one may have a quarter of a million entries."""

import hashlib
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils.translation import gettext as _

from aggregation.errors import ParameterError
from reports.definitions.use_case_lock import locked
from reports.export_orders import export_anew
from reports.kinds import kind_of
from reports.mechanisms import refusal
from reports.models import DictionaryRevision, UseCase, Version

# Longer texts fit neither into the database's index nor on a page.
MAX_ELEMENT = 500
MAX_CATEGORY = 80
_BULK = 1000


class Entry(NamedTuple):
    """Element as devices hash it, as people see it, and the category it is grouped by."""

    element: str
    display: str
    category: str = ""


def digest(entries: Sequence[Entry]) -> str:
    """Return the SHA-256 of a dictionary: order, elements, display forms and categories."""
    sha = hashlib.sha256()
    for start in range(0, len(entries), _BULK):
        # The JSON of each entry on a line; put together here, because an encoder called for each takes long.
        lines = [
            f"[{quoted(element)}, {quoted(display)}, {quoted(category)}]\n"
            for element, display, category in entries[start : start + _BULK]
        ]
        sha.update("".join(lines).encode())
    return sha.hexdigest()


def no_dictionary(version: Version) -> str:
    """Explain why a version that discovers words has no dictionary."""
    words = _("Version %(number)d finds its words itself and counts no dictionary; its alphabet is all it needs.")
    return words % {"number": version.number}


def revise_dictionary(version: Version, entries: Sequence[Entry]) -> DictionaryRevision | None:
    """Make these entries, normalised under the version's rules, its dictionary. None if they are that already.

    Raises `ValidationError` if the version finds its elements itself, or if its rules were changed.
    """
    fingerprint = digest(entries)
    with transaction.atomic():
        _use_case, present = locked(version)
        if not kind_of(present).has_dictionary:
            raise ValidationError(no_dictionary(present))
        if (present.normalization, present.keep_case) != (version.normalization, version.keep_case):
            raise ValidationError(
                _("The rules of this version were changed in the meantime; read the dictionary again.")
            )
        if present.dictionary_parameters:
            check_dictionary(present, [entry.element for entry in entries])
        current = present.current_dictionary()
        if current is not None and current.digest == fingerprint:
            return None
        revision = DictionaryRevision.objects.create(
            version=present,
            number=current.number + 1 if current is not None else 1,
            size=len(entries),
            digest=fingerprint,
        )
        _copy_in(revision, entries)
        UseCase.renew_generation(present.use_case_id)
        if current is not None:
            export_anew(present.use_case)  # what it leaves out is withdrawn
    return revision


def check_dictionary(version: Version, elements: Sequence[str]) -> None:
    """Raise `ValidationError` for elements that devices were not given, or of a draft, that they cannot be given."""
    try:
        wanted = version.mechanism_with(elements)
    except ParameterError as error:
        if version.state == Version.State.DRAFT:
            raise ValidationError(refusal(version.algorithm, error)) from None
    else:
        if version.state == Version.State.DRAFT or wanted == version.mechanism:
            return
    words = _(
        "Devices were given the elements of version %(number)d, which are frozen with it. Make a new version for"
        " another dictionary."
    )
    raise ValidationError(words % {"number": version.number})


def _copy_in(revision: DictionaryRevision, entries: Sequence[Entry]) -> None:
    statement = "COPY reports_dictionaryentry (revision_id, position, element, display, category) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for position, entry in enumerate(entries):
            copy.write_row((revision.pk, position, *entry))


def copy_dictionary(source: Version, target: Version) -> DictionaryRevision | None:
    """Give a version without a dictionary the one that another has now, if any."""
    current = source.current_dictionary()
    if current is None:
        return None
    revision = DictionaryRevision.objects.create(version=target, number=1, size=current.size, digest=current.digest)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO reports_dictionaryentry (revision_id, position, element, display, category)"
            " SELECT %s, position, element, display, category FROM reports_dictionaryentry WHERE revision_id = %s"
            " ORDER BY position",
            [revision.pk, current.pk],
        )
    return revision
