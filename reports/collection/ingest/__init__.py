"""Ingestion from an upload to shards: receive, check, strip, split, sort, store."""

from reports.collection.ingest import recognition
from reports.collection.ingest.closed_days import closed_days
from reports.collection.ingest.compression import ENCODINGS, Encoding
from reports.collection.ingest.documents import FORMAT_VERSION, MAX_SEGMENTS
from reports.collection.ingest.evidence import Evidence, chance_in_words, decisions, evidence, findings_of
from reports.collection.ingest.idempotency_keys import Key
from reports.collection.ingest.problems import Problem, Refusal, UploadRefused
from reports.collection.ingest.reasons import REASONS, fields_of, reason_in_words
from reports.collection.ingest.receipts import Receipt
from reports.collection.ingest.receive import ingest
from reports.collection.ingest.transport import SUFFIXES, Upload, known_suffix
from reports.collection.ingest.upload_slots import upload_slot
