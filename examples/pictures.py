"""Draw the pictures of the documentation: python examples/pictures.py [FOLDER]."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

import causalassay as ca
from causalassay.common.seeding import stream
from causalassay.present.colours import MIDDLE, light

SCHEMES = {"scm": "raw", "standardized": "standardised", "iscm": "iSCM", "uumc": "UUMC"}
COLOURS = light("vermillion", "orange", "blue", "green")
PAPER, FRAME = light("paper", "faint")
ALGORITHMS = ["var-sortnregress", "r2-sortnregress", "random-sortnregress", "golem-ev", "ges"]
N_NODES, N_SAMPLES = 20, 1000
WIDTH, HEIGHT = 420, 220


def main() -> None:
    """Write the pictures and print the numbers that the page quotes."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    moments = along_the_order()
    f1_scores = scores()
    pictures = {
        "variance": variance_picture(moments),
        "r2": r2_picture(moments),
        "scores": score_picture(f1_scores),
        "identified": identified_picture(identified_shares()),
        "nonlinear": nonlinear_picture(),
        "series": series_picture(),
        "discrete": entropy_picture(entropies_along_the_order()),
    }
    for name, chart in pictures.items():
        (folder / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(chart.to_json()) + "\n")
    example = ca.graphs.erdos_renyi(10, 1.5, np.random.default_rng(0))
    svg = ca.drawing.show(example, [f"x{k}" for k in range(10)])._repr_svg_()
    (folder / "graph.svg").write_text(svg + "\n")
    print(means(f1_scores).to_string())


def along_the_order(n_graphs: int = 400) -> pd.DataFrame:
    """Return medians over graphs of the exact variance and R², by position in the causal order."""
    rows = []
    for replicate in range(n_graphs):
        for kind, model in _models(replicate):
            order = ca.graphs.topological_order(model.graph)
            columns = {"variance": model.covariance().diagonal()[order], "r2": model.r2()[order]}
            labels = {"scheme": SCHEMES[kind], "position": np.arange(N_NODES) + 1}
            rows.append(pd.DataFrame(columns | labels))
    return pd.concat(rows).groupby(["scheme", "position"], sort=False).median().reset_index()


def scores(n_graphs: int = 150, algorithms: Sequence[str] = ALGORITHMS) -> pd.DataFrame:
    """Return the F1 of each algorithm on each graph under each scheme."""
    rows = []
    for replicate in range(n_graphs):
        for kind, model in _models(replicate):
            values = model.sample(N_SAMPLES, stream(1, "values", replicate))
            for name in algorithms:
                settings = {"penalty_discount": 1.0} if name == "ges" else {}  # of the BIC
                guess = ca.discover(name, values, stream(1, "discovery", replicate), **settings)
                f1 = ca.metrics.f1(model.graph, guess.graph)
                rows.append({"algorithm": name, "scheme": SCHEMES[kind], "f1": f1})
    return pd.DataFrame(rows)


def means(f1_scores: pd.DataFrame) -> pd.DataFrame:
    """Return the mean scores, one row per algorithm and one column per scheme."""
    table = f1_scores.pivot_table("f1", "algorithm", "scheme", sort=False)
    known = [name for name in ALGORITHMS if name in table.index]
    return table.loc[known, list(SCHEMES.values())].round(2)


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
    relabelled = moments[moments["scheme"] != "raw"].replace("standardised", "raw and standardised")
    return _lines(relabelled, y, ["raw and standardised", "iSCM", "UUMC"])


def _lines(moments: pd.DataFrame, y: alt.Y, schemes: list[str]) -> alt.Chart:
    colours = [COLOURS[0 if "raw" in name else 2 if name == "iSCM" else 3] for name in schemes]
    scheme = alt.Color("scheme", sort=schemes, scale=alt.Scale(domain=schemes, range=colours))
    chart = alt.Chart(moments).mark_line(point=True)
    return _styled(
        chart.encode(
            x=alt.X(
                "position", title="place in the causal order", scale=alt.Scale(domain=[1, N_NODES])
            ),
            y=y,
            color=scheme.title(None),
            shape=_shape(schemes),
        )
    )


def score_picture(f1_scores: pd.DataFrame) -> alt.LayerChart:
    """Return the mean F1 with 95 % limits, algorithms in rows and schemes by colour."""
    groups = f1_scores.groupby(["algorithm", "scheme"])["f1"]
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


def identified_shares(n_trees: int = 200) -> pd.DataFrame:
    """Return the mean share of a tree's edges that the least weight directs, beyond the CPDAG."""
    rows = []
    for least in np.linspace(0.1, 1.9, 19).round(1):
        for replicate in range(n_trees):
            tree = ca.graphs.forest(N_NODES, stream(1, "tree", replicate))
            cpdag = ca.graphs.to_cpdag(tree)
            for scheme in ("standardized", "iscm"):
                rng = stream(1, "weights", replicate)
                model = ca.models.draw(scheme, tree, rng, weights=(least, 2.0))
                known = ca.diagnostics.identified_edges(model.covariance(), cpdag, least, scheme)
                share = (known & ~known.T).sum() / tree.sum()
                rows.append({"least": least, "scheme": SCHEMES[scheme], "share": share})
    return pd.DataFrame(rows).groupby(["least", "scheme"], sort=False).mean().reset_index()


def identified_picture(shares: pd.DataFrame) -> alt.Chart:
    """Return the share of directed edges against the bound: none in an iSCM, whatever it is."""
    schemes = [SCHEMES["standardized"], SCHEMES["iscm"]]
    colours = alt.Scale(domain=schemes, range=COLOURS[1:3])
    return _styled(
        alt.Chart(shares)
        .mark_line(point=True)
        .encode(
            x=alt.X("least", title="least magnitude b of the weights, drawn from ±(b, 2)"),
            y=alt.Y("share", title="share of edges directed", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("scheme", sort=schemes, scale=colours, title=None),
            shape=_shape(schemes),
        )
    )


def nonlinear_picture(n_draws: int = 3, n_points: int = 30) -> alt.FacetChart:
    """Return functions of one parent for each mechanism, and rows of the first draw."""
    table = pd.concat(
        _functions_of(name, draw, n_points)
        for name in ca.models.mechanisms.FAMILIES
        for draw in range(n_draws)
    )
    base = alt.Chart(table).encode(
        x=alt.X("cause", title="cause"),
        y=alt.Y("effect", title="effect", scale=alt.Scale(zero=False)),
        color=alt.Color("draw:N", legend=None, scale=alt.Scale(range=COLOURS)),
    )
    lines = base.transform_filter("datum.what == 'function'").mark_line(strokeWidth=1.5)
    points = base.transform_filter("datum.what == 'row'").mark_point(size=12, opacity=0.7)
    return (
        (lines + points)
        .properties(width=170, height=120)
        .facet(alt.Facet("mechanism", title=None, header=alt.Header(labelFontSize=13)), columns=3)
        .resolve_scale(y="independent")
        # Without a label for each point: they were half of the file, and the page says it in words.
        .configure(background=PAPER, font="sans-serif", aria=False)
        .configure_view(stroke=FRAME)
    )


def _functions_of(mechanism: str, draw: int, n_points: int) -> pd.DataFrame:
    """Return a drawn function on a grid; of the first draw also rows with their noise."""
    rng = stream(3, "nonlinear", mechanism, draw)
    model = ca.models.draw("scm", ca.graphs.chain(2), rng, mechanism=mechanism)
    grid = np.linspace(-3, 3, 49)
    curve = model.signal(1, np.vstack([grid, grid]))
    parts = [pd.DataFrame({"cause": grid, "effect": curve, "what": "function"})]
    if draw == 0:
        rows = model.sample(n_points, rng)
        parts.append(pd.DataFrame({"cause": rows[:, 0], "effect": rows[:, 1], "what": "row"}))
    return pd.concat(parts).round(3).assign(mechanism=mechanism, draw=draw)


def series_picture() -> alt.HConcatChart:
    """Return a lagged graph unrolled in time, and its series around an intervention."""
    links = np.zeros((3, 3, 3), dtype=bool)
    links[0, 0, 1] = links[1, 1, 2] = links[2, 1, 0] = links[1, 0, 0] = links[1, 2, 2] = True
    graph = ca.graphs.LaggedGraph(links)
    model = ca.models.draw("uumc", graph, stream(5, "series"), mechanism="var")
    acts = (ca.models.At(ca.models.Do(0, 3.0), 20, 40),)
    paths = [model.sample(60, stream(5, "values"), acts), model.mean_path(60, acts)]
    chart = alt.hconcat(_unrolled(graph), _around(paths, 20, 40), spacing=30)
    return (
        chart.configure(background=PAPER, font="sans-serif")
        .configure_axis(labelFontSize=12, titleFontSize=12)
        .configure_view(stroke=None)
    )


def _unrolled(graph: ca.graphs.LaggedGraph) -> alt.LayerChart:
    """Draw each link once, from the step it comes from to now."""
    rows = []
    for lag, cause, effect in np.argwhere(graph.links).tolist():
        run, rise = float(lag), float(cause - effect)
        length = np.hypot(run, rise)
        # Lines keep clear of the nodes; the arrow's angle is on the screen, 90 by 100 pixels.
        start, stop = 0.16 / length, 1 - 0.2 / length
        rows.append(
            {
                "x": run * start - lag,
                "x2": run * stop - lag,
                "y": -cause + rise * start,
                "y2": -cause + rise * stop,
                "angle": 90 - np.degrees(np.arctan2(100 * rise, 90 * run)),
                "colour": COLOURS[2] if cause != effect else MIDDLE,
            }
        )
    table = pd.DataFrame(rows)
    nodes = pd.DataFrame(
        [{"x": -lag, "y": -node, "name": f"x{node}"} for lag in range(3) for node in range(3)]
    )
    steps = alt.Axis(values=[-2, -1, 0], labelExpr=_STEPS, grid=False)
    x = alt.X("x", axis=steps, title=None)
    y = alt.Y("y", axis=None, scale=alt.Scale(domain=[-2.3, 0.3]))
    colour = alt.Color("colour", scale=None)
    lines = alt.Chart(table).mark_rule(strokeWidth=2).encode(x, y, x2="x2", y2="y2", color=colour)
    heads = (
        alt.Chart(table)
        .mark_point(shape="triangle", filled=True, size=70, opacity=1)
        .encode(
            alt.X("x2", axis=steps, title=None),
            alt.Y("y2", axis=None, scale=alt.Scale(domain=[-2.3, 0.3])),
            alt.Angle("angle", scale=None),
            color=colour,
        )
    )
    dots = alt.Chart(nodes).mark_point(size=700, filled=True, opacity=1, color="#E8E8E8")
    names = alt.Chart(nodes).mark_text(fontSize=13).encode(x, y, text="name")
    whole = alt.layer(dots.encode(x, y), lines, heads, names)
    return whole.properties(width=200, height=260, title="what acts on what, and how late")


_TALL = alt.Scale(domain=[-4, 4])
_THREE = alt.Axis(values=[-3, 0, 3], labelOverlap=False)
_STEPS = "datum.value == 0 ? 't' : 't \u2212 ' + (-datum.value)"


def _around(paths: list[np.ndarray], start: int, stop: int) -> alt.VConcatChart:
    """Draw each process: what was sampled, and the exact mean as a dashed line."""
    charts = []
    for node in range(paths[0].shape[1]):
        table = pd.DataFrame(
            {"step": np.arange(60), "sampled": paths[0][:, node], "mean": paths[1][:, node]}
        )
        x = alt.X("step", title="step" if node == 2 else None, axis=alt.Axis(grid=False))
        band = alt.Chart(pd.DataFrame([{"start": start, "stop": stop - 1}]))
        base = alt.Chart(table).encode(x)
        y = alt.Y("sampled", title=f"x{node}", scale=_TALL, axis=_THREE)
        layers = alt.layer(
            band.mark_rect(color="#F3E3D3").encode(x="start", x2="stop"),
            base.mark_line(color=COLOURS[2]).encode(y),
            base.mark_line(color=COLOURS[0], strokeDash=[5, 3]).encode(y="mean"),
        )
        charts.append(layers.properties(width=330, height=75))
    title = "x0 is set to 3 in the shaded steps; dashed: the exact mean"
    return alt.vconcat(*charts, spacing=8).properties(title=title)


def entropies_along_the_order(n_graphs: int = 400) -> pd.DataFrame:
    """Return the mean exact entropy of three kinds of tables, by position in the causal order."""
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
            labels = {"kind": name, "position": np.arange(14) + 1}
            rows.append(pd.DataFrame({"entropy": np.array(shares)[order]} | labels))
    return pd.concat(rows).groupby(["kind", "position"], sort=False).mean().reset_index()


def entropy_picture(moments: pd.DataFrame) -> alt.Chart:
    """Return the entropy along the causal order: tables give the order away too."""
    kinds = list(dict.fromkeys(moments["kind"]))
    colours = [COLOURS[k] for k in (0, 1, 2)]
    chart = alt.Chart(moments).mark_line(point=True)
    return _styled(
        chart.encode(
            x=alt.X("position", title="place in the causal order", scale=alt.Scale(domain=[1, 14])),
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
        .configure(background=PAPER, font="sans-serif")
        .configure_axis(labelFontSize=12, titleFontSize=12)
        .configure_legend(labelFontSize=12, orient="bottom", symbolSize=80)
        .configure_view(stroke=None)
    )


if __name__ == "__main__":
    main()
