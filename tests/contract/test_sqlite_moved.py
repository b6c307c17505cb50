"""A store whose file is taken away while it is open must not look like an empty one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from bethink.errors import StoreMissing
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory


@pytest.mark.parametrize("how", ["moved", "replaced"])
def test_a_file_that_is_gone_is_no_empty_store(quick_path: Path, how: str) -> None:
    path = quick_path / "s.db"
    with closing(SQLiteStore(path)) as store:
        store.put([make_entry(make_memory("小美喜欢深色主题 Mei likes dark mode", "m-1"))])
        path.rename(quick_path / "elsewhere.db")
        if how == "replaced":
            SQLiteStore(quick_path / "other.db").close()
            (quick_path / "other.db").rename(path)
        for work in (
            lambda: store.put([make_entry(make_memory("lost?", "m-2"))]),
            lambda: store.get(["m-1"]),
            store.spaces,
        ):
            with pytest.raises(StoreMissing, match="moved, removed or replaced"):
                work()
        assert path.exists() == (how == "replaced")
        if how == "moved":  # and put back
            (quick_path / "elsewhere.db").rename(path)
            assert store.get(["m-1"])[0] is not None
            store.put([make_entry(make_memory("found again 又在了", "m-3"))])
            assert store.count() == 2
