import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0004_prescribed_threshold"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbedLink",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
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
                ("query", models.TextField(blank=True, verbose_name="query string")),
                ("made_at", models.DateTimeField(auto_now_add=True, verbose_name="made")),
                ("until", models.DateTimeField(verbose_name="holds until")),
                ("last_opened", models.DateField(editable=False, null=True, verbose_name="last opened")),
                (
                    "maker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="made by",
                    ),
                ),
                (
                    "use_case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="embed_links",
                        to="reports.usecase",
                        verbose_name="use case",
                    ),
                ),
            ],
            options={
                "verbose_name": "embed link",
                "verbose_name_plural": "embed links",
                "ordering": ["-made_at", "pk"],
            },
        ),
    ]
