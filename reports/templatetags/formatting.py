"""Numbers and texts of strangers in templates, formatted as everywhere."""

from django import template

from reports.formatting import data_size, day_range, duration, isolated, percent, plain, short_day, whole
from reports.mechanisms import title_of

register = template.Library()
for each in (data_size, day_range, duration, isolated, percent, plain, short_day, title_of, whole):
    register.filter(each)
