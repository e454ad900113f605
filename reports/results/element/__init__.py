"""One element: all locales, all days."""

from reports.results.element.element_facts import Sighting
from reports.results.element.element_view import ElementView, LocaleResult, element_view
