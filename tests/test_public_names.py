"""The public names, and that every one of them is there."""

from __future__ import annotations

import pytest

import recollect


def test_public_names() -> None:
    assert sorted(recollect.__all__) == [
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
        "RecollectError",
        "Recollection",
        "Revision",
        "SpaceInfo",
        "Status",
        "Step",
        "Trace",
        "__version__",
    ]
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None


def test_the_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert recollect.__version__ == version("recollect")


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'recal'"):
        _ = recollect.recal


def test_errors_have_codes_of_their_own() -> None:
    from recollect import errors

    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.RecollectError)
    ]
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(1 <= kind.exit_code <= 7 for kind in kinds)
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in kinds)
