"""The page of an evaluation: the headline, the pictures, then every number."""

from __future__ import annotations

from importlib.metadata import version

from causalassay.factorial import Evaluation
from causalassay.factorial import score_texts as texts
from causalassay.factorial.truth import ALPHA
from causalassay.report.audit_page.parts import page
from causalassay.report.domain_page.pictures import effect_picture, score_picture
from causalassay.report.page.elements import folded, pairs, section, table
from causalassay.report.page.markup import Html, tag


def domain_page(name: str, result: Evaluation, command: str, date: str) -> Html:
    """Return the page; no name in it can be more than text.

    Parameters
    ----------
    name : str
        Of the experiment.
    result : Evaluation
    command : str
        The command line that made it.
    date : str
    """
    return page(
        f"{name}: algorithms on a real experiment",
        tag("h1", f"{name}: algorithms on a real experiment"),
        tag("p", result.headline, class_="headline"),
        tag("p", texts.about(result), class_="rate"),
        *(tag("p", f"Note: {note}", class_="aside") for note in texts.double_notes(result)),
        _pictures(result),
        _scores(result),
        _rankings(result),
        _specifications(result),
        *_look_alikes(result),
        _effects(result),
        _made(result, command, date),
    )


def _pictures(result: Evaluation) -> Html:
    drawn = {measure: score_picture(result, measure) for measure in ("TV", "SHD", "SID")}
    drawn["effects"] = effect_picture(result)
    figures = (tag("figure", Html(one), id=f"picture-{key}") for key, one in drawn.items())
    return tag("div", *figures, class_="pictures")


def _scores(result: Evaluation) -> Html:
    caption = (
        "Means over repeats with 95 % intervals; smaller is better. SHD and SID are distances "
        "from the consistent graph, TV from the laws that the experiment shows."
    )
    scored = table("scores", caption, texts.SCORE_HEADS, texts.score_table(result.rows))
    return section("score-section", "Scores", scored, pairs(texts.notes(result.rows)))


def _rankings(result: Evaluation) -> Html:
    items = (tag("li", sentence) for sentence in result.sentences)
    return section("rankings", "What the measures say", tag("ul", *items))


def _specifications(result: Evaluation) -> Html:
    caption = (
        "The consistent graph with one treatment's edges changed. Minimum, median and maximum "
        "over treatments, means over repeats."
    )
    rows = texts.specification_table(result.specifications)
    summary = table("specifications", caption, texts.SPECIFICATION_HEADS, rows)
    heads = ("treatment", *texts.SPECIFICATION_HEADS)
    each = table(
        "by-treatment",
        "The same for each treatment, with 95 % intervals.",
        heads,
        texts.by_treatment_table(result.specifications),
    )
    return section(
        "specification", "Too many and too few edges", summary, folded("Each treatment", each)
    )


def _look_alikes(result: Evaluation) -> list[Html]:
    if not result.look_alikes:
        return []
    caption = (
        "Means over the algorithms. Out-degree: outcomes on which each treatment acts. Last "
        "column: above 0 the real experiment is harder."
    )
    rows = texts.look_alike_table(result.look_alikes)
    return [
        section(
            "look-alikes",
            "Synthetic experiments of the same size",
            table("synthetic", caption, texts.LOOK_ALIKE_HEADS, rows),
            *(tag("p", one) for one in texts.look_alike_sentences(result.look_alikes)),
        )
    ]


def _effects(result: Evaluation) -> Html:
    truth = result.truth
    own = truth.experiment
    rows = [
        (
            treatment,
            outcome,
            f"{truth.effects[j, k]:.3f}",
            f"{truth.p_values[j, k]:.2g}",
            "yes" if truth.p_values[j, k] <= ALPHA else "no evidence",
        )
        for j, treatment in enumerate(own.treatments)
        for k, outcome in enumerate(own.outcomes)
    ]
    caption = (
        "TV between the laws under the last and the first level. P-values: tests within "
        f"subjects, corrected by Holm; below {ALPHA:g} the consistent graph has the edge."
    )
    heads = ("treatment", "outcome", "TV", "p-value", "moved")
    return section(
        "effects", "Effects", folded("Table", table("effect-table", caption, heads, rows))
    )


def _made(result: Evaluation, command: str, date: str) -> Html:
    own, settings = result.truth.experiment, result.truth.settings
    chosen = "; ".join(f"{key}: {value}" for key, value in vars(settings).items())
    stated = {
        "version": f"causalassay {version('causalassay')}",
        "command": command,
        "date": date,
        "seed": str(result.seed),
        "settings": f"{chosen}; repeats: {result.repeats}",
        "levels": "; ".join(
            f"{name}: {', '.join(scale.names)}" for name, scale in result.truth.scales.items()
        ),
    }
    if own.left_out:
        stated["left out"] = f"{len(own.left_out)} subjects that lack a combination"
    stated |= {f"experiment: {key}": str(value) for key, value in own.provenance.items()}
    return section("provenance", "Provenance", pairs(stated))
