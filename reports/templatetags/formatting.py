"""Numbers and texts of strangers in templates, formatted as everywhere."""

from django import template

from reports.formatting import plain, short_day, whole
from reports.texts import isolated

register = template.Library()
for each in (isolated, plain, short_day, whole):
    register.filter(each)
