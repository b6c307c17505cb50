from tests.contract.conftest import quick_path

__all__ = ["quick_path"]
