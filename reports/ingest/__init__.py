"""From an upload to shards: receive, check, strip, split, permute, store; and the life of a day."""

from reports.ingest.days import NotWithdrawable, seal_days, seal_finished_days, withdraw
from reports.ingest.problems import Problem, Refusal, UploadRefused
from reports.ingest.receive import Receipt, ingest
from reports.ingest.transport import Upload

__all__ = [
    "NotWithdrawable",
    "Problem",
    "Receipt",
    "Refusal",
    "Upload",
    "UploadRefused",
    "ingest",
    "seal_days",
    "seal_finished_days",
    "withdraw",
]
