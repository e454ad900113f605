"""The nouns of the application, from what is asked to what is shown.

A *use case* is a question; a *version* freezes how devices answer it; a *dictionary revision* lists the elements
that are counted. A *batch* is one upload, cut into *shards* (one version, locale, day and stream each). A *run*
reads sealed shards out in *parts*; a *read-out* is the exact result of one day; a *histogram* is what people see. Where
no dictionary is counted, a *discovery* says how its words were found, and *decisions* sort them.
"""

from reports.models.access import UploadToken, Viewing
from reports.models.dictionaries import DictionaryDraft, DictionaryEntry, DictionaryRevision
from reports.models.histograms import Discovery, Histogram, HistogramEntry, ReadOut
from reports.models.runs import Part, Run
from reports.models.uploads import Batch, IdempotencyKey, PendingFile, Sealing, Shard
from reports.models.use_cases import BudgetGroup, UseCase, Version
from reports.models.words import WordDecision

__all__ = [
    "Batch",
    "BudgetGroup",
    "DictionaryDraft",
    "DictionaryEntry",
    "DictionaryRevision",
    "Discovery",
    "Histogram",
    "HistogramEntry",
    "IdempotencyKey",
    "Part",
    "PendingFile",
    "ReadOut",
    "Run",
    "Sealing",
    "Shard",
    "UploadToken",
    "UseCase",
    "Version",
    "Viewing",
    "WordDecision",
]
