"""Lists for products: what a rule makes of the results of now, what owners approved, and what changed."""

from reports.product_lists.approving import approve, proposal_of, propose, propose_all
from reports.product_lists.changes import changes_between
from reports.product_lists.content import rules_of
from reports.product_lists.tasks import enqueue_proposals
