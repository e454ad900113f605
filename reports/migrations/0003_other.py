from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0002_evaluations")]

    operations = [
        migrations.AddField(
            model_name="histogram",
            name="other_estimate",
            field=models.FloatField(null=True, verbose_name="estimate of anything else"),
        ),
    ]
