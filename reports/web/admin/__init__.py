"""The stock admin: where use cases are configured, batches withdrawn, runs started, and everything is looked at."""

from reports.web.admin import budget_group_admin as budget_group_admin
from reports.web.admin import collection_admin as collection_admin
from reports.web.admin import dictionary_admin as dictionary_admin
from reports.web.admin import results_admin as results_admin
from reports.web.admin import run_admin as run_admin
from reports.web.admin import token_admin as token_admin
from reports.web.admin import training_admin as training_admin
from reports.web.admin import use_case_admin as use_case_admin
from reports.web.admin import version_admin as version_admin
