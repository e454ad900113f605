import datetime
import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import reports.models.access
import reports.models.uploads
import reports.models.validators


def know_today(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Begin with the day of the installation, which a person sees to."""
    today = datetime.datetime.now(datetime.UTC).date()
    apps.get_model("reports", "KnownDay").objects.create(pk=1, day=today)


class Migration(migrations.Migration):
    replaces = [
        ("reports", "0001_release_periods"),
        ("reports", "0002_evaluations"),
        ("reports", "0003_other"),
        ("reports", "0004_evaluation_window"),
        ("reports", "0005_training"),
        ("reports", "0006_people"),
        ("reports", "0007_device_rounds"),
        ("reports", "0008_guided"),
        ("reports", "0009_saved_pages"),
        ("reports", "0010_pins"),
        ("reports", "0011_training_readers"),
        ("reports", "0012_product_lists"),
        ("reports", "0013_answers"),
        ("reports", "0014_alerts"),
        ("reports", "0015_word_kinds"),
        ("reports", "0016_worker_hosts"),
        ("reports", "0017_token_person"),
        ("reports", "0018_imports"),
        ("reports", "0019_mixed_records"),
        ("reports", "0020_exports"),
        ("reports", "0021_uploads_in_one_file"),
        ("reports", "0022_entry_index"),
        ("reports", "0023_operator_alerts"),
        ("reports", "0024_clear_changes"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BudgetGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[reports.models.validators.validate_text],
                        verbose_name="name",
                    ),
                ),
                (
                    "daily_limit",
                    models.PositiveIntegerField(
                        default=1,
                        validators=[reports.models.validators.AtLeast(1)],
                        verbose_name="reports per device and day, together",
                    ),
                ),
            ],
            options={
                "verbose_name": "budget group",
                "verbose_name_plural": "budget groups",
                "ordering": ["name"],
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
            name="DictionaryRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="revision")),
                ("size", models.PositiveIntegerField(verbose_name="elements")),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of the entries, in order.", max_length=64, verbose_name="digest"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
            ],
            options={
                "verbose_name": "dictionary revision",
                "verbose_name_plural": "dictionary revisions",
                "ordering": ["version", "-number"],
            },
        ),
        migrations.CreateModel(
            name="KnownDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("doubted_since", models.DateField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="OperatorAlert",
            fields=[
                ("trouble", models.CharField(max_length=300, primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="PendingFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file_name", models.CharField(max_length=200, unique=True)),
                ("created_on", models.DateField(default=reports.models.uploads.utc_today)),
            ],
        ),
        migrations.CreateModel(
            name="Period",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20)),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("n", models.PositiveBigIntegerField()),
                (
                    "revisions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("closed_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "release period",
                "verbose_name_plural": "release periods",
                "ordering": ["version", "locale", "first_day", "last_day", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ReadObject",
            fields=[
                ("hmac", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="Sealing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
            ],
            options={
                "verbose_name": "sealing",
                "verbose_name_plural": "sealings",
                "ordering": ["version", "day", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Simulation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("planned_at", models.DateTimeField(blank=True, null=True, verbose_name="planned")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("reports", models.PositiveIntegerField(verbose_name="reports")),
                ("days", models.PositiveSmallIntegerField(verbose_name="days")),
            ],
            options={
                "verbose_name": "simulation",
                "verbose_name_plural": "simulations",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="WorkerHeartbeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="WorkerHost",
            fields=[
                ("name", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
                ("free_disk_share", models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                (
                    "state",
                    models.CharField(
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
                ("accepted", models.PositiveBigIntegerField(verbose_name="accepted")),
                (
                    "rejected",
                    models.JSONField(default=dict, help_text="Records left out, by reason.", verbose_name="rejected"),
                ),
                (
                    "use_case_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None, verbose_name="use cases"
                    ),
                ),
                ("released_on", models.DateField(blank=True, null=True, verbose_name="released")),
                ("withdrawn_on", models.DateField(blank=True, null=True, verbose_name="reports deleted")),
                (
                    "released_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="released by",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="reports deleted by",
                    ),
                ),
            ],
            options={
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
                "ordering": ["-day", "id"],
            },
        ),
        migrations.CreateModel(
            name="DictionaryEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(verbose_name="position")),
                ("element", models.TextField(help_text="Normalised, as devices hash it.", verbose_name="element")),
                ("display", models.TextField(verbose_name="display form")),
                ("category", models.CharField(blank=True, max_length=80, verbose_name="category")),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="reports.dictionaryrevision",
                        verbose_name="revision",
                    ),
                ),
            ],
            options={
                "verbose_name": "dictionary entry",
                "verbose_name_plural": "dictionary entries",
                "ordering": ["revision", "position"],
            },
        ),
        migrations.CreateModel(
            name="EmbedLink",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "page",
                    models.CharField(
                        choices=[
                            ("use_case", "histogram"),
                            ("compare", "comparison"),
                            ("trend", "trend"),
                            ("element", "element"),
                            ("changes", "what changed"),
                            ("locales", "all locales"),
                        ],
                        max_length=10,
                    ),
                ),
                ("query", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("until", models.DateTimeField(null=True)),
                ("last_opened", models.DateField(editable=False, null=True)),
                (
                    "maker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "embed link",
                "verbose_name_plural": "embed links",
                "ordering": ["-made_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="EmbedViews",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("number", models.PositiveIntegerField(default=1)),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="views", to="reports.embedlink"
                    ),
                ),
            ],
            options={
                "verbose_name": "views of an embed link",
                "verbose_name_plural": "views of embed links",
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("planned_at", models.DateTimeField(blank=True, null=True, verbose_name="planned")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("grid", models.JSONField(verbose_name="grid")),
                ("lists", models.JSONField(blank=True, default=dict, verbose_name="observed lists")),
                ("seed", models.BigIntegerField(verbose_name="seed")),
                ("exact_reports", models.BooleanField(default=False, verbose_name="reports one by one")),
                ("document", models.JSONField(blank=True, editable=False, null=True, verbose_name="document")),
                ("window", models.JSONField(blank=True, default=dict, verbose_name="window")),
                ("shared", models.BooleanField(default=False, verbose_name="shared by link")),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="requested by",
                    ),
                ),
            ],
            options={
                "verbose_name": "evaluation",
                "verbose_name_plural": "evaluations",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("step", models.PositiveSmallIntegerField(default=0, verbose_name="step")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("number", models.PositiveIntegerField(verbose_name="block")),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="reports.evaluation",
                        verbose_name="evaluation",
                    ),
                ),
            ],
            options={
                "verbose_name": "part of an evaluation",
                "verbose_name_plural": "parts of evaluations",
                "ordering": ["evaluation", "number"],
            },
        ),
        migrations.CreateModel(
            name="Export",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("planned_at", models.DateTimeField(blank=True, null=True, verbose_name="planned")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("address", models.CharField(max_length=500, verbose_name="address")),
                ("written", models.PositiveIntegerField(default=0, verbose_name="files written")),
                ("unchanged", models.PositiveIntegerField(default=0, verbose_name="files unchanged")),
                ("removed", models.PositiveIntegerField(default=0, verbose_name="files removed")),
            ],
            options={
                "verbose_name": "export",
                "verbose_name_plural": "exports",
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=("address",),
                        name="export_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExportPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("step", models.PositiveSmallIntegerField(default=0, verbose_name="step")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("slug", models.SlugField(max_length=100)),
                (
                    "order",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="reports.export"
                    ),
                ),
            ],
            options={
                "verbose_name": "part of an export",
                "verbose_name_plural": "parts of exports",
                "ordering": ["order", "pk"],
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
            options={
                "indexes": [models.Index(fields=["last_on"], name="failed_logins_of_day")],
            },
        ),
        migrations.CreateModel(
            name="Histogram",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("grouping", models.CharField(blank=True, default="", max_length=20, verbose_name="grouped by")),
                ("first_day", models.DateField(verbose_name="first day")),
                ("last_day", models.DateField(verbose_name="last day")),
                ("made_of", models.CharField(max_length=64, verbose_name="digest of what it is made of")),
                ("n", models.PositiveBigIntegerField(verbose_name="reports")),
                ("alpha", models.FloatField(verbose_name="expected false entries")),
                ("threshold", models.FloatField(null=True, verbose_name="threshold")),
                ("prescribed_threshold", models.PositiveIntegerField(null=True, verbose_name="prescribed threshold")),
                ("below_threshold", models.PositiveIntegerField(verbose_name="elements or groups below the threshold")),
                ("f2", models.FloatField(verbose_name="estimated F2")),
                ("other_estimate", models.FloatField(null=True, verbose_name="estimate of anything else")),
                ("generated_at", models.DateTimeField(verbose_name="generated")),
                (
                    "revision",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="histograms",
                        to="reports.dictionaryrevision",
                        verbose_name="dictionary revision",
                    ),
                ),
            ],
            options={
                "verbose_name": "histogram",
                "verbose_name_plural": "histograms",
                "ordering": ["version", "locale", "-last_day", "first_day"],
            },
        ),
        migrations.CreateModel(
            name="Discovery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "sealings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None, verbose_name="sealings in it"
                    ),
                ),
                (
                    "reports",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None, verbose_name="reports from each position"
                    ),
                ),
                (
                    "cuts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        size=None,
                        verbose_name="cut of each position, in reports from it",
                    ),
                ),
                (
                    "f2",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        default=list,
                        size=None,
                        verbose_name="estimated F2 of each position",
                    ),
                ),
                (
                    "kept",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), size=None, verbose_name="fragments kept at each position"
                    ),
                ),
                (
                    "capped",
                    models.BooleanField(default=False, verbose_name="more fragments passed a cut than were kept"),
                ),
                ("joined", models.PositiveBigIntegerField(verbose_name="words put together")),
                (
                    "strictness",
                    models.FloatField(
                        default=1,
                        help_text="So as not to put too many words together.",
                        verbose_name="factor by which cuts were raised",
                    ),
                ),
                ("candidates", models.PositiveIntegerField(verbose_name="candidates that solve the puzzle")),
                ("smallest_share", models.FloatField(verbose_name="share that is found with probability 0.9")),
                (
                    "histogram",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="discovery",
                        to="reports.histogram",
                        verbose_name="histogram",
                    ),
                ),
            ],
            options={
                "verbose_name": "discovery",
                "verbose_name_plural": "discoveries",
            },
        ),
        migrations.CreateModel(
            name="HistogramEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rank", models.PositiveIntegerField()),
                ("element", models.TextField()),
                ("display", models.TextField()),
                ("category", models.CharField(blank=True, default="", max_length=80)),
                ("members", models.PositiveIntegerField(default=1)),
                ("threshold", models.FloatField(null=True)),
                ("estimate", models.FloatField()),
                ("standard_error", models.FloatField()),
                ("consistent", models.FloatField(null=True)),
                ("lower", models.FloatField()),
                ("upper", models.FloatField()),
                ("adjusted_lower", models.FloatField()),
                ("adjusted_upper", models.FloatField()),
                ("first_day", models.DateField(blank=True, null=True)),
                ("last_day", models.DateField(blank=True, null=True)),
                ("is_new", models.BooleanField(default=False)),
                (
                    "histogram",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="reports.histogram",
                    ),
                ),
            ],
            options={
                "verbose_name": "histogram entry",
                "verbose_name_plural": "histogram entries",
                "ordering": ["histogram", "rank"],
            },
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                ("key_hmac", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("content_hmac", models.BinaryField(max_length=32)),
                ("created_on", models.DateField(default=reports.models.uploads.utc_today)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="idempotency_keys", to="reports.batch"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Identity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issuer", models.CharField(max_length=255, verbose_name="provider")),
                ("subject", models.CharField(max_length=255, verbose_name="name at the provider")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identities",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "identity",
                "verbose_name_plural": "identities",
            },
        ),
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("planned_at", models.DateTimeField(blank=True, null=True, verbose_name="planned")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("address", models.CharField(max_length=500, verbose_name="address")),
                (
                    "use_case_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="use cases",
                    ),
                ),
                ("day", models.DateField(blank=True, null=True, verbose_name="day of the reports")),
                ("tally", models.JSONField(blank=True, default=dict, verbose_name="objects and records")),
            ],
            options={
                "verbose_name": "import",
                "verbose_name_plural": "imports",
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=("address",),
                        name="import_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("step", models.PositiveSmallIntegerField(default=0, verbose_name="step")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("name", models.TextField(blank=True, verbose_name="name")),
                ("size", models.PositiveBigIntegerField(verbose_name="bytes")),
                ("tag", models.CharField(blank=True, max_length=200, verbose_name="tag")),
                ("hmac", models.BinaryField(max_length=32)),
                (
                    "order",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="reports.import"
                    ),
                ),
            ],
            options={
                "verbose_name": "part of an import",
                "verbose_name_plural": "parts of imports",
                "ordering": ["order", "pk"],
            },
        ),
        migrations.CreateModel(
            name="MixedKeys",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("settled", models.BooleanField()),
                ("first", models.BinaryField(max_length=8)),
                ("digests", models.BinaryField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("day", "settled", "first"), name="mixed_keys_once")],
            },
        ),
        migrations.CreateModel(
            name="ProductList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=50, validators=[reports.models.validators.validate_identifier])),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("ordered", "the most reported, in order"),
                            ("above", "all that are certainly above a share"),
                            ("words", "words that were accepted into a dictionary"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "length",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                (
                    "least_share",
                    models.FloatField(blank=True, null=True, validators=[reports.models.validators.validate_share]),
                ),
                ("dictionary", models.SlugField(blank=True, max_length=80)),
                (
                    "days",
                    models.PositiveIntegerField(
                        default=28,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(366),
                        ],
                    ),
                ),
                ("is_public", models.BooleanField(default=False)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "list for a product",
                "verbose_name_plural": "lists for products",
                "ordering": ["use_case", "name"],
            },
        ),
        migrations.CreateModel(
            name="ProductListVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("locales", models.JSONField()),
                ("proposed_at", models.DateTimeField(auto_now_add=True)),
                ("approved_at", models.DateTimeField(null=True)),
                (
                    "approved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "product_list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="reports.productlist"
                    ),
                ),
            ],
            options={
                "verbose_name": "version of a list",
                "verbose_name_plural": "versions of a list",
                "ordering": ["product_list", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("first_day", models.DateField(verbose_name="first day")),
                ("last_day", models.DateField(verbose_name="last day")),
                (
                    "planned_at",
                    models.DateTimeField(
                        blank=True, help_text="Its days are sealed.", null=True, verbose_name="planned"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="requested by",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="reports.dictionaryrevision",
                        verbose_name="dictionary revision",
                    ),
                ),
            ],
            options={
                "verbose_name": "run",
                "verbose_name_plural": "runs",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                (
                    "page",
                    models.CharField(
                        choices=[
                            ("use_case", "histogram"),
                            ("compare", "comparison"),
                            ("trend", "trend"),
                            ("element", "element"),
                            ("changes", "what changed"),
                            ("locales", "all locales"),
                        ],
                        max_length=10,
                        verbose_name="page",
                    ),
                ),
                ("query", models.CharField(blank=True, max_length=2000, verbose_name="query string")),
                ("saved_at", models.DateTimeField(auto_now_add=True, verbose_name="saved")),
                ("answers", models.JSONField(default=dict, editable=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "shared_with",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="auth.group",
                        verbose_name="shared with",
                    ),
                ),
            ],
            options={
                "verbose_name": "saved view",
                "verbose_name_plural": "saved views",
                "ordering": ["name", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Pin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("for_team", models.BooleanField(default=False, verbose_name="for the whole group")),
                ("position", models.PositiveIntegerField(default=0, verbose_name="position")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pins",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "view",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pins",
                        to="reports.savedview",
                        verbose_name="saved view",
                    ),
                ),
            ],
            options={
                "verbose_name": "pin",
                "verbose_name_plural": "pins",
                "ordering": ["position", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                (
                    "step",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "reading out"),
                            (1, "sketching days"),
                            (2, "reading fragments"),
                            (3, "joining words"),
                        ],
                        default=0,
                        verbose_name="step",
                    ),
                ),
                ("locale", models.CharField(blank=True, default="", max_length=20, verbose_name="locale")),
                ("start_row", models.PositiveIntegerField(default=0, verbose_name="first row")),
                ("stop_row", models.PositiveIntegerField(default=0, verbose_name="end row")),
                ("start_shard", models.PositiveIntegerField(default=0, verbose_name="first shard")),
                ("stop_shard", models.PositiveIntegerField(default=0, verbose_name="end shard")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="reports.run",
                        verbose_name="run",
                    ),
                ),
                (
                    "sealing",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="reports.sealing",
                        verbose_name="sealing",
                    ),
                ),
            ],
            options={
                "verbose_name": "part",
                "verbose_name_plural": "parts",
                "ordering": ["run", "step", "locale", "start_shard", "start_row"],
            },
        ),
        migrations.CreateModel(
            name="Shard",
            fields=[
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("size", models.PositiveBigIntegerField()),
                ("index", models.JSONField(editable=False, null=True)),
                ("file_name", models.CharField(max_length=200, unique=True)),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shards",
                        to="reports.batch",
                    ),
                ),
                (
                    "sealing",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="shards",
                        to="reports.sealing",
                    ),
                ),
            ],
            options={
                "verbose_name": "shard",
                "verbose_name_plural": "shards",
                "ordering": ["version", "day", "locale", "stream"],
            },
        ),
        migrations.AddField(
            model_name="run",
            name="shards",
            field=models.ManyToManyField(blank=True, related_name="runs", to="reports.shard", verbose_name="shards"),
        ),
        migrations.CreateModel(
            name="SimulationPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("step", models.PositiveSmallIntegerField(default=0, verbose_name="step")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("day", models.DateField(verbose_name="day")),
                ("reports", models.PositiveIntegerField(verbose_name="reports")),
                (
                    "simulation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="reports.simulation"
                    ),
                ),
            ],
            options={
                "verbose_name": "part of a simulation",
                "verbose_name_plural": "parts of simulations",
                "ordering": ["simulation", "-day"],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "locale",
                    models.CharField(blank=True, help_text="Empty: all locales.", max_length=20, verbose_name="locale"),
                ),
                ("new_words", models.BooleanField(default=False, verbose_name="a new word")),
                ("new_in_top", models.BooleanField(default=False, verbose_name="a new entry in the top 10")),
                ("significant_change", models.BooleanField(default=False, verbose_name="a significant change")),
                (
                    "element",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=200,
                        validators=[reports.models.validators.validate_storable],
                        verbose_name="element",
                    ),
                ),
                (
                    "above_share",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[reports.models.validators.validate_share],
                        verbose_name="share that it exceeds",
                    ),
                ),
                (
                    "below_share",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[reports.models.validators.validate_share],
                        verbose_name="share that it falls below",
                    ),
                ),
                (
                    "silent_days",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(2),
                            django.core.validators.MaxValueValidator(90),
                        ],
                        verbose_name="days in which nothing is published",
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        choices=[("inbox", "inbox"), ("email", "e-mail"), ("webhook", "webhook")],
                        default="email",
                        max_length=10,
                        verbose_name="channel",
                    ),
                ),
                ("webhook_url", models.URLField(blank=True, max_length=500, verbose_name="webhook address")),
                ("language", models.CharField(blank=True, editable=False, max_length=10, verbose_name="language")),
                ("told", models.JSONField(blank=True, default=dict, editable=False, verbose_name="told up to")),
                ("batch", models.JSONField(blank=True, default=dict, editable=False, verbose_name="being told up to")),
                (
                    "seen_generation",
                    models.PositiveBigIntegerField(
                        blank=True, editable=False, null=True, verbose_name="generation seen"
                    ),
                ),
                ("seen_on", models.DateField(blank=True, editable=False, null=True, verbose_name="seen on")),
                ("failures", models.PositiveIntegerField(default=0, editable=False, verbose_name="failures")),
                (
                    "last_failure",
                    models.CharField(blank=True, editable=False, max_length=40, verbose_name="last failure"),
                ),
                ("next_try_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="next try")),
                ("paused", models.BooleanField(default=False, editable=False, verbose_name="paused")),
                ("last_sent_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="last sent")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
            ],
            options={
                "verbose_name": "subscription",
                "verbose_name_plural": "subscriptions",
                "ordering": ["use_case", "created_at"],
            },
        ),
        migrations.CreateModel(
            name="InboxMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("told", models.JSONField()),
                ("batch", models.JSONField()),
                ("up_to", models.DateField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("is_read", models.BooleanField(default=False)),
                (
                    "subscription",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="inbox_messages",
                        to="reports.subscription",
                    ),
                ),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "messages",
                "ordering": ["-made_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="TrainingRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("finished", "finished"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("failure", models.TextField(blank=True, verbose_name="reason of failure")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("not_before", models.DateTimeField(blank=True, null=True, verbose_name="not before")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("planned_at", models.DateTimeField(blank=True, null=True, verbose_name="planned")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                ("target_epsilon", models.FloatField(blank=True, null=True, verbose_name="target ε")),
                ("non_private", models.BooleanField(default=False, verbose_name="without noise")),
                ("sealed", models.BooleanField(default=False, verbose_name="sealed")),
                (
                    "split",
                    models.CharField(
                        choices=[("ratings", "ratings"), ("users", "people")],
                        default="ratings",
                        max_length=10,
                        verbose_name="held out",
                    ),
                ),
                ("seed", models.BigIntegerField(verbose_name="seed")),
                ("catalogue", models.JSONField(blank=True, default=dict, verbose_name="invented catalogue")),
                ("data", models.CharField(blank=True, max_length=64, verbose_name="digest of the data")),
                (
                    "agreed",
                    models.JSONField(blank=True, default=dict, editable=False, verbose_name="agreed with devices"),
                ),
                ("round_length", models.DurationField(blank=True, null=True, verbose_name="length of a round")),
                ("item_names", models.JSONField(blank=True, default=list, verbose_name="items")),
                ("feature_names", models.JSONField(blank=True, default=list, verbose_name="features")),
                ("document", models.JSONField(blank=True, editable=False, null=True, verbose_name="document")),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="requested by",
                    ),
                ),
            ],
            options={
                "verbose_name": "training run",
                "verbose_name_plural": "training runs",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="TrainingRound",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="round")),
                ("epsilon", models.FloatField(blank=True, null=True, verbose_name="ε")),
                ("figures", models.JSONField(default=dict, verbose_name="figures")),
                ("releases", models.JSONField(default=list, verbose_name="releases")),
                ("ended_at", models.DateTimeField(auto_now=True, verbose_name="ended")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rounds",
                        to="reports.trainingrun",
                        verbose_name="training run",
                    ),
                ),
            ],
            options={
                "verbose_name": "round of a training run",
                "verbose_name_plural": "rounds of training runs",
                "ordering": ["run", "number"],
            },
        ),
        migrations.CreateModel(
            name="TrainingPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("step", models.PositiveSmallIntegerField(default=0, verbose_name="step")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="lease expires")),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="result file")),
                ("facts", models.JSONField(blank=True, default=dict, verbose_name="facts")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="reports.trainingrun",
                        verbose_name="training run",
                    ),
                ),
            ],
            options={
                "verbose_name": "part of a training run",
                "verbose_name_plural": "parts of training runs",
            },
        ),
        migrations.CreateModel(
            name="TrainingFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("model", "model"), ("devices", "data of simulated devices")],
                        max_length=10,
                        verbose_name="kind",
                    ),
                ),
                ("name", models.CharField(max_length=40, verbose_name="name")),
                ("shape", models.JSONField(verbose_name="shape")),
                ("file_name", models.CharField(max_length=200, verbose_name="file")),
                ("day", models.DateField(verbose_name="day")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="reports.trainingrun",
                        verbose_name="training run",
                    ),
                ),
            ],
            options={
                "verbose_name": "array of a training run",
                "verbose_name_plural": "arrays of training runs",
                "ordering": ["run", "kind", "name"],
            },
        ),
        migrations.CreateModel(
            name="DeviceRound",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "purpose",
                    models.CharField(
                        choices=[("train", "training"), ("evaluate", "evaluation")],
                        max_length=10,
                        verbose_name="purpose",
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="round")),
                ("after", models.PositiveIntegerField(default=0, verbose_name="round of training")),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("released", "released"), ("lost", "lost")],
                        default="open",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("aggregator", models.BinaryField(default=b"", verbose_name="statement of the aggregator")),
                ("distributor", models.BinaryField(default=b"", verbose_name="statement of the distributor")),
                ("digest", models.CharField(blank=True, max_length=64, verbose_name="digest of the task")),
                ("contribution_bytes", models.PositiveIntegerField(default=0, verbose_name="bytes of a contribution")),
                ("request_bytes", models.PositiveIntegerField(default=0, verbose_name="bytes of a request for rows")),
                ("expected", models.PositiveBigIntegerField(default=0, verbose_name="messages expected")),
                ("relayed", models.PositiveBigIntegerField(default=0, verbose_name="messages relayed")),
                ("refused", models.JSONField(blank=True, default=dict, verbose_name="messages refused")),
                ("opened_at", models.DateTimeField(blank=True, null=True, verbose_name="opened")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="device_rounds",
                        to="reports.trainingrun",
                        verbose_name="training run",
                    ),
                ),
            ],
            options={
                "verbose_name": "round of devices",
                "verbose_name_plural": "rounds of devices",
                "ordering": ["run", "purpose", "number"],
            },
        ),
        migrations.CreateModel(
            name="TrainingTask",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.SlugField(
                        unique=True,
                        validators=[reports.models.validators.validate_task_identifier],
                        verbose_name="identifier",
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        max_length=200, validators=[reports.models.validators.validate_text], verbose_name="title"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, validators=[reports.models.validators.validate_storable], verbose_name="description"
                    ),
                ),
                (
                    "epsilon_limit",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[reports.models.validators.AtLeast(0)],
                        verbose_name="limit of ε for all runs by real devices",
                    ),
                ),
                (
                    "published",
                    models.BooleanField(
                        default=False,
                        verbose_name="everybody may read its privacy statement, and use its model on their own device",
                    ),
                ),
                (
                    "owner_group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="auth.group",
                        verbose_name="owner group",
                    ),
                ),
                (
                    "viewer_groups",
                    models.ManyToManyField(blank=True, related_name="+", to="auth.group", verbose_name="viewer groups"),
                ),
            ],
            options={
                "verbose_name": "training task",
                "verbose_name_plural": "training tasks",
                "ordering": ["title", "slug"],
            },
        ),
        migrations.CreateModel(
            name="TrainingVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(
                        validators=[reports.models.validators.AtLeast(1)], verbose_name="version"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("active", "active"), ("closed", "closed")],
                        default="draft",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("parameters", models.JSONField(verbose_name="parameters")),
                ("plan", models.JSONField(blank=True, editable=False, null=True, verbose_name="plan")),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="reports.trainingtask",
                        verbose_name="training task",
                    ),
                ),
            ],
            options={
                "verbose_name": "version of a training task",
                "verbose_name_plural": "versions of training tasks",
                "ordering": ["task", "-number"],
            },
        ),
        migrations.AddField(
            model_name="trainingrun",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="reports.trainingversion",
                verbose_name="version",
            ),
        ),
        migrations.CreateModel(
            name="UseCase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[reports.models.validators.validate_identifier],
                        verbose_name="identifier",
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        max_length=200, validators=[reports.models.validators.validate_text], verbose_name="title"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, validators=[reports.models.validators.validate_storable], verbose_name="description"
                    ),
                ),
                (
                    "daily_limit",
                    models.PositiveIntegerField(
                        default=1,
                        validators=[reports.models.validators.AtLeast(1)],
                        verbose_name="reports per device and day",
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveIntegerField(
                        default=90,
                        validators=[reports.models.validators.AtLeast(1)],
                        verbose_name="days raw reports are kept",
                    ),
                ),
                (
                    "minimum_reports",
                    models.PositiveIntegerField(
                        default=10000,
                        validators=[reports.models.validators.AtLeast(1)],
                        verbose_name="minimum reports per histogram",
                    ),
                ),
                (
                    "false_positive_rate",
                    models.FloatField(
                        default=0.05,
                        validators=[reports.models.validators.validate_share],
                        verbose_name="expected false entries per histogram",
                    ),
                ),
                (
                    "prescribed_threshold",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[reports.models.validators.AtLeast(1)],
                        verbose_name="prescribed threshold",
                    ),
                ),
                (
                    "grace_days",
                    models.PositiveIntegerField(
                        default=7,
                        validators=[reports.models.validators.AtLeast(0)],
                        verbose_name="days a superseded version still accepts reports",
                    ),
                ),
                (
                    "dictionary_complete",
                    models.BooleanField(default=False, verbose_name="dictionary holds every possible element"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "running"), ("paused", "paused"), ("archived", "archived")],
                        default="running",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                (
                    "generation",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="generation of results"),
                ),
                ("clear_changes", models.JSONField(db_default={}, default=dict, editable=False)),
                (
                    "privacy_published",
                    models.BooleanField(default=False, verbose_name="everybody may read its privacy page"),
                ),
                (
                    "budget_group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="use_cases",
                        to="reports.budgetgroup",
                        verbose_name="budget group",
                    ),
                ),
                (
                    "owner_group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="auth.group",
                        verbose_name="owner group",
                    ),
                ),
                (
                    "simulation_of",
                    models.OneToOneField(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="simulation",
                        to="reports.usecase",
                    ),
                ),
                (
                    "viewer_groups",
                    models.ManyToManyField(blank=True, related_name="+", to="auth.group", verbose_name="viewer groups"),
                ),
            ],
            options={
                "verbose_name": "use case",
                "verbose_name_plural": "use cases",
                "ordering": ["title", "slug"],
            },
        ),
        migrations.AddField(
            model_name="subscription",
            name="use_case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="subscriptions",
                to="reports.usecase",
                verbose_name="use case",
            ),
        ),
        migrations.AddField(
            model_name="savedview",
            name="use_case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="saved_views",
                to="reports.usecase",
                verbose_name="use case",
            ),
        ),
        migrations.AddField(
            model_name="productlist",
            name="use_case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="product_lists", to="reports.usecase"
            ),
        ),
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="preferences",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("language", models.CharField(blank=True, max_length=10, verbose_name="language")),
                (
                    "theme",
                    models.CharField(
                        choices=[("auto", "as the system has it"), ("light", "light"), ("dark", "dark")],
                        default="auto",
                        max_length=5,
                        verbose_name="colours",
                    ),
                ),
                (
                    "numbers",
                    models.CharField(
                        blank=True,
                        choices=[("en", "1,234.5"), ("fr", "1\xa0234,5"), ("de", "1.234,5")],
                        max_length=2,
                        verbose_name="numbers",
                    ),
                ),
                (
                    "opens_view",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="reports.savedview",
                    ),
                ),
                (
                    "opens_use_case",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="reports.usecase"
                    ),
                ),
            ],
            options={
                "verbose_name": "preferences",
                "verbose_name_plural": "preferences",
            },
        ),
        migrations.AddField(
            model_name="evaluation",
            name="use_case",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="evaluations",
                to="reports.usecase",
                verbose_name="use case",
            ),
        ),
        migrations.AddField(
            model_name="embedlink",
            name="use_case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="embed_links", to="reports.usecase"
            ),
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True, verbose_name="name")),
                ("digest", models.CharField(editable=False, max_length=64, unique=True, verbose_name="digest")),
                ("may_ingest", models.BooleanField(default=False, verbose_name="may upload reports")),
                ("may_read", models.BooleanField(default=False, verbose_name="may read results")),
                ("every_use_case", models.BooleanField(default=False, verbose_name="of every use case")),
                (
                    "created_on",
                    models.DateField(default=reports.models.uploads.utc_today, editable=False, verbose_name="created"),
                ),
                (
                    "expires_on",
                    models.DateField(
                        default=reports.models.access.in_a_year,
                        help_text="The first day on which it is void.",
                        verbose_name="expires",
                    ),
                ),
                ("last_used_on", models.DateField(blank=True, editable=False, null=True, verbose_name="last used")),
                ("revoked", models.BooleanField(default=False, verbose_name="revoked")),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "training_tasks",
                    models.ManyToManyField(
                        blank=True, related_name="+", to="reports.trainingtask", verbose_name="training tasks"
                    ),
                ),
                (
                    "use_cases",
                    models.ManyToManyField(
                        blank=True, related_name="+", to="reports.usecase", verbose_name="use cases"
                    ),
                ),
            ],
            options={
                "verbose_name": "API token",
                "verbose_name_plural": "API tokens",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("text", models.CharField(max_length=120)),
                ("written_at", models.DateTimeField(auto_now_add=True)),
                (
                    "written_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="annotations",
                        to="reports.usecase",
                    ),
                ),
            ],
            options={
                "verbose_name": "annotation",
                "verbose_name_plural": "annotations",
                "ordering": ["day", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="version")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("active", "active"),
                            ("superseded", "superseded, still accepting"),
                            ("closed", "closed"),
                        ],
                        default="draft",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("algorithm", models.CharField(max_length=40, verbose_name="algorithm")),
                (
                    "parameters",
                    models.JSONField(
                        blank=True,
                        help_text="Exactly as an upload document must state them.",
                        verbose_name="wire parameters",
                    ),
                ),
                (
                    "normalization",
                    models.CharField(
                        max_length=20,
                        validators=[reports.models.validators.validate_profile],
                        verbose_name="normalisation",
                    ),
                ),
                ("keep_case", models.BooleanField(default=False, verbose_name="keep case")),
                ("alphabet", models.JSONField(blank=True, null=True, verbose_name="alphabet")),
                (
                    "locales",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(blank=True, max_length=20),
                        error_messages={"blank": "Give at least one locale, such as en_US or und."},
                        size=None,
                        validators=[reports.models.validators.validate_locales],
                        verbose_name="locales",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("accepts_until", models.DateField(blank=True, null=True, verbose_name="accepts reports until")),
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="reports.usecase",
                        verbose_name="use case",
                    ),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
                "ordering": ["use_case", "-number"],
            },
        ),
        migrations.CreateModel(
            name="UploadDigest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("hmac", models.BinaryField(db_index=True, max_length=32)),
                ("day", models.DateField()),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="upload_digests",
                        to="reports.version",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="simulation",
            name="version",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="simulation",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.AddField(
            model_name="shard",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="shards", to="reports.version"
            ),
        ),
        migrations.AddField(
            model_name="sealing",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="sealings", to="reports.version"
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.CreateModel(
            name="RecordFingerprint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("hmac", models.BinaryField(max_length=8)),
                ("day", models.DateField()),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="record_fingerprints",
                        to="reports.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReadOut",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("n", models.PositiveBigIntegerField()),
                ("file_name", models.CharField(max_length=200, unique=True)),
                (
                    "period",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="read_outs",
                        to="reports.period",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="read_outs",
                        to="reports.dictionaryrevision",
                    ),
                ),
                (
                    "sealing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="read_outs", to="reports.sealing"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="read_outs", to="reports.version"
                    ),
                ),
            ],
            options={
                "verbose_name": "read-out",
                "verbose_name_plural": "read-outs",
                "ordering": ["version", "locale", "day"],
            },
        ),
        migrations.CreateModel(
            name="QuarantinedShard",
            fields=[
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("size", models.PositiveBigIntegerField()),
                ("index", models.JSONField(editable=False, null=True)),
                ("file_name", models.CharField(max_length=200, unique=True)),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("held_since", models.DateField(default=reports.models.uploads.utc_today)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quarantined_shards",
                        to="reports.batch",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quarantined_shards",
                        to="reports.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "quarantined shard",
                "verbose_name_plural": "quarantined shards",
                "ordering": ["version", "locale", "stream"],
            },
        ),
        migrations.CreateModel(
            name="PeriodTotal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20)),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("made_of", models.CharField(max_length=64)),
                ("file_name", models.CharField(max_length=200, unique=True)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="reports.dictionaryrevision"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="period_totals", to="reports.version"
                    ),
                ),
            ],
            options={
                "verbose_name": "total of periods",
                "verbose_name_plural": "totals of periods",
            },
        ),
        migrations.AddField(
            model_name="period",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="periods", to="reports.version"
            ),
        ),
        migrations.CreateModel(
            name="MixedRecords",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("size", models.PositiveBigIntegerField()),
                ("records", models.BinaryField()),
                ("portion", models.UUIDField(null=True)),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="mixed_records",
                        to="reports.version",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="histogram",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="histograms",
                to="reports.version",
                verbose_name="version",
            ),
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("test", models.CharField(max_length=40)),
                ("p_value", models.FloatField()),
                ("facts", models.JSONField(default=dict)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="reports.batch"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="reports.version"
                    ),
                ),
            ],
            options={
                "verbose_name": "finding",
                "verbose_name_plural": "findings",
                "ordering": ["version", "locale", "stream", "test"],
            },
        ),
        migrations.CreateModel(
            name="DroppedReports",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("reports", models.PositiveBigIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="dropped_reports",
                        to="reports.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "dropped reports",
                "verbose_name_plural": "dropped reports",
                "ordering": ["-day", "version", "locale"],
            },
        ),
        migrations.AddField(
            model_name="dictionaryrevision",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="dictionary_revisions",
                to="reports.version",
                verbose_name="version",
            ),
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
                    ),
                ),
                ("text", models.TextField()),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="reports.version"
                    ),
                ),
            ],
            options={
                "verbose_name": "dictionary draft",
                "verbose_name_plural": "dictionary drafts",
            },
        ),
        migrations.CreateModel(
            name="DeviceRecord",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("record", models.BinaryField()),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="device_records",
                        to="reports.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Deletion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField(verbose_name="day of the reports")),
                ("reports", models.PositiveBigIntegerField(verbose_name="reports")),
                ("never_counted", models.PositiveBigIntegerField(default=0, verbose_name="of them never counted")),
                ("fewest", models.PositiveBigIntegerField(editable=False, null=True, verbose_name="smallest part")),
                (
                    "fewest_uncounted",
                    models.PositiveBigIntegerField(
                        editable=False, null=True, verbose_name="smallest part never counted"
                    ),
                ),
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
                (
                    "deleted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="deleted by",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deletions",
                        to="reports.version",
                        verbose_name="version",
                    ),
                ),
            ],
            options={
                "verbose_name": "deletion of raw reports",
                "verbose_name_plural": "deletions of raw reports",
                "ordering": ["-deleted_on", "version", "-day"],
            },
        ),
        migrations.CreateModel(
            name="Viewing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("what", models.CharField(max_length=20, verbose_name="what")),
                ("at", models.DateTimeField(auto_now_add=True, verbose_name="time")),
                (
                    "token",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="reports.apitoken",
                        verbose_name="API token",
                    ),
                ),
                (
                    "training_task",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="viewings",
                        to="reports.trainingtask",
                        verbose_name="training task",
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="viewings",
                        to="reports.usecase",
                        verbose_name="use case",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "viewing",
                "verbose_name_plural": "viewings",
                "ordering": ["-at"],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "page",
                    models.CharField(
                        choices=[
                            ("use_case", "histogram"),
                            ("compare", "comparison"),
                            ("trend", "trend"),
                            ("element", "element"),
                            ("changes", "what changed"),
                            ("locales", "all locales"),
                        ],
                        max_length=10,
                        verbose_name="page",
                    ),
                ),
                ("query", models.CharField(blank=True, max_length=2000, verbose_name="query string")),
                ("day", models.DateField(default=reports.models.uploads.utc_today, verbose_name="day")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="reports.usecase",
                        verbose_name="use case",
                    ),
                ),
            ],
            options={
                "verbose_name": "visit",
                "verbose_name_plural": "visits",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="WebSession",
            fields=[
                (
                    "session_key",
                    models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key"),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("browser", models.CharField(blank=True, max_length=40)),
                ("active_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="web_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="WordDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("word", models.CharField(help_text="Without pads.", max_length=16, verbose_name="word")),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("rejected", "rejected"),
                            ("truncated", "truncated"),
                            ("foreign", "foreign"),
                            ("undecided", "undecided"),
                        ],
                        max_length=10,
                        verbose_name="verdict",
                    ),
                ),
                (
                    "dictionary",
                    models.SlugField(
                        blank=True, help_text="Of an accepted word.", max_length=80, verbose_name="dictionary"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("abbreviation", "abbreviation"),
                            ("expression", "expression"),
                            ("seasonal", "seasonal"),
                            ("borrowed", "borrowed"),
                            ("other", "other kind"),
                        ],
                        db_default="",
                        default="",
                        help_text="Of an accepted word.",
                        max_length=12,
                        verbose_name="kind",
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=500, verbose_name="note")),
                ("decided_at", models.DateTimeField(auto_now_add=True, verbose_name="decided")),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="decided by",
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="word_decisions",
                        to="reports.usecase",
                        verbose_name="use case",
                    ),
                ),
            ],
            options={
                "verbose_name": "decision about a word",
                "verbose_name_plural": "decisions about words",
                "ordering": ["-pk"],
            },
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("state", "quarantined")), fields=["day"], name="batch_in_quarantine"
            ),
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("rejected", {}), _negated=True), fields=["-day"], name="batch_with_rejected"
            ),
        ),
        migrations.AddConstraint(
            model_name="dictionaryentry",
            constraint=models.UniqueConstraint(fields=("revision", "position"), name="entry_position_unique"),
        ),
        migrations.AddConstraint(
            model_name="dictionaryentry",
            constraint=models.UniqueConstraint(fields=("revision", "element"), name="entry_element_unique"),
        ),
        migrations.AddConstraint(
            model_name="embedviews",
            constraint=models.UniqueConstraint(fields=("link", "day"), name="embed_views_once"),
        ),
        migrations.AddConstraint(
            model_name="evaluationpart",
            constraint=models.UniqueConstraint(fields=("evaluation", "number"), name="evaluation_part_once"),
        ),
        migrations.AddConstraint(
            model_name="exportpart",
            constraint=models.UniqueConstraint(fields=("order", "slug"), name="export_part_once"),
        ),
        migrations.AddIndex(
            model_name="histogramentry",
            index=models.Index(fields=["element", "histogram"], name="entry_of_element"),
        ),
        migrations.AddConstraint(
            model_name="histogramentry",
            constraint=models.UniqueConstraint(fields=("histogram", "rank"), name="histogram_rank_unique"),
        ),
        migrations.AddConstraint(
            model_name="identity",
            constraint=models.UniqueConstraint(fields=("issuer", "subject"), name="identity_unique"),
        ),
        migrations.AddConstraint(
            model_name="importpart",
            constraint=models.UniqueConstraint(fields=("order", "hmac"), name="import_part_once"),
        ),
        migrations.AddConstraint(
            model_name="productlistversion",
            constraint=models.UniqueConstraint(fields=("product_list", "number"), name="product_list_version_unique"),
        ),
        migrations.AddConstraint(
            model_name="pin",
            constraint=models.UniqueConstraint(fields=("owner", "view"), name="pin_once"),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sealing", None)),
                fields=("run", "step", "locale", "start_shard", "start_row"),
                name="part_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sealing__isnull", False)),
                fields=("run", "locale", "sealing"),
                name="part_once_for_a_sealing",
            ),
        ),
        migrations.AddConstraint(
            model_name="simulationpart",
            constraint=models.UniqueConstraint(fields=("simulation", "day"), name="simulation_part_once"),
        ),
        migrations.AddIndex(
            model_name="inboxmessage",
            index=models.Index(fields=["subscription", "is_read"], name="inbox_unread"),
        ),
        migrations.AddConstraint(
            model_name="traininground",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="training_round_once"),
        ),
        migrations.AddConstraint(
            model_name="trainingfile",
            constraint=models.UniqueConstraint(fields=("run", "kind", "name"), name="training_file_once"),
        ),
        migrations.AddConstraint(
            model_name="deviceround",
            constraint=models.UniqueConstraint(fields=("run", "purpose", "number"), name="device_round_once"),
        ),
        migrations.AddConstraint(
            model_name="trainingversion",
            constraint=models.UniqueConstraint(fields=("task", "number"), name="training_version_number"),
        ),
        migrations.AddConstraint(
            model_name="trainingversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "active")), fields=("task",), name="training_version_one_active"
            ),
        ),
        migrations.AddIndex(
            model_name="trainingrun",
            index=models.Index(fields=["version", "-created_at"], name="training_run_of_version"),
        ),
        migrations.AddIndex(
            model_name="trainingrun",
            index=models.Index(
                condition=models.Q(("state__in", ["waiting", "running"])),
                fields=["created_at"],
                name="training_run_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="saved_view_name_unique"),
        ),
        migrations.AddConstraint(
            model_name="productlist",
            constraint=models.UniqueConstraint(fields=("use_case", "name"), name="product_list_name_unique"),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(fields=["requested_by", "-created_at"], name="evaluation_of_person"),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(("state__in", ["waiting", "running"])),
                fields=["created_at"],
                name="evaluation_unfinished",
            ),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(fields=["use_case", "day"], name="annotation_of_use_case"),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(fields=("use_case", "number"), name="version_number_unique"),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(
                fields=("use_case", "algorithm", "parameters"), name="version_parameters_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "active")), fields=("use_case",), name="version_one_active_per_use_case"
            ),
        ),
        migrations.AddIndex(
            model_name="uploaddigest",
            index=models.Index(fields=["version", "day"], name="upload_digest_day"),
        ),
        migrations.AddConstraint(
            model_name="shard",
            constraint=models.UniqueConstraint(
                condition=models.Q(("batch", None), ("index__isnull", True)),
                fields=("sealing", "locale", "stream"),
                name="shard_one_when_sealed",
            ),
        ),
        migrations.AddConstraint(
            model_name="shard",
            constraint=models.CheckConstraint(
                condition=models.Q(("batch__isnull", False), ("sealing__isnull", False), _connector="OR"),
                name="shard_has_batch_or_is_sealed",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["version", "-created_at"], name="run_newest"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["-created_at"], name="run_by_time"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("state__in", ["waiting", "running"])), fields=["created_at"], name="run_unfinished"
            ),
        ),
        migrations.AddIndex(
            model_name="recordfingerprint",
            index=models.Index(fields=["version", "day"], name="record_fingerprint_day"),
        ),
        migrations.AddIndex(
            model_name="recordfingerprint",
            index=models.Index(fields=["version", "hmac"], name="record_fingerprint_known"),
        ),
        migrations.AddIndex(
            model_name="readout",
            index=models.Index(fields=["version", "locale", "day"], name="read_out_of_day"),
        ),
        migrations.AddIndex(
            model_name="readout",
            index=models.Index(
                condition=models.Q(("period", None)), fields=["version", "locale", "day"], name="read_out_that_waits"
            ),
        ),
        migrations.AddConstraint(
            model_name="readout",
            constraint=models.UniqueConstraint(fields=("sealing", "locale"), name="read_out_once"),
        ),
        migrations.AddConstraint(
            model_name="periodtotal",
            constraint=models.UniqueConstraint(
                fields=("version", "locale", "first_day", "last_day"), name="period_total_once"
            ),
        ),
        migrations.AddIndex(
            model_name="period",
            index=models.Index(fields=["version", "locale", "last_day", "first_day"], name="period_of_day"),
        ),
        migrations.AddIndex(
            model_name="mixedrecords",
            index=models.Index(fields=["version", "day", "locale"], name="mixed_records_of_day"),
        ),
        migrations.AddIndex(
            model_name="histogram",
            index=models.Index(
                condition=models.Q(("grouping", "")),
                fields=["version", "locale", "-last_day", "first_day"],
                name="histogram_newest",
            ),
        ),
        migrations.AddConstraint(
            model_name="histogram",
            constraint=models.UniqueConstraint(
                fields=("version", "locale", "first_day", "last_day", "grouping"), name="histogram_once_per_window"
            ),
        ),
        migrations.AddConstraint(
            model_name="droppedreports",
            constraint=models.UniqueConstraint(fields=("version", "locale", "day"), name="dropped_reports_once_a_day"),
        ),
        migrations.AddConstraint(
            model_name="dictionaryrevision",
            constraint=models.UniqueConstraint(fields=("version", "number"), name="revision_number_unique"),
        ),
        migrations.AddConstraint(
            model_name="dictionarydraft",
            constraint=models.UniqueConstraint(fields=("version", "person"), name="dictionary_draft_one_per_person"),
        ),
        migrations.AddIndex(
            model_name="viewing",
            index=models.Index(fields=["use_case", "-at"], name="viewing_of_use_case"),
        ),
        migrations.AddIndex(
            model_name="viewing",
            index=models.Index(fields=["training_task", "-at"], name="viewing_of_training_task"),
        ),
        migrations.AddConstraint(
            model_name="viewing",
            constraint=models.CheckConstraint(
                condition=models.Q(("use_case__isnull", True), ("training_task__isnull", True), _connector="XOR"),
                name="viewing_of_one",
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=models.Index(fields=["day"], name="visit_of_day"),
        ),
        migrations.AddIndex(
            model_name="worddecision",
            index=models.Index(fields=["use_case", "locale", "word", "-id"], name="decision_newest"),
        ),
        migrations.AddConstraint(
            model_name="worddecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict", "accepted"), ("dictionary", ""), _connector="XOR"),
                name="decision_dictionary_if_accepted",
            ),
        ),
        migrations.AddConstraint(
            model_name="worddecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict", "accepted"), ("kind", ""), _connector="OR"),
                name="decision_kind_only_if_accepted",
            ),
        ),
        # It is empty every ten minutes, and nothing looks for a row by its key.
        migrations.RunSQL(
            "ALTER TABLE reports_devicerecord DROP CONSTRAINT reports_devicerecord_pkey",
            "ALTER TABLE reports_devicerecord ADD CONSTRAINT reports_devicerecord_pkey PRIMARY KEY (id)",
        ),
        migrations.RunPython(know_today, migrations.RunPython.noop),
    ]
