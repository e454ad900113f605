"""Training tasks: defined and frozen, trained as jobs by simulated devices, and what each run has let out."""

from reports.jobs import register
from reports.training.device_orders import DAY, device_configuration, known_items, order_device_run
from reports.training.documents import document_of
from reports.training.task_file import apply_tasks, check_tasks, in_words, read_tasks, written_tasks
from reports.training.training_arrays import DeviceData, model_of
from reports.training.training_jobs import TrainingJobs
from reports.training.training_orders import cancel_training, may_go_on, order_training, retry_training
from reports.training.versions import activate, draft_from, parameters_digest, parameters_of, plan_of, save_draft

register(TrainingJobs())
