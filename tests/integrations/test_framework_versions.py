"""An adapter says which version of its framework it was read against, before it imports any other."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from remanence import integrations
from remanence.core.errors import ExtensionError, NotFound
from remanence.integrations.framework_versions import require_framework


def test_a_framework_that_is_not_installed_is_named_with_its_extra() -> None:
    """The error names the extra that brings it."""
    with pytest.raises(NotFound, match="no-such-framework is not installed") as caught:
        require_framework("no-such-framework", "1", "langgraph")
    assert "remanence[langgraph]" in caught.value.recovery


@pytest.mark.parametrize("installed", ["4.30", "4.2.9", "5.3.0", "14.3"])
def test_another_version_is_refused_with_both_versions(
    installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the version that is here and the one that was read."""
    monkeypatch.setattr("remanence.integrations.framework_versions.version", lambda _: installed)
    with pytest.raises(ExtensionError, match=f"{installed}; this adapter was written for 4.3") as caught:
        require_framework("framework", "4.3", "langgraph")
    assert caught.value.extension == "framework"


@pytest.mark.parametrize("installed", ["4.3", "4.3.0", "4.3.17", "4.3.2.post1"])
def test_any_version_of_the_series_will_do(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later patch of a series is taken."""
    monkeypatch.setattr("remanence.integrations.framework_versions.version", lambda _: installed)
    require_framework("framework", "4.3", "langgraph")


ADAPTERS = sorted(
    path.stem
    for path in Path(integrations.__path__[0]).glob("*.py")
    if "\nrequire_framework(" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", ADAPTERS)
def test_each_adapter_refuses_another_version_before_it_imports_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imported where another version is installed, it says which one it was written for, and how to get that."""
    module = f"remanence.integrations.{name}"
    monkeypatch.setattr("remanence.integrations.framework_versions.version", lambda _: "99.1")
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(
        ExtensionError, match=r"is of version 99\.1; this adapter was written for \d"
    ) as caught:
        import_module(module)

    assert "pip install 'remanence[" in caught.value.recovery


def test_there_are_adapters() -> None:
    """The list above is not empty."""
    assert {"anthropic_memory", "llamaindex", "openai_agents", "pydantic_ai"} <= {*ADAPTERS}
