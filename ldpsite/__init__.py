import os

# Sketches are integer counts; several BLAS threads per worker process would only fight over the cores that the
# worker's other processes use. NumPy reads this when it is first imported, so it stands before everything else.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ldpsite.celery import app as celery_app

__all__ = ["celery_app"]
