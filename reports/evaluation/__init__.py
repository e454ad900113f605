"""Evaluations as jobs: a grid is tried part by part, and kept with who asked for it and when."""

from reports.evaluation.documents import document_of, grid_of
from reports.evaluation.evaluation_jobs import EvaluationJobs
from reports.evaluation.limits import TooMany, TooMuch
from reports.evaluation.ordering import cancel_evaluation, check_unfinished, delete_evaluation, order_evaluation
from reports.evaluation.published_shape import PublishedShape, published_shape
from reports.evaluation.releases import matrix_of, releases
from reports.evaluation.work import is_another_at_work
from reports.jobs import register

register(EvaluationJobs())
