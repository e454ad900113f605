"""Subscriptions: news about a use case or the site's operation, delivered by mail, by webhook, or in an inbox."""

from reports.notifications.cursor import newest_days
from reports.notifications.delivery_problems import IN_WORDS
from reports.notifications.inbox import forget_old_messages, inbox_of, text_of, unread
from reports.notifications.sending import mail_is_set_up, webhooks_are_set_up
from reports.notifications.tasks import enqueue_deliveries
from reports.notifications.trial import Trial, try_out
from reports.notifications.troubles import silent_locales, troubles_of
from reports.notifications.webhooks import is_allowed, secret_of
