"""Reliability curves of the relevance: the share of right candidates, by the relevance they got.

A curve on the diagonal is calibrated; above it the relevance is too low, below it too high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.relevance.gather import Asked
from benchmarks.relevance.measure import ON, Judge, calibration_error, reliability

# One curve for each: a title, how the names of its sets begin, and how they end.
GROUPS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("spaces of 2 memories", ("judging",), "_2"),
    ("spaces of 8 memories", ("judging",), "_8"),
    ("judging sets, half b (never fitted on)", ("judging_b",), ""),
    ("judging sets, half a", ("judging_a",), ""),
    ("short facts", ("parallel",), ""),
    ("documents", ("cmrc", "drcd"), ""),
    ("talk between people", ("friendsqa", "locomo"), ""),
    ("talk with an assistant", ("lme", "memorybank", "realmem"), ""),
)
OTHERS = "other sets"
_FEWEST = 20  # candidates in a bin; a share of fewer says little


def grouped(asked: Mapping[str, Sequence[Asked]]) -> dict[str, list[Asked]]:
    """The questions of each group, in the order of `GROUPS`. The first that fits takes a set."""
    found: dict[str, list[Asked]] = {title: [] for title in (*(g[0] for g in GROUPS), OTHERS)}
    for name, questions in asked.items():
        title = next(
            (
                title
                for title, start, end in GROUPS
                if name.startswith(start) and name.endswith(end)
            ),
            OTHERS,
        )
        found[title].extend(questions)
    return {title: questions for title, questions in found.items() if questions}


def plot(asked: Mapping[str, Sequence[Asked]], judge: Judge, path: Path) -> None:
    """Draw the curves of all questions, and of those that have an answer in the space."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9, 4.4), sharey=True, layout="constrained")
    groups = grouped(asked)
    answerable = {
        title: [one for one in questions if one.kind in ON] for title, questions in groups.items()
    }
    for axes, title, shown in (
        (panels[0], "all questions, also those without an answer", groups),
        (panels[1], "questions that have an answer", answerable),
    ):
        axes.plot((0, 1), (0, 1), color="0.6", linewidth=1, linestyle="--", label="calibrated")
        for (group, questions), marker in zip(shown.items(), "ov^Dsx+*P", strict=False):
            bins = [one for one in reliability(questions, judge) if one.candidates >= _FEWEST]
            axes.plot(
                [one.said for one in bins], [one.right for one in bins], label=group,
                marker=marker, markersize=4, linewidth=2.2 if "never fitted" in group else 1.1,
            )  # fmt: skip
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("mean relevance of the bin")
        axes.grid(visible=True, alpha=0.25)
    panels[0].set_ylabel("share of the candidates that was right")
    panels[1].legend(fontsize=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80, pil_kwargs={"optimize": True})
    pyplot.close(figure)


def report(asked: Mapping[str, Sequence[Asked]], judge: Judge) -> None:
    """Print the calibration of each group. Most candidates have a relevance below .1, rightly, and
    keep the ECE small; the last two columns leave them out."""
    print("\n| group | ECE | candidates below .1 | ECE from .1 | relevance minus share, from .1 |")
    print("|---|---|---|---|---|")
    for title, questions in grouped(asked).items():
        bins = reliability(questions, judge)
        upper = [one for one in bins if one.said >= 0.1]
        count = max(sum(one.candidates for one in upper), 1)
        total = sum(one.candidates for one in bins)
        gap = sum(abs(one.said - one.right) * one.candidates for one in upper) / count
        signed = sum((one.said - one.right) * one.candidates for one in upper) / count
        error = calibration_error(questions, judge)
        print(f"| {title} | {error:.3f} | {1 - count / total:.2f} | {gap:.3f} | {signed:+.3f} |")
