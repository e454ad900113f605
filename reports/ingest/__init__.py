"""From an upload to shards: receive, check, strip, split, permute, store; and the life of a day."""

from reports.ingest.compression import ENCODINGS, Encoding
from reports.ingest.days import NotWithdrawable, seal_days, seal_finished_days, withdraw
from reports.ingest.keys import Key
from reports.ingest.problems import Problem, Refusal, UploadRefused
from reports.ingest.reasons import reason_in_words
from reports.ingest.receive import Receipt, ingest
from reports.ingest.transport import SUFFIXES, Upload, known_suffix

__all__ = [
    "ENCODINGS",
    "SUFFIXES",
    "Encoding",
    "Key",
    "NotWithdrawable",
    "Problem",
    "Receipt",
    "Refusal",
    "Upload",
    "UploadRefused",
    "ingest",
    "known_suffix",
    "reason_in_words",
    "seal_days",
    "seal_finished_days",
    "withdraw",
]
