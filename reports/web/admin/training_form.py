"""The form of a training task's version: what matters in fields, and the rest as a task file has it."""

from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation import training
from reports import access
from reports.models import TrainingTask, TrainingVersion, failures
from reports.training import parameters_of, save_draft
from reports.web.admin.editable import EditableForm

_ALGORITHMS = [
    ("dpam", _("DPAM: people solve for themselves, sums with noise give the items")),
    ("dp_sgd", _("DP-SGD: gradients of people who are drawn each round")),
    ("dp_fedavg", _("DP-FedAvg: several steps on each device that is drawn")),
    ("dp_ftrl_banded", _("DP-FTRL, bands: devices may come when they like")),
    ("dp_ftrl_tree", _("DP-FTRL, binary tree: devices may come when they like, with more noise")),
]
_KINDS = [
    ("factored", _("factored: people and items as vectors")),
    ("linear", _("linear")),
    ("logistic", _("logistic")),
]


class TrainingTaskForm(EditableForm):
    class Meta:
        model = TrainingTask
        fields = ("title", "slug", "description", "viewer_groups", "owner_group", "epsilon_limit", "published")
        labels = {"published": _("Published")}
        help_texts = {
            "slug": _("In addresses, files and commands. It stays."),
            "epsilon_limit": _(
                "Of all runs by real devices together; another is refused above it. Left empty, no such run begins."
            ),
            "published": _("Everybody may read its privacy statement, and use its model on their own device."),
        }


class TrainingVersionForm(EditableForm):
    """All parameters of a draft. What they may be, the trainer says."""

    person: ClassVar[User]
    # The task of the address that led here.
    task_id: ClassVar[str] = ""

    algorithm = forms.ChoiceField(label=_("Algorithm"), choices=_ALGORITHMS)
    kind = forms.ChoiceField(label=_("Model"), choices=_KINDS)
    dimension = forms.IntegerField(label=_("Dimension"), initial=16)
    public_features = forms.BooleanField(
        label=_("Lean on public features"), required=False, help_text=_("Only DPAM. Best where ε is small.")
    )
    lowest = forms.FloatField(label=_("Lowest rating"), initial=1)
    highest = forms.FloatField(label=_("Highest rating"), initial=5)
    population = forms.IntegerField(
        label=_("People"), help_text=_("How many may take part. It is asked for, never assumed: δ depends on it.")
    )
    target_epsilon = forms.FloatField(
        label=_("Target ε"), initial=4, help_text=_("For all that one person gives in a whole run. At most 10.")
    )
    delta = forms.FloatField(label="δ", initial=1e-6, help_text=_("At most 1 / (10 × people)."))
    rounds = forms.IntegerField(label=_("Rounds"), initial=10)
    sampling_rate = forms.FloatField(
        label=_("Sampling rate"),
        required=False,
        help_text=_("The share of people who are drawn in a round. Only for algorithms that draw."),
    )
    more = forms.JSONField(
        label=_("Other parameters"),
        required=False,
        widget=AdminTextareaWidget,
        help_text=_(
            'As JSON, by the names of a task file, such as {"clip_norm": 1.0}. Left empty: what usually works.'
        ),
    )

    class Meta:
        model = TrainingVersion
        fields = ("task",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        task: Any = self.fields["task"]
        task.queryset = access.training_tasks(self.person, "edit")
        task.initial = self.task_id if self.task_id.isdecimal() else None
        if self.instance.pk:
            # It stays with its task.
            del self.fields["task"]
        parameters = dict(self.instance.parameters or {})
        if not parameters:
            return
        model, (lowest, highest) = parameters.pop("model"), parameters.pop("rating_range")
        known = {**parameters, **model, "lowest": lowest, "highest": highest}
        self.initial.update({name: value for name, value in known.items() if name in self.fields})
        self.initial["more"] = {name: value for name, value in parameters.items() if name not in self.fields} or None

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        more = values["more"] or {}
        if not isinstance(more, dict):
            self.add_error("more", gettext("Must be an object { }."))
            return values
        named = ("algorithm", "population", "target_epsilon", "delta", "rounds")
        parameters = {
            **more,
            **{name: values[name] for name in named},
            "model": {"kind": values["kind"], "dimension": values["dimension"]},
            "rating_range": [values["lowest"], values["highest"]],
        }
        if values["sampling_rate"] is not None:
            parameters["sampling_rate"] = values["sampling_rate"]
        if values["public_features"]:
            parameters["public_features"] = True
        self.instance.parameters = parameters
        if "task" in values:
            self.instance.task = values["task"]
        try:
            training.plan_training(parameters_of(self.instance))
        except training.InvalidTask as error:
            for problem in error.problems:
                self._refuse(problem.field, failures.in_words(str(problem)))
        return values

    def _refuse(self, field: str, words: str) -> None:
        beside = {"model": "kind", "rating_range": "highest"}.get(field, field)
        self.add_error(beside if beside in self.fields else "more", words)

    def store(self) -> TrainingVersion:
        version: TrainingVersion = self.instance
        save_draft(version)
        return version
