"""Doors for what is too much to be sent: reports read from buckets and folders, and results written there."""

from reports.bulk.export_jobs import ExportJobs
from reports.bulk.import_jobs import ImportJobs
from reports.bulk.looking import Door, doors, look_everywhere, start_import
from reports.bulk.place_addresses import is_address
from reports.bulk.tally import Tally, tally_of
from reports.export_orders import start_export
from reports.jobs import register

register(ExportJobs())
register(ImportJobs())
