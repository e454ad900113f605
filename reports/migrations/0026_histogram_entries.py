import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import reports.models.entries

# In the order of an index, histogram by histogram: it takes no memory to speak of, and some 10 s for a million entries.
CONVERT = """
INSERT INTO "reports_histogramentries" (
    "histogram_id", "elements", "displays", "categories", "numbers", "consistent", "members", "thresholds",
    "first_days", "last_days", "new"
)
SELECT "histogram"."id",
    COALESCE(array_agg("element" ORDER BY "rank") FILTER (WHERE "rank" IS NOT NULL), '{}'),
    COALESCE(array_agg(NULLIF("display", "element") ORDER BY "rank") FILTER (WHERE "rank" IS NOT NULL), '{}'),
    COALESCE(array_agg(NULLIF("category", '') ORDER BY "rank") FILTER (WHERE "rank" IS NOT NULL), '{}'),
    COALESCE(string_agg(
        float8send("estimate") || float8send("standard_error") || float8send("lower") || float8send("upper")
            || float8send("adjusted_lower") || float8send("adjusted_upper"),
        ''::bytea ORDER BY "rank"
    ), ''),
    string_agg(float8send("consistent"), ''::bytea ORDER BY "rank"),
    CASE WHEN bool_or("members" <> 1) THEN array_agg("members" ORDER BY "rank") END,
    string_agg(float8send("entry"."threshold"), ''::bytea ORDER BY "rank"),
    CASE WHEN count("entry"."first_day") > 0 THEN array_agg("entry"."first_day" ORDER BY "rank") END,
    CASE WHEN count("entry"."last_day") > 0 THEN array_agg("entry"."last_day" ORDER BY "rank") END,
    CASE WHEN bool_or("is_new") THEN array_agg("is_new" ORDER BY "rank") END
FROM "reports_histogram" AS "histogram"
LEFT JOIN "reports_histogramentry" AS "entry" ON "entry"."histogram_id" = "histogram"."id"
GROUP BY "histogram"."id"
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0025_site_subscriptions"),
    ]

    operations = [
        migrations.CreateModel(
            name="HistogramEntries",
            fields=[
                (
                    "histogram",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="stored_entries",
                        serialize=False,
                        to="reports.histogram",
                    ),
                ),
                ("elements", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                (
                    "displays",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(null=True), size=None),
                ),
                (
                    "categories",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(null=True), size=None),
                ),
                ("numbers", reports.models.entries.FloatsField()),
                ("consistent", reports.models.entries.FloatsField(null=True)),
                (
                    "members",
                    django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), null=True, size=None),
                ),
                ("thresholds", reports.models.entries.FloatsField(null=True)),
                (
                    "first_days",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateField(null=True), null=True, size=None
                    ),
                ),
                (
                    "last_days",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateField(null=True), null=True, size=None
                    ),
                ),
                (
                    "new",
                    django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(), null=True, size=None),
                ),
            ],
            options={
                "verbose_name": "histogram entries",
                "verbose_name_plural": "histogram entries",
                "default_permissions": (),
            },
        ),
        migrations.RunSQL(CONVERT),
        migrations.DeleteModel(
            name="HistogramEntry",
        ),
    ]
