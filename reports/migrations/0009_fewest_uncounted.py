from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q
from django.db.models.functions import Coalesce


def tell_what_is_known(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of what was deleted before: nobody kept of which locales it was what no run had counted.

    It is one part if the version has one locale. Otherwise the smallest part of the day is not known, either.
    """
    deletions = apps.get_model("reports", "Deletion").objects
    known = Q(never_counted=0) | Q(version__locales__len=1)
    deletions.filter(known).update(fewest=Coalesce("fewest", "reports"), fewest_uncounted=F("never_counted"))
    deletions.filter(fewest_uncounted=None).update(fewest=None)


def tell_nothing(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Before, no smallest part meant that the day is one."""
    apps.get_model("reports", "Deletion").objects.filter(fewest=None).update(fewest=0)


class Migration(migrations.Migration):
    dependencies = [("reports", "0008_fewest_deleted")]

    operations = [
        migrations.AddField(
            model_name="deletion",
            name="fewest_uncounted",
            field=models.PositiveBigIntegerField(editable=False, null=True, verbose_name="smallest part never counted"),
        ),
        migrations.RunPython(tell_what_is_known, tell_nothing),
    ]
