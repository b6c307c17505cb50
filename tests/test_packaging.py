"""What `pyproject.toml` promises: extras that exist, and the Pythons that it was tried with."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import bethink
from bethink.errors import DISTRIBUTION

ROOT = Path(__file__).parents[1]
NOT_FOR_USERS = {"all", "dev", "bench"}


def project() -> dict[str, Any]:
    read: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return read


def test_the_distribution_has_the_name_that_messages_say() -> None:
    assert project()["name"] == DISTRIBUTION


def test_all_is_every_extra_that_a_user_may_want() -> None:
    extras = project()["optional-dependencies"]
    (listed,) = extras["all"]
    name, _, names = listed.removesuffix("]").partition("[")
    assert name == DISTRIBUTION
    assert set(names.split(",")) == extras.keys() - NOT_FOR_USERS
    assert f"{DISTRIBUTION}[all]" in extras["dev"]


def test_every_extra_that_a_message_names_exists() -> None:
    extras = project()["optional-dependencies"].keys()
    named: set[str] = set()
    for path in Path(bethink.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            function = ast.unparse(node.func)
            if function == "MissingExtra" and isinstance(node.args[1], ast.Constant):
                named.add(str(node.args[1].value))
            elif function == "install_extra":
                named |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
            elif function == "lazy_exports":
                for keyword in node.keywords:
                    named |= set(ast.literal_eval(keyword.value).values())
    assert {"story", "server", "postgres"} <= named
    assert {one for name in named for one in name.split(",")} <= extras


def test_the_readme_names_the_pythons_of_the_classifiers() -> None:
    of_classifiers = [
        found[1]
        for line in project()["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    ]
    assert project()["requires-python"] == f">={of_classifiers[0]}"
    *first, last = of_classifiers
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"tested with {', '.join(first)} and {last}" in readme
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in of_classifiers


def test_what_is_not_published_yet_is_marked_so() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (paragraph,) = [part for part in readme.split("\n\n") if "uvx" in part]
    assert paragraph.startswith("Once it is published")
    assert f"`uvx {DISTRIBUTION} demo`" in paragraph
    assert f"`pip install {DISTRIBUTION}`" in paragraph
