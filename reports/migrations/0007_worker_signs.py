from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0006_dashboard")]

    operations = [
        migrations.CreateModel(
            name="WorkerSign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField(verbose_name="last sign of life")),
            ],
        ),
    ]
