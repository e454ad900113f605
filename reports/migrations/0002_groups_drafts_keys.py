"""Budget groups, grouped histograms, dictionary drafts, idempotency keys, parts of some shards."""

from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import reports.models.uploads

# A part read all shards of its run.
ALL_SHARDS_OF_THE_RUN = """
UPDATE reports_part SET stop_shard = (
    SELECT count(*) FROM reports_run_shards AS pinned WHERE pinned.run_id = reports_part.run_id
)
"""
# What is on show must be found by its category as what comes will be.
CATEGORIES_OF_ENTRIES = """
UPDATE reports_histogramentry AS shown SET category = entry.category
FROM reports_histogram AS histogram
JOIN reports_dictionaryentry AS entry ON entry.revision_id = histogram.revision_id
WHERE shown.histogram_id = histogram.id AND entry.element = shown.element AND entry.category <> ''
"""
# Backwards, what the tables before could not hold: groups of elements, which can be made again, and groups of shards.
# Runs that are not finished are planned anew, and the sweep deletes the files; of a finished run nobody needs the parts.
FORGET_GROUPS = """
DELETE FROM reports_histogramentry USING reports_histogram AS histogram
    WHERE histogram_id = histogram.id AND histogram.grouping <> '';
DELETE FROM reports_histogram WHERE grouping <> '';
UPDATE reports_run SET planned_at = NULL
    WHERE state <> 'finished' AND id IN (SELECT run_id FROM reports_part WHERE start_shard > 0);
INSERT INTO reports_pendingfile (file_name, created_on)
    SELECT file_name, (now() AT TIME ZONE 'UTC')::date FROM reports_part
    WHERE file_name <> '' AND run_id IN (SELECT run_id FROM reports_part WHERE start_shard > 0)
    ON CONFLICT DO NOTHING;
DELETE FROM reports_part WHERE run_id IN (SELECT run_id FROM reports_part WHERE start_shard > 0);
-- A table of which deleted rows are still to be checked cannot be altered.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""


def name_to_group(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    use_cases: Any = apps.get_model("reports", "UseCase")
    groups: Any = apps.get_model("reports", "BudgetGroup")
    for use_case in use_cases.objects.exclude(budget_group_name=""):
        group, _created = groups.objects.get_or_create(
            name=use_case.budget_group_name, defaults={"daily_limit": use_case.daily_limit}
        )
        # A group has one limit: the least of those that were written is what all of them allowed.
        group.daily_limit = min(group.daily_limit, use_case.daily_limit)
        group.save()
        use_case.budget_group = group
        use_case.save()


def group_to_name(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    use_cases: Any = apps.get_model("reports", "UseCase")
    for use_case in use_cases.objects.exclude(budget_group=None):
        use_case.budget_group_name = use_case.budget_group.name
        use_case.daily_limit = use_case.budget_group.daily_limit
        use_case.save()


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("reports", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="BudgetGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True, verbose_name="name")),
                (
                    "daily_limit",
                    models.PositiveIntegerField(default=1, verbose_name="reports per device and day, together"),
                ),
            ],
            options={
                "verbose_name": "budget group",
                "verbose_name_plural": "budget groups",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="DictionaryDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "form",
                    models.CharField(
                        choices=[
                            ("lines", "one element per line"),
                            ("csv", "CSV with the columns element, display, category"),
                        ],
                        max_length=10,
                        verbose_name="written as",
                    ),
                ),
                ("text", models.TextField(verbose_name="text")),
                ("changed_at", models.DateTimeField(auto_now=True, verbose_name="changed")),
            ],
            options={
                "verbose_name": "dictionary draft",
                "verbose_name_plural": "dictionary drafts",
            },
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                ("key_hmac", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("content_hmac", models.BinaryField(max_length=32)),
                ("created_on", models.DateField(default=reports.models.uploads.utc_today)),
            ],
        ),
        migrations.AlterModelOptions(
            name="part",
            options={
                "ordering": ["run", "start_shard", "start_row"],
                "verbose_name": "part",
                "verbose_name_plural": "parts",
            },
        ),
        migrations.RemoveConstraint(
            model_name="histogram",
            name="histogram_once_per_window",
        ),
        migrations.RemoveConstraint(
            model_name="part",
            name="part_once",
        ),
        migrations.AddField(
            model_name="histogram",
            name="grouping",
            field=models.CharField(blank=True, default="", max_length=20, verbose_name="grouped by"),
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="category",
            field=models.CharField(blank=True, default="", max_length=80, verbose_name="category"),
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="members",
            field=models.PositiveIntegerField(default=1, verbose_name="elements in it"),
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="threshold",
            field=models.FloatField(null=True, verbose_name="threshold"),
        ),
        migrations.AddField(
            model_name="part",
            name="start_shard",
            field=models.PositiveIntegerField(default=0, verbose_name="first shard"),
        ),
        migrations.AddField(
            model_name="part",
            name="stop_shard",
            field=models.PositiveIntegerField(default=0, verbose_name="end shard"),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="histogram",
            name="below_threshold",
            field=models.PositiveIntegerField(verbose_name="elements or groups below the threshold"),
        ),
        migrations.AlterField(
            model_name="histogram",
            name="threshold",
            field=models.FloatField(null=True, verbose_name="threshold"),
        ),
        migrations.AddConstraint(
            model_name="histogram",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaced", False)),
                fields=("version", "locale", "first_day", "last_day", "grouping"),
                name="histogram_once_per_window",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(fields=("run", "start_shard", "start_row"), name="part_once"),
        ),
        migrations.RenameField("usecase", "budget_group", "budget_group_name"),
        migrations.AddField(
            model_name="usecase",
            name="budget_group",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="use_cases",
                to="reports.budgetgroup",
                verbose_name="budget group",
            ),
        ),
        migrations.RunPython(name_to_group, group_to_name),
        migrations.RemoveField("usecase", "budget_group_name"),
        migrations.AddField(
            model_name="dictionarydraft",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="person",
            ),
        ),
        migrations.AddField(
            model_name="dictionarydraft",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.AddField(
            model_name="idempotencykey",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="idempotency_keys", to="reports.batch"
            ),
        ),
        migrations.AddConstraint(
            model_name="dictionarydraft",
            constraint=models.UniqueConstraint(fields=("version", "person"), name="dictionary_draft_one_per_person"),
        ),
        migrations.RunSQL(ALL_SHARDS_OF_THE_RUN, migrations.RunSQL.noop),
        migrations.RunSQL(CATEGORIES_OF_ENTRIES, migrations.RunSQL.noop),
        migrations.RunSQL(migrations.RunSQL.noop, FORGET_GROUPS),
    ]
