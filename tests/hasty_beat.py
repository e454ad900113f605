"""Beat as we configure it, but that stale parts are looked for every second. A worker takes it in with `include`."""

from ldpsite.celery import app

app.conf.beat_schedule["take up stale parts"]["schedule"] = 1.0
