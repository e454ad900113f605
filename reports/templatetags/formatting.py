"""Numbers and texts of strangers in templates, formatted as everywhere."""

from django import template

from reports.formatting import day_range, percent, plain, short_day, whole
from reports.texts import isolated

register = template.Library()
for each in (day_range, isolated, percent, plain, short_day, whole):
    register.filter(each)
