"""What an argument may be, as somebody types it: names of spaces, languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcp_types as types

from bethink.access.caller import Scope
from bethink.doors.mcp import prompts

if TYPE_CHECKING:
    from bethink.access.desk import Desk

_MOST = 100  # as the protocol says


def completed(desk: Desk, params: types.CompleteRequestParams) -> types.CompleteResult:
    known = _known(desk, params.ref, params.argument.name)
    fitting = [value for value in known if value.startswith(params.argument.value)]
    return types.CompleteResult(
        completion=types.Completion(
            values=fitting[:_MOST], total=len(fitting), has_more=len(fitting) > _MOST
        )
    )


def _known(
    desk: Desk, ref: types.ResourceTemplateReference | types.PromptReference, argument: str
) -> list[str]:
    if isinstance(ref, types.PromptReference):
        of_ours = ref.name == prompts.NAME and argument == "language"
        return list(prompts.LANGUAGES) if of_ours else []
    if argument != "space" or Scope.READ not in desk.caller.scopes:
        return []
    return sorted(space["name"] for space in desk.spaces())
