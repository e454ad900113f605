"""Sending news by mail, webhook or inbox, to recipients who may see results at that moment."""

import smtplib

from django.conf import settings
from django.core.mail import EmailMessage

from reports.access import may_be_told
from reports.models import Subscription
from reports.notifications.composing import Message
from reports.notifications.delivery_problems import NotSent
from reports.notifications.inbox import put_into_inbox
from reports.notifications.webhooks import allowed_origins, is_allowed, post, secret_of


def mail_is_set_up() -> bool:
    return bool(settings.EMAIL_HOST)


def webhooks_are_set_up() -> bool:
    return bool(allowed_origins())


def check_recipient(subscription: Subscription) -> None:
    """Raise `NotSent` if the recipient may not have results now, or cannot be reached."""
    owner = subscription.owner
    if not owner.is_active:
        raise NotSent("inactive")
    if not may_be_told(subscription):
        raise NotSent("no_access")
    if subscription.channel == Subscription.Channel.WEBHOOK:
        if not is_allowed(subscription.webhook_url):
            raise NotSent("host_not_allowed")
    elif subscription.channel == Subscription.Channel.INBOX:
        return
    elif not mail_is_set_up():
        raise NotSent("mail_not_set_up")
    elif not owner.email:
        raise NotSent("no_address")


def send(subscription: Subscription, message: Message) -> None:
    """Send a message. Raises `NotSent`."""
    if subscription.channel == Subscription.Channel.INBOX:
        put_into_inbox(subscription, message.up_to)
        return
    if subscription.channel == Subscription.Channel.WEBHOOK:
        post(subscription.webhook_url, message.document, secret_of(subscription.pk))
        return
    # Keeps absence notices from answering.
    headers = {"Auto-Submitted": "auto-generated"}
    email = EmailMessage(*message.mail, to=[subscription.owner.email], headers=headers)
    try:
        email.send()
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise NotSent("mail_refused", left=not isinstance(error, ValueError)) from error
