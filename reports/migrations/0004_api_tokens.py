from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

import reports.models.access
import reports.models.uploads


def revoke_what_was_less(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The release before lets every token upload for every use case, for ever: no token shall gain by going back."""
    tokens: Any = apps.get_model("reports", "ApiToken").objects
    less = Q(may_ingest=False) | Q(every_use_case=False) | Q(expires_on__lte=reports.models.uploads.utc_today())
    tokens.filter(less).update(revoked=True)


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
        # Last, so that it comes first on the way back.
        migrations.RunPython(migrations.RunPython.noop, revoke_what_was_less, elidable=True),
    ]
