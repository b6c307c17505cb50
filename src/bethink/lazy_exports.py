"""The public names of a package, each loaded when it is first used (PEP 562).

A hook starts the program at every turn of an agent, so a package must not import all its modules to
export their names. A package's `__init__` names them three times, and `tests/test_public_names.py`
checks that the three agree:

    __all__ = ["PostgresStore", "Store"]

    if TYPE_CHECKING:  # what type checkers and editors read
        from bethink.stores.postgres.store import PostgresStore
        from bethink.stores.protocol import Store
    else:  # what runs
        __getattr__, __dir__ = lazy_exports(
            __name__,
            {"bethink.stores.postgres.store": "PostgresStore", "bethink.stores.protocol": "Store"},
            extras={"bethink.stores.postgres.store": "postgres"},
        )

`__getattr__` is hidden from type checkers on purpose: with it they would accept any name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from bethink.errors import MissingExtra


def lazy_exports(
    package: str, names: Mapping[str, str], *, extras: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package that has set its `__all__`.

    `names` maps a module to the names that the package exports from it, separated by spaces.
    `extras` maps a module to the extra that it needs. Without that extra its names raise
    `MissingExtra`, and `from package import *` leaves them out.
    """
    module_of = {name: module for module, listed in names.items() for name in listed.split()}
    needs = extras or {}
    namespace = vars(sys.modules[package])
    # Removed from the module: `get` is then asked for it, and leaves out what cannot be loaded.
    declared: list[str] = namespace.pop("__all__") if needs else []

    def load(name: str) -> object:
        module = module_of[name]
        try:
            return getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if module not in needs or (error.name or "").startswith("bethink"):
                raise
            raise MissingExtra(f"{package}.{name}", needs[module]) from error

    def is_installed(name: str) -> bool:
        try:
            load(name)
        except MissingExtra:
            return False
        return True

    def get(name: str) -> object:
        if name == "__all__" and needs:
            return [n for n in declared if module_of.get(n) not in needs or is_installed(n)]
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = load(name)  # from now on found without this function
        return value

    def list_names() -> list[str]:
        return sorted({*namespace, *module_of, *declared})

    return get, list_names
