"""The Celery task of what is kept about people: it goes when its time is over."""

from celery import shared_task

from reports import embedding, logins, viewings


@shared_task(name="reports.forget_old_traces", ignore_result=True)
def forget_old_traces() -> None:
    """Who looked at what, which accounts had failed logins, and which embed links there were."""
    viewings.forget_old_viewings()
    logins.forget_old_failures()
    embedding.forget_old_links()
