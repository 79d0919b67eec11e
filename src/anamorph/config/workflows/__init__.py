"""The CI workflows that `anamorph init` writes and docs/guides/ci.md shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from anamorph.errors import UsageError

CONFIG_FILE, BASELINE_FILE = "anamorph.toml", "anamorph.baseline.json"
# Where each service looks for its workflow.
PLACES: Mapping[str, str] = {"github": ".github/workflows/anamorph.yml", "gitlab": ".gitlab-ci.yml"}


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow for one service: the file that it runs, the variable with the key, and the extra that is installed."""

    service: str
    config: str = CONFIG_FILE
    secret: str = ""
    extra: str = ""

    def __post_init__(self) -> None:
        # Both stand in YAML and in the commands of a shell.
        if not re.fullmatch(r"[\w./+-]*", self.config):
            raise UsageError(
                f"{self.config!a}: a workflow needs a name of letters, digits and . / + - _. Choose another "
                "name, or --ci none."
            )
        if not re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)?", self.secret):
            raise UsageError("key_variable must be the name of an environment variable, not a value.")

    @property
    def path(self) -> str:
        return PLACES[self.service]

    @property
    def text(self) -> str:
        text = (resources.files(__package__) / f"{self.service}.yml").read_text(encoding="utf-8")
        if not self.secret:
            text = re.sub(r" +env:\n +@SECRET@.*\n", "", text)
        package = f"'anamorph[{self.extra}]'" if self.extra else "anamorph"
        values = {"CONFIG": self.config, "BASELINE": BASELINE_FILE, "SECRET": self.secret, "PACKAGE": package}
        return re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], text)
