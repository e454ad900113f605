"""Why a definition is refused."""


class DefinitionError(ValueError):
    """A definition that is refused; `problems` says what, where and what to do, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
