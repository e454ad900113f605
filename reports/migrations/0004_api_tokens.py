import django.db.models.deletion
from django.db import migrations, models

import reports.models.access
import reports.models.uploads


class Migration(migrations.Migration):
    """Upload tokens become API tokens: what they could do they still can, for a year."""

    dependencies = [
        ("reports", "0003_discovered_words"),
    ]

    operations = [
        migrations.RenameModel("UploadToken", "ApiToken"),
        migrations.AlterModelOptions(
            "apitoken", {"ordering": ["name"], "verbose_name": "API token", "verbose_name_plural": "API tokens"}
        ),
        # Those that exist could upload for every use case.
        migrations.AddField(
            "apitoken", "may_ingest", models.BooleanField(default=True, verbose_name="may upload reports")
        ),
        migrations.AlterField(
            "apitoken", "may_ingest", models.BooleanField(default=False, verbose_name="may upload reports")
        ),
        migrations.AddField(
            "apitoken", "may_read", models.BooleanField(default=False, verbose_name="may read results")
        ),
        migrations.AddField(
            "apitoken", "every_use_case", models.BooleanField(default=True, verbose_name="of every use case")
        ),
        migrations.AlterField(
            "apitoken", "every_use_case", models.BooleanField(default=False, verbose_name="of every use case")
        ),
        migrations.AddField(
            "apitoken",
            "use_cases",
            models.ManyToManyField(blank=True, related_name="+", to="reports.usecase", verbose_name="use cases"),
        ),
        migrations.AddField(
            "apitoken",
            "expires_on",
            models.DateField(
                default=reports.models.access.in_a_year,
                help_text="The first day on which it is void.",
                verbose_name="expires",
            ),
        ),
        migrations.AlterField(
            "apitoken",
            "created_on",
            models.DateField(default=reports.models.uploads.utc_today, editable=False, verbose_name="created"),
        ),
        migrations.AlterField(
            "apitoken",
            "last_used_on",
            models.DateField(blank=True, editable=False, null=True, verbose_name="last used"),
        ),
        migrations.AddField(
            "viewing",
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
    ]
