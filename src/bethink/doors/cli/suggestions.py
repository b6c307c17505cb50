"""The message for a command that does not exist, with the command that was probably meant."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from bethink.checks import shown

# Words that other programs use for a command of ours, in English and in Chinese.
_SYNONYMS = {
    "add": "remember",
    "save": "remember",
    "store": "remember",
    "记住": "remember",
    "记录": "remember",
    "添加": "remember",
    "search": "recall",
    "find": "recall",
    "query": "recall",
    "回忆": "recall",
    "搜索": "recall",
    "查询": "recall",
    "查找": "recall",
    "show": "get",
    "查看": "get",
    "显示": "get",
    "ls": "list",
    "列出": "list",
    "列表": "list",
    "edit": "revise",
    "update": "revise",
    "修改": "revise",
    "更新": "revise",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "忘记": "forget",
    "删除": "forget",
    "历史": "history",
    "提问": "ask",
    "问": "ask",
    "check": "doctor",
    "检查": "doctor",
    "初始化": "init",
    "setup": "init",
    "安装": "install",
    "卸载": "uninstall",
    "设置": "config",
    "settings": "config",
    "状态": "status",
    "导出": "export",
    "导入": "import",
    "晋升": "promote",
    "拒绝": "reject",
    "撤销": "undo",
    "恢复": "restore",
    "同步": "sync",
    "文档": "documents",
}
# 0.6 is difflib's default. It takes 'remeber' and 'recal'; it does not take 'foo' for anything.
_ALIKE = 0.6


def unknown_command(name: str, commands: Collection[str]) -> str:
    """Return the error message, with at most one suggestion."""
    meant = _SYNONYMS.get(name.casefold())
    if meant is None:
        near = get_close_matches(name.casefold(), commands, n=1, cutoff=_ALIKE)
        meant = near[0] if near else None
    if meant is None:
        return f"unknown command {shown(name)}"
    return f"unknown command {shown(name)}; did you mean {meant!r}?"
