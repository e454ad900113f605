import datetime

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def know_today(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Begin with the day of the upgrade, which a person sees to."""
    today = datetime.datetime.now(datetime.UTC).date()
    apps.get_model("reports", "KnownDay").objects.create(pk=1, day=today)


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="KnownDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField(verbose_name="day")),
                ("doubted_since", models.DateField(blank=True, null=True, verbose_name="doubted since")),
            ],
        ),
        migrations.RunPython(know_today, migrations.RunPython.noop),
    ]
