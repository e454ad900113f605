from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0003_other")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="window",
            field=models.JSONField(blank=True, default=dict, verbose_name="window"),
        ),
    ]
