"""Draw the pictures of docs/idea.md and others: python examples/pictures.py [FOLDER]."""

import sys
from collections.abc import Iterator
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

import causalassay as ca
from causalassay.seeding import stream

SCHEMES = {"scm": "raw", "standardized": "standardised", "iscm": "iSCM", "uumc": "UUMC"}
COLOURS = ["#D55E00", "#E69F00", "#0072B2", "#009E73"]  # Okabe and Ito's, safe for the colour-blind
ALGORITHMS = ["var-sortnregress", "r2-sortnregress", "random-sortnregress", "golem-ev", "ges"]
N_NODES, N_SAMPLES = 20, 1000
WIDTH, HEIGHT = 420, 220


def main() -> None:
    """Write the pictures and print the numbers that the page quotes."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    moments = along_the_order()
    found = scores()
    pictures = {
        "variance": variance_picture(moments),
        "r2": r2_picture(moments),
        "scores": score_picture(found),
        "discrete": entropy_picture(entropies_along_the_order()),
    }
    for name, chart in pictures.items():
        (folder / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(chart.to_json()) + "\n")
    example = ca.graphs.erdos_renyi(10, 1.5, np.random.default_rng(0))
    svg = ca.graphs.show(example, [f"x{k}" for k in range(10)])._repr_svg_()
    (folder / "graph.svg").write_text(svg + "\n")
    print(means(found).to_string())


def along_the_order(n_graphs: int = 400) -> pd.DataFrame:
    """Return medians over graphs of the exact variance and R², by place in the causal order."""
    rows = []
    for replicate in range(n_graphs):
        for kind, model in _models(replicate):
            order = ca.graphs.topological_order(model.graph)
            columns = {"variance": model.covariance().diagonal()[order], "r2": model.r2()[order]}
            places = {"scheme": SCHEMES[kind], "place": np.arange(N_NODES) + 1}
            rows.append(pd.DataFrame(columns | places))
    return pd.concat(rows).groupby(["scheme", "place"], sort=False).median().reset_index()


def scores(n_graphs: int = 20) -> pd.DataFrame:
    """Return the F1 of each algorithm on each graph under each scheme."""
    rows = []
    for replicate in range(n_graphs):
        for kind, model in _models(replicate):
            values = model.sample(N_SAMPLES, stream(1, "values", replicate))
            for name in ALGORITHMS:
                guess = ca.discover(name, values, stream(1, "discovery", replicate))
                f1 = ca.metrics.f1(model.graph, guess.graph)
                rows.append({"algorithm": name, "scheme": SCHEMES[kind], "f1": f1})
    return pd.DataFrame(rows)


def means(found: pd.DataFrame) -> pd.DataFrame:
    """Return the mean scores, an algorithm a row and a scheme a column."""
    table = found.pivot_table("f1", "algorithm", "scheme", sort=False)
    return table.loc[ALGORITHMS, list(SCHEMES.values())].round(2)


def _models(replicate: int) -> Iterator[tuple[str, ca.models.LinearSCM]]:
    """Yield the four schemes on one graph, from the same stream."""
    graph = ca.graphs.erdos_renyi(N_NODES, 2, stream(1, "graph", replicate))
    for kind in SCHEMES:
        yield kind, ca.models.draw(kind, graph, stream(1, "model", replicate))


def variance_picture(moments: pd.DataFrame) -> alt.Chart:
    """Return the variance along the causal order: it grows in raw data only."""
    y = alt.Y(
        "variance",
        scale=alt.Scale(type="log", domain=[1, 300]),
        title="variance (median, log scale)",
    )
    return _lines(moments[moments["scheme"].isin(["raw", "iSCM"])], y, ["raw", "iSCM"])


def r2_picture(moments: pd.DataFrame) -> alt.Chart:
    """Return R² along the causal order, which standardising leaves as it is."""
    y = alt.Y("r2", scale=alt.Scale(zero=False), title="R² on all other variables (median)")
    shown = moments[moments["scheme"] != "raw"].replace("standardised", "raw and standardised")
    return _lines(shown, y, ["raw and standardised", "iSCM", "UUMC"])


def _lines(moments: pd.DataFrame, y: alt.Y, schemes: list[str]) -> alt.Chart:
    colours = [COLOURS[0 if "raw" in name else 2 if name == "iSCM" else 3] for name in schemes]
    scheme = alt.Color("scheme", sort=schemes, scale=alt.Scale(domain=schemes, range=colours))
    chart = alt.Chart(moments).mark_line(point=True)
    return _styled(
        chart.encode(
            x=alt.X(
                "place", title="place in the causal order", scale=alt.Scale(domain=[1, N_NODES])
            ),
            y=y,
            color=scheme.title(None),
            shape=_shape(schemes),
        )
    )


def score_picture(found: pd.DataFrame) -> alt.LayerChart:
    """Return the mean F1 with 95 % limits, algorithms in rows and schemes by colour."""
    groups = found.groupby(["algorithm", "scheme"])["f1"]
    table = pd.DataFrame({"mean": groups.mean(), "error": 1.96 * groups.sem()}).reset_index()
    table["low"], table["high"] = table["mean"] - table["error"], table["mean"] + table["error"]
    schemes = list(SCHEMES.values())
    base = alt.Chart(table).encode(
        y=alt.Y("algorithm", sort=ALGORITHMS, title=None),
        yOffset=alt.YOffset("scheme", sort=schemes),
        color=alt.Color(
            "scheme", sort=schemes, scale=alt.Scale(domain=schemes, range=COLOURS), title=None
        ),
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("mean", title="F1 of the true edges", scale=alt.Scale(domain=[0, 1])),
        shape=_shape(schemes),
    )
    limits = base.mark_rule().encode(x="low", x2="high")
    return _styled((limits + points).properties(height=40 * len(ALGORITHMS)))


def entropies_along_the_order(n_graphs: int = 400) -> pd.DataFrame:
    """Return the mean exact entropy of three ways to draw tables, by place in the causal order."""
    kinds = {
        "Dirichlet, 2 levels": ("dirichlet", {"levels": 2}),
        "Dirichlet, 3 levels": ("dirichlet", {"levels": 3}),
        "logistic": ("logistic", {}),
    }
    rows = []
    for replicate in range(n_graphs):
        graph = ca.graphs.erdos_renyi(14, 1, stream(1, "discrete graph", replicate))
        order = ca.graphs.topological_order(graph)
        for name, (kind, parameters) in kinds.items():
            rng = stream(1, "discrete model", replicate)
            model = ca.models.draw(kind, graph, rng, **parameters)
            laws = model.marginals().probabilities
            # As a share of the largest: the entropy of levels that are all alike.
            shares = [-(law @ np.log(law)) / np.log(len(law)) for law in laws]
            places = {"kind": name, "place": np.arange(14) + 1}
            rows.append(pd.DataFrame({"entropy": np.array(shares)[order]} | places))
    return pd.concat(rows).groupby(["kind", "place"], sort=False).mean().reset_index()


def entropy_picture(moments: pd.DataFrame) -> alt.Chart:
    """Return the entropy along the causal order: tables give the order away too."""
    kinds = list(dict.fromkeys(moments["kind"]))
    colours = [COLOURS[k] for k in (0, 1, 2)]
    chart = alt.Chart(moments).mark_line(point=True)
    return _styled(
        chart.encode(
            x=alt.X("place", title="place in the causal order", scale=alt.Scale(domain=[1, 14])),
            y=alt.Y(
                "entropy",
                scale=alt.Scale(zero=False),
                title="entropy, share of the largest (mean)",
            ),
            color=alt.Color("kind", sort=kinds, title=None).scale(domain=kinds, range=colours),
            shape=alt.Shape("kind", sort=kinds, title=None).scale(domain=kinds),
        )
    )


def _shape(schemes: list[str]) -> alt.Shape:
    return alt.Shape("scheme", sort=schemes, scale=alt.Scale(domain=schemes), title=None)


def _styled(chart: alt.Chart) -> alt.Chart:
    if chart.height is alt.Undefined:
        chart = chart.properties(height=HEIGHT)
    return (
        chart.properties(width=WIDTH)
        .configure(background="white", font="sans-serif")
        .configure_axis(labelFontSize=12, titleFontSize=12)
        .configure_legend(labelFontSize=12, orient="bottom", symbolSize=80)
        .configure_view(stroke=None)
    )


if __name__ == "__main__":
    main()
