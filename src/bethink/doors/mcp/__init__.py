"""MCP: the memory as tools, resources and a prompt, over stdio or HTTP. Like every door it
translates and never decides; whoever may do what is said by the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "build_server",
    "mount_mcp",
    "serve_stdio",
]

if TYPE_CHECKING:
    from bethink.doors.mcp.local import serve_stdio
    from bethink.doors.mcp.mounting import mount_mcp
    from bethink.doors.mcp.server import build_server
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.doors.mcp.local": "serve_stdio",
            "bethink.doors.mcp.mounting": "mount_mcp",
            "bethink.doors.mcp.server": "build_server",
        },
        extras={"bethink.doors.mcp.mounting": "mcp,server", "bethink.doors.mcp.server": "mcp"},
    )
