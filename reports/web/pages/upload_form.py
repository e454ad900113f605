"""The form for a batch of reports, and the days that it warns of."""

import datetime
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.collection.ingest import SUFFIXES, Problem, Upload, UploadRefused, closed_days, known_suffix
from reports.formatting import day_range
from reports.models import UseCase

A_DAY = datetime.timedelta(days=1)


def closed(use_cases: Iterable[UseCase]) -> list[tuple[str, str]]:
    """Days in words, and the titles of all use cases of which just these are closed."""
    titles: dict[tuple[datetime.date, ...], list[str]] = {}
    for use_case, days in closed_days(use_cases).items():
        titles.setdefault(tuple(days), []).append(use_case.title)
    return [(_in_words(days), ", ".join(of_days)) for days, of_days in titles.items()]


def _in_words(days: Iterable[datetime.date]) -> str:
    """Days in their order, those that follow one another as a range."""
    ranges: list[list[datetime.date]] = []
    for day in days:
        if ranges and day - ranges[-1][1] == A_DAY:
            ranges[-1][1] = day
        else:
            ranges.append([day, day])
    return "; ".join(day_range(first, last) for first, last in ranges)


class UploadForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        allow_empty_file=True,  # the ingestor has the better words for it
        help_text=gettext_lazy(
            "Upload documents as .json or .ndjson, either also compressed by gzip (.gz) or zstd (.zst). A file of fewer"
            " than 1,000 reports is not compared with earlier ones: sent twice, it counts twice."
        ),
        widget=forms.FileInput(attrs={"accept": ".json,.ndjson,.gz,.zst"}),
    )
    day = forms.DateField(
        label=gettext_lazy("Day of the reports"),
        required=False,
        help_text=gettext_lazy("In UTC. Left empty, the reports count for today."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    strict = forms.BooleanField(
        label=gettext_lazy("Refuse the whole file at the first problem, or if its day is closed"),
        required=False,
        help_text=gettext_lazy(
            "Otherwise records that cannot be used are left out and counted by reason, and those for a closed day count"
            " today."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.problems: list[Problem] = []
        self.retry_after: int | None = None

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if known_suffix(str(file.name)) is None:
            raise forms.ValidationError(
                _("The name of the file must end in .json or .ndjson; with .gz or .zst behind it if it is compressed.")
            )
        return file

    def upload(self, sender_left: Callable[[], bool]) -> Upload:
        """The file as the ingestor takes it; its name tells how it is written."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        written, encoding = SUFFIXES[known_suffix(str(file.name)) or ""]
        return Upload(cast(BinaryIO, file.file), written, encoding, file.size, sender_left)

    def refuse(self, refused: UploadRefused) -> None:
        self.add_error(None, refused.detail)
        self.problems = refused.problems
        self.retry_after = refused.retry_after
