import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0003_runs_wait")]

    operations = [
        migrations.AddField(
            model_name="usecase",
            name="prescribed_threshold",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="prescribed threshold"),
        ),
        migrations.AddField(
            model_name="histogram",
            name="prescribed_threshold",
            field=models.PositiveIntegerField(null=True, verbose_name="prescribed threshold"),
        ),
        migrations.AddField(
            model_name="discovery",
            name="f2",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.FloatField(),
                default=list,
                size=None,
                verbose_name="estimated F2 of each position",
            ),
        ),
    ]
