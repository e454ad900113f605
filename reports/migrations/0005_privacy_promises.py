import uuid
from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import reports.models.uploads


def refuse_if_reports_wait(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The tables before have no place for them, and nobody shall lose reports by going back."""
    waiting = {
        "records of devices wait; let their day end, or delete them with `manage.py expire --use-case … --all`": "DeviceRecord",
        "batches are in quarantine; release or withdraw them": "QuarantinedShard",
        "use cases are paused or archived, which the release before would take for running": "UseCase",
    }
    for words, name in waiting.items():
        rows: Any = apps.get_model("reports", name).objects.all()
        if name == "UseCase":
            rows = rows.exclude(state="running")
        if rows.exists():
            raise RuntimeError(f"The release before cannot be gone back to: {words}.")


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0004_api_tokens"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Deletion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField(verbose_name="day of the reports")),
                ("reports", models.PositiveBigIntegerField(verbose_name="reports")),
                ("never_counted", models.PositiveBigIntegerField(default=0, verbose_name="of them never counted")),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("expired", "retention is over"),
                            ("demanded", "deleted on demand"),
                            ("undecided", "suspicious, and not released in time"),
                        ],
                        max_length=10,
                        verbose_name="reason",
                    ),
                ),
                ("deleted_on", models.DateField(default=reports.models.uploads.utc_today, verbose_name="deleted")),
            ],
            options={
                "verbose_name": "deletion of raw reports",
                "verbose_name_plural": "deletions of raw reports",
                "ordering": ["-deleted_on", "version", "-day"],
            },
        ),
        migrations.CreateModel(
            name="DeviceKey",
            fields=[
                ("key_hmac", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("day", models.DateField(default=reports.models.uploads.utc_today)),
            ],
        ),
        migrations.CreateModel(
            name="DeviceRecord",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("record", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="DroppedReports",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("day", models.DateField(verbose_name="day")),
                ("reports", models.PositiveBigIntegerField(verbose_name="reports")),
            ],
            options={
                "verbose_name": "dropped reports",
                "verbose_name_plural": "dropped reports",
                "ordering": ["-day", "version", "locale"],
            },
        ),
        migrations.CreateModel(
            name="FailedLogins",
            fields=[
                ("account_hmac", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("failures", models.PositiveIntegerField()),
                ("blocked_until", models.DateTimeField(null=True)),
                ("last_on", models.DateField(default=reports.models.uploads.utc_today)),
            ],
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("stream", models.CharField(max_length=20, verbose_name="stream")),
                ("test", models.CharField(max_length=40, verbose_name="test")),
                ("p_value", models.FloatField(verbose_name="chance among honest batches")),
                ("facts", models.JSONField(default=dict, verbose_name="facts")),
            ],
            options={
                "verbose_name": "finding",
                "verbose_name_plural": "findings",
                "ordering": ["version", "locale", "stream", "test"],
            },
        ),
        migrations.CreateModel(
            name="QuarantinedShard",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("stream", models.CharField(max_length=20, verbose_name="stream")),
                ("size", models.PositiveBigIntegerField(verbose_name="records")),
                ("file_name", models.CharField(max_length=200, unique=True, verbose_name="file")),
                (
                    "held_since",
                    models.DateField(default=reports.models.uploads.utc_today, verbose_name="in quarantine since"),
                ),
            ],
            options={
                "verbose_name": "quarantined shard",
                "verbose_name_plural": "quarantined shards",
                "ordering": ["version", "locale", "stream"],
            },
        ),
        migrations.AddField(
            model_name="batch",
            name="released_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="released by",
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="released_on",
            field=models.DateField(blank=True, null=True, verbose_name="released"),
        ),
        migrations.AddField(
            model_name="batch",
            name="withdrawn_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="reports deleted by",
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="withdrawn_on",
            field=models.DateField(blank=True, null=True, verbose_name="reports deleted"),
        ),
        migrations.AddField(
            model_name="usecase",
            name="privacy_published",
            field=models.BooleanField(default=False, verbose_name="everybody may read its privacy page"),
        ),
        migrations.AddField(
            model_name="usecase",
            name="state",
            field=models.CharField(
                choices=[("running", "running"), ("paused", "paused"), ("archived", "archived")],
                default="running",
                max_length=10,
                verbose_name="state",
            ),
        ),
        migrations.AlterField(
            model_name="batch",
            name="state",
            field=models.CharField(
                choices=[
                    ("quarantined", "quarantined"),
                    ("open", "open"),
                    ("sealed", "sealed"),
                    ("withdrawn", "withdrawn"),
                ],
                default="open",
                max_length=12,
                verbose_name="state",
            ),
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("state", "quarantined")), fields=["day"], name="batch_in_quarantine"
            ),
        ),
        migrations.AddIndex(
            model_name="failedlogins",
            index=models.Index(fields=["last_on"], name="failed_logins_of_day"),
        ),
        migrations.AddIndex(
            model_name="viewing",
            index=models.Index(fields=["use_case", "-at"], name="viewing_of_use_case"),
        ),
        migrations.AddField(
            model_name="deletion",
            name="deleted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="deleted by",
            ),
        ),
        migrations.AddField(
            model_name="deletion",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="deletions",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.AddField(
            model_name="devicerecord",
            name="version",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="device_records",
                to="reports.version",
            ),
        ),
        migrations.AddField(
            model_name="droppedreports",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="dropped_reports",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="reports.batch"
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="reports.version"
            ),
        ),
        migrations.AddField(
            model_name="quarantinedshard",
            name="batch",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="quarantined_shards", to="reports.batch"
            ),
        ),
        migrations.AddField(
            model_name="quarantinedshard",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="quarantined_shards", to="reports.version"
            ),
        ),
        migrations.AddIndex(
            model_name="devicerecord",
            index=models.Index(fields=["version", "day", "locale", "stream"], name="device_record_of_day"),
        ),
        migrations.AddConstraint(
            model_name="droppedreports",
            constraint=models.UniqueConstraint(fields=("version", "locale", "day"), name="dropped_reports_once_a_day"),
        ),
        # Last, so that it comes first on the way back.
        migrations.RunPython(migrations.RunPython.noop, refuse_if_reports_wait, elidable=True),
    ]
