import datetime
import uuid

import django.contrib.postgres.fields
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
                        base_field=models.BigIntegerField(),
                        default=list,
                        size=None,
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
            name="WorkerHeartbeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField()),
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
            name="Run",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False, verbose_name="identifier"
                    ),
                ),
                ("first_day", models.DateField(verbose_name="first day")),
                ("last_day", models.DateField(verbose_name="last day")),
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
                (
                    "planned_at",
                    models.DateTimeField(
                        blank=True, help_text="Its days are sealed.", null=True, verbose_name="planned"
                    ),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
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
            name="Part",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("locale", models.CharField(max_length=20)),
                ("day", models.DateField()),
                ("stream", models.CharField(max_length=20)),
                ("size", models.PositiveBigIntegerField()),
                ("file_name", models.CharField(max_length=200, unique=True)),
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
                    "channel",
                    models.CharField(
                        choices=[("email", "e-mail"), ("webhook", "webhook")],
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
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="reports.usecase",
                        verbose_name="use case",
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
                        ],
                        max_length=10,
                        verbose_name="page",
                    ),
                ),
                ("query", models.CharField(blank=True, max_length=2000, verbose_name="query string")),
                ("saved_at", models.DateTimeField(auto_now_add=True, verbose_name="saved")),
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
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to="reports.usecase",
                        verbose_name="use case",
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
                        ],
                        max_length=10,
                    ),
                ),
                ("query", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("until", models.DateTimeField()),
                ("last_opened", models.DateField(editable=False, null=True)),
                (
                    "maker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="embed_links",
                        to="reports.usecase",
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
            model_name="shard",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="shards",
                to="reports.version",
            ),
        ),
        migrations.AddField(
            model_name="sealing",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sealings",
                to="reports.version",
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
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="read_outs",
                        to="reports.sealing",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="read_outs",
                        to="reports.version",
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
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("locale", models.CharField(max_length=20)),
                ("stream", models.CharField(max_length=20)),
                ("size", models.PositiveBigIntegerField()),
                ("file_name", models.CharField(max_length=200, unique=True)),
                (
                    "held_since",
                    models.DateField(default=reports.models.uploads.utc_today),
                ),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="reports.dictionaryrevision",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="period_totals",
                        to="reports.version",
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
                on_delete=django.db.models.deletion.CASCADE,
                related_name="periods",
                to="reports.version",
            ),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="reports.version",
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
                    "use_case",
                    models.ForeignKey(
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
        migrations.AddIndex(
            model_name="histogramentry",
            index=models.Index(fields=["element", "histogram"], name="entry_of_element"),
        ),
        migrations.AddConstraint(
            model_name="histogramentry",
            constraint=models.UniqueConstraint(fields=("histogram", "rank"), name="histogram_rank_unique"),
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
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="saved_view_name_unique"),
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
                condition=models.Q(("batch", None)),
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
            model_name="devicerecord",
            index=models.Index(fields=["version", "day", "locale", "stream"], name="device_record_of_day"),
        ),
        migrations.AddIndex(
            model_name="viewing",
            index=models.Index(fields=["use_case", "-at"], name="viewing_of_use_case"),
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
        migrations.RunPython(know_today, migrations.RunPython.noop),
    ]
