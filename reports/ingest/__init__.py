"""From an upload to shards: receive, check, strip, split, sort, store; and the life of a day."""

from reports.ingest.closed import closed_days
from reports.ingest.compression import ENCODINGS, Encoding
from reports.ingest.days import seal_days, seal_finished_days
from reports.ingest.evidence import Evidence, chance_in_words, decisions, evidence, findings_of
from reports.ingest.keys import Key
from reports.ingest.problems import Problem, Refusal, UploadRefused
from reports.ingest.quarantine import NotQuarantined, NotWithdrawable, TooLate, release, waited_too_long, withdraw
from reports.ingest.reasons import reason_in_words
from reports.ingest.receipts import Receipt
from reports.ingest.receive import ingest
from reports.ingest.transport import SUFFIXES, Upload, known_suffix
from reports.ingest.upload_slots import upload_slot

__all__ = [
    "ENCODINGS",
    "SUFFIXES",
    "Encoding",
    "Evidence",
    "Key",
    "NotQuarantined",
    "NotWithdrawable",
    "Problem",
    "Receipt",
    "Refusal",
    "TooLate",
    "Upload",
    "UploadRefused",
    "chance_in_words",
    "closed_days",
    "decisions",
    "evidence",
    "findings_of",
    "ingest",
    "known_suffix",
    "reason_in_words",
    "release",
    "seal_days",
    "seal_finished_days",
    "upload_slot",
    "waited_too_long",
    "withdraw",
]
