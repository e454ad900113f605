"""Celery tasks about people: traces are deleted when their time is over, and passwords reset."""

from celery import shared_task

from reports import embedding, viewings, visits
from reports.accounts import logins, passwords
from reports.accounts.sessions import SessionStore
from reports.clock import clock_doubt
from reports.notifications import forget_old_messages


@shared_task(name="reports.forget_old_traces", ignore_result=True)
def forget_old_traces() -> None:
    """Delete old viewings and visits, login failures, messages, embed links and sessions that are over.

    Nothing is deleted while the clock is in doubt.
    """
    if clock_doubt() is not None:
        return
    viewings.forget_old_viewings()
    visits.forget_old_visits()
    forget_old_messages()
    logins.forget_old_failures()
    embedding.forget_old_links()
    SessionStore.clear_expired()


@shared_task(name="reports.send_password_resets", ignore_result=True)
def send_password_resets(people: list[int], language: str) -> None:
    passwords.send_resets(people, language)
