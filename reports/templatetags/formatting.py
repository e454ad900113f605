"""Numbers and texts of strangers in templates, formatted as everywhere."""

from django import template

from reports.formatting import data_size, day_range, duration, isolated, percent, plain, short_day, upper_bound, whole
from reports.mechanisms import name_of, title_of
from reports.web.pages.privacy_words import number, rounded_up, sure

register = template.Library()
for each in (data_size, day_range, duration, isolated, percent, plain, short_day, upper_bound, whole):
    register.filter(each)
for other in (name_of, title_of, rounded_up, sure):
    register.filter(other)
register.filter("all_digits", number)


@register.filter
def nearest(value: float) -> int:
    return round(value)
