"""The one writer of use cases, versions and dictionaries: from files, and step by step."""

from reports.definitions.apply import Applied, apply_definitions
from reports.definitions.definition_export import write_csv, write_definitions
from reports.definitions.definition_file import check_definitions, read_definitions
from reports.definitions.dictionary import Entry, check_dictionary, digest, no_dictionary, revise_dictionary
from reports.definitions.identifiers import free_identifier, identifier_of
from reports.definitions.json_file import read_json
from reports.definitions.proposal import Proposal, check_csv, read_proposal
from reports.definitions.simulation_copy import copy_for_simulation
from reports.definitions.use_case_lock import locked
from reports.definitions.versions import (
    Settings,
    activate,
    change_draft,
    change_locales,
    check_ready,
    create_draft,
    discard_draft,
    draft_from,
    settings_of,
)
