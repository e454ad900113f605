"""Fields of forms, written here where Django has a template within a template for each: a page has dozens of them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.forms.renderers import DjangoTemplates
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString


class FormRenderer(DjangoTemplates):
    """Django's renderer, quicker for inputs and lists to choose from."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        write = _WRITERS.get(template_name)
        return super().render(template_name, context, request) if write is None else write(context["widget"])


def _attributes(widget: Mapping[str, Any]) -> str:
    found = ((name, value) for name, value in widget["attrs"].items() if value is not False)
    return "".join(f" {name}" if value is True else f' {name}="{conditional_escape(value)}"' for name, value in found)


def _input(widget: Mapping[str, Any]) -> SafeString:
    value = "" if widget["value"] is None else f' value="{conditional_escape(widget["value"])}"'
    name = conditional_escape(widget["name"])
    return SafeString(f'<input type="{widget["type"]}" name="{name}"{value}{_attributes(widget)}>')


def _select(widget: Mapping[str, Any]) -> SafeString:
    groups = "".join(_group(name, options) for name, options, _place in widget["optgroups"])
    return SafeString(f'<select name="{conditional_escape(widget["name"])}"{_attributes(widget)}>{groups}</select>')


def _group(name: str | None, options: list[dict[str, Any]]) -> str:
    found = "".join(
        f'<option value="{conditional_escape(each["value"])}"{_attributes(each)}>{conditional_escape(each["label"])}'
        "</option>"
        for each in options
    )
    return f'<optgroup label="{conditional_escape(name)}">{found}</optgroup>' if name else found


_WRITERS: Final[dict[str, Callable[[Mapping[str, Any]], SafeString]]] = {
    f"django/forms/widgets/{name}.html": _input
    for name in ("checkbox", "date", "email", "hidden", "number", "password", "text", "url")
} | {"django/forms/widgets/select.html": _select}
