from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Case, F, OuterRef, Subquery, When
from django.db.models.functions import Least


def tell_the_smallest_part(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of what was deleted before: a locale's read-out, which is kept, or what nobody had counted. LEAST passes NULL over."""
    read_outs = apps.get_model("reports", "ReadOut").objects
    of_the_day = read_outs.filter(version=OuterRef("version"), day=OuterRef("day")).order_by("n").values("n")[:1]
    uncounted = Case(When(never_counted__gt=0, then=F("never_counted")), default=None)
    apps.get_model("reports", "Deletion").objects.update(fewest=Least("reports", Subquery(of_the_day), uncounted))


class Migration(migrations.Migration):
    dependencies = [("reports", "0007_worker_signs")]

    operations = [
        migrations.AddField(
            model_name="deletion",
            name="fewest",
            field=models.PositiveBigIntegerField(editable=False, null=True, verbose_name="smallest part"),
        ),
        migrations.RunPython(tell_the_smallest_part, migrations.RunPython.noop),
    ]
