"""Subscriptions: what is news about a use case, and telling those who asked, by mail or webhook."""

from reports.notifications.cursor import so_far
from reports.notifications.delivery_problems import IN_WORDS
from reports.notifications.enqueue import ring
from reports.notifications.sending import mail_is_set_up, webhooks_are_set_up
from reports.notifications.webhooks import is_allowed, secret_of

__all__ = [
    "IN_WORDS",
    "is_allowed",
    "mail_is_set_up",
    "ring",
    "secret_of",
    "so_far",
    "webhooks_are_set_up",
]
