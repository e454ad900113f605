"""Answers of the API, against its own description."""

from reports.web.api.api_schema import openapi


def departure(answer: object, component: str) -> str:
    """Return where an answer is not as a component of the description says; nothing if it is."""
    # Here and not at the top: it takes seconds to load, in each process that collects tests.
    import jsonschema  # type: ignore[import-untyped]

    schema = {"$ref": f"#/components/schemas/{component}", "components": openapi()["components"]}
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    return "\n".join(error.message for error in validator.iter_errors(answer))
