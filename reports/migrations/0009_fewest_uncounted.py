from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q
from django.db.models.functions import Coalesce, Least


def tell_what_is_known(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of what was deleted before: nobody kept of which locales it was what no run had counted.

    It is of one locale if the version has one, though not always one part: it has none that is smaller than the smallest
    part of the day. Otherwise that is not known, either.
    """
    deletions = apps.get_model("reports", "Deletion").objects
    known = Q(never_counted=0) | Q(version__locales__len=1)
    fewest = Coalesce("fewest", "reports")
    deletions.filter(known).update(fewest=fewest, fewest_uncounted=Least(fewest, "never_counted"))
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
