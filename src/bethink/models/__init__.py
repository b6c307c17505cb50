"""The files of local models: how they are got, and the check of their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = ["Download", "ModelFile", "is_ready", "pull", "pull_from_hub", "verify"]

if TYPE_CHECKING:
    from bethink.models.files import Download, ModelFile, is_ready, verify
    from bethink.models.hub import pull_from_hub
    from bethink.models.pulling import pull
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.models.files": "Download ModelFile is_ready verify",
            "bethink.models.hub": "pull_from_hub",
            "bethink.models.pulling": "pull",
        },
    )
