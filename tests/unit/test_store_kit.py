"""The distribution that proves stores goes with this version of the product."""

import tomllib
from pathlib import Path
from typing import Any

import remanence
from tests import KIT, ROOT


def _read_project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_kit_has_the_version_of_the_product_and_requires_it() -> None:
    """Its contract is that of the interface of one version."""
    kit = _read_project(KIT.parent)["project"]

    assert remanence.__version__ == kit["version"]
    assert f"remanence=={remanence.__version__}" in kit["dependencies"]


def test_the_kit_asks_for_no_more_than_the_tests_of_the_product() -> None:
    """Its bounds are those that `make lowest` tries, so that both can be installed together."""
    product, kit = _read_project(ROOT), _read_project(KIT.parent)
    known = {*product["project"]["dependencies"], *product["dependency-groups"]["dev"]}

    assert {f"remanence=={remanence.__version__}"} == {*kit["project"]["dependencies"]} - known


def test_the_kit_has_the_licence_of_the_product() -> None:
    """A wheel holds only files of its own folder."""
    assert (ROOT / "LICENSE").read_bytes() == (KIT.parent / "LICENSE").read_bytes()
