"""The public names, and that every one of them is there."""

from __future__ import annotations

import pytest

import bethink


def test_public_names() -> None:
    assert sorted(bethink.__all__) == [
        "Action",
        "Check",
        "Engine",
        "EngineStatus",
        "Event",
        "Hit",
        "Memory",
        "MemoryRetrievalNode",
        "Passage",
        "Query",
        "Receipt",
        "BethinkError",
        "Recollection",
        "Revision",
        "SpaceInfo",
        "Status",
        "Step",
        "Trace",
        "__version__",
    ]
    for name in bethink.__all__:
        assert getattr(bethink, name) is not None


def test_the_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert bethink.__version__ == version("bethink")


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'recal'"):
        _ = bethink.recal


def test_errors_have_codes_of_their_own() -> None:
    from bethink import errors

    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.BethinkError)
    ]
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(1 <= kind.exit_code <= 7 for kind in kinds)
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in kinds)
