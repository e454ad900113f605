"""Documents of training that the API gives; its description follows from them."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from reports.models import TrainingRun, TrainingVersion
from reports.training.documents import CANCELLED, run_document, spent_document
from reports.training.ledgers import Ledger
from reports.training.privacy_statement import EXPLAINED
from reports.training.run_facts import RunFacts
from reports.training.trusted_processes import Start
from reports.web.api.serializers import Count, OrNone, Positive, PositiveOrNone, Serializer


@extend_schema_field({"type": ["object", "null"]})
class ObjectField(serializers.JSONField):
    """An object whose fields depend on the task."""


class SpentOfSerializer(Serializer):
    epsilon = serializers.FloatField(help_text="Of all such runs with noise together: they add up.")
    delta = serializers.FloatField()
    runs = Count(help_text="That have spent something.")
    runs_without_noise = Count(help_text="Of which nothing is bounded.")


class SpentSerializer(Serializer):
    """Budget spent by runs, by whose data they are of."""

    real_devices = SpentOfSerializer()
    simulated_with_file = SpentOfSerializer(help_text="People of a file may be real; their devices are simulated.")
    simulated_with_invented_people = SpentOfSerializer(help_text="No real person is in them.")


class TrainingTaskSerializer(Serializer):
    task = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    published = serializers.BooleanField(help_text="Whether everybody may read its privacy statement.")
    epsilon_limit = OrNone(help_text="Above which runs by real devices are refused.")
    version = PositiveOrNone(help_text="That is active.")
    parameters = ObjectField(help_text="As a task file has them.")
    plan = ObjectField(help_text="What a run spends.")
    spent = SpentSerializer()
    address = serializers.URLField(help_text="Its page.")

    def to_representation(self, task: Any) -> dict[str, Any]:
        version: TrainingVersion | None = next(iter(task.active_versions), None)
        address = self.context["request"].build_absolute_uri(reverse("training_task", args=[task.slug]))
        return {
            "task": task.slug,
            "title": task.title,
            "description": task.description,
            "published": task.published,
            "epsilon_limit": task.epsilon_limit,
            "version": None if version is None else version.number,
            "parameters": None if version is None else version.parameters,
            "plan": None if version is None else version.plan,
            "spent": spent_document(self.context["ledgers"].get(task.pk, Ledger())),
            "address": address,
        }


class TrainingRunSerializer(Serializer):
    run = serializers.UUIDField()
    version = Positive()
    state = serializers.ChoiceField([*TrainingRun.State.values, CANCELLED])
    simulated_devices = serializers.BooleanField()
    source_of_data = serializers.ChoiceField(
        TrainingRun.Source.values, help_text="People of a file may be real: do not publish exact figures."
    )
    sealed = serializers.BooleanField(help_text="Whether contributions went through the processes of all roles.")
    private = serializers.BooleanField(help_text="Whether it had noise.")
    target_epsilon = OrNone()
    split = serializers.ChoiceField(TrainingRun.Split.values)
    seed = serializers.IntegerField()
    parameters = ObjectField()
    rmse = OrNone(
        help_text="Exact: of a simulation, and no release. Epsilon does not cover it, and people of a file may be real."
    )
    rmse_standard_error = OrNone(help_text="Of the test error alone.")
    recall_at_20 = OrNone(help_text="Of people's hidden items, how many are among the first 20.")
    recall_at_20_standard_error = OrNone(help_text="Over the people who are tested.")
    released_metrics = ObjectField(help_text="Values that people who never train released, and errors of their noise.")
    baselines = ObjectField(help_text="Without training, in the metric of the split: RMSE, or recall@20.")
    recall_baselines = ObjectField(help_text="Recall@20 without training; mean is any order.")
    people = ObjectField(help_text="How many have ratings, trained and evaluated; null of real devices.")
    epsilon = OrNone(help_text="Spent so far. It covers what was released, and no exact figure.")
    unamplified_epsilon = OrNone(
        help_text="Against those who know who was drawn in which round; null if none is drawn."
    )
    delta = OrNone()
    seconds = OrNone()

    def to_representation(self, run: Any) -> dict[str, Any]:
        return run_document(RunFacts(run))


class ReleaseSerializer(Serializer):
    name = serializers.CharField()
    round = Positive()
    sensitivity = serializers.FloatField()
    noise_standard_deviation = serializers.FloatField()
    numbers = PositiveOrNone(help_text="How many were let out; null of runs before this was kept.", required=False)
    bytes = PositiveOrNone(required=False)


class WholeRunSerializer(TrainingRunSerializer):
    """A run with its rounds, and all that left the boundary."""

    task = serializers.CharField()
    rounds = serializers.ListField(child=serializers.DictField())
    releases = ReleaseSerializer(many=True)


class ModelCardSerializer(Serializer):
    run = serializers.UUIDField()
    card = serializers.CharField(help_text="Markdown.")


class RoleSerializer(Serializer):
    role = serializers.CharField()
    name = serializers.CharField()
    sees = serializers.CharField()
    never_sees = serializers.CharField()


class SectionSerializer(Serializer):
    topic = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()


class StatementSerializer(Serializer):
    """The privacy statement of a task: what a whole run spends of one person, and who sees what."""

    task = serializers.CharField()
    title = serializers.CharField()
    version = Positive()
    stated_on = serializers.DateField()
    guarantee = serializers.CharField(help_text=EXPLAINED["guarantee"])
    unit = serializers.CharField()
    neighbours = serializers.CharField()
    epsilon = serializers.FloatField(help_text=EXPLAINED["epsilon"])
    delta = serializers.FloatField(help_text=EXPLAINED["delta"])
    unamplified_epsilon = OrNone(help_text=EXPLAINED["unamplified_epsilon"])
    population = Positive(help_text=EXPLAINED["population"])
    model = serializers.CharField()
    algorithm = serializers.CharField()
    rounds = Positive()
    sampling_rate = OrNone(help_text=EXPLAINED["sampling_rate"])
    noise_multiplier = serializers.JSONField(help_text=EXPLAINED["noise_multiplier"])
    inference = serializers.CharField()
    report_goal = Positive(help_text=EXPLAINED["report_goal"])
    messages = ObjectField(help_text=EXPLAINED["messages"])
    items_per_user = Positive(help_text=EXPLAINED["items_per_user"])
    evaluation = ObjectField(help_text=EXPLAINED["evaluation"])
    spent = SpentSerializer()
    roles = RoleSerializer(many=True)
    isolation = serializers.CharField()
    processes = serializers.ChoiceField([*Start], help_text=EXPLAINED["processes"])
    devices = serializers.ChoiceField(["simulated", "real", "both"], help_text=EXPLAINED["devices"])
    under_way = serializers.BooleanField(help_text=EXPLAINED["under_way"])
    explained = serializers.DictField(child=serializers.CharField(), help_text="Fields that names do not explain.")
    sections = SectionSerializer(many=True)


class LedgerSerializer(SpentSerializer):
    task = serializers.CharField()
    epsilon_limit = OrNone()
