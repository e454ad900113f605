"""Privacy cost of a use case for the people whose devices report, and the promises made to them."""

from reports.privacy.impact import WORKER_BYTES
from reports.privacy.loss import Loss, largest_epsilon, privacy_loss
from reports.privacy.poisoning_limits import undetectable
from reports.privacy.privacy_document import site_document, use_case_document
from reports.privacy.privacy_kinds import impact_of
from reports.privacy.sample import sample
