"use strict";

(() => {
  const views = {};
  // For whoever wants to look at a chart from the console, and for the tests.
  window.causalassay = { views, drawn: null };

  const byId = (name) => document.getElementById(name);

  // The figures' charts and data: JSON, compressed, written in letters and digits.
  async function unpacked(name) {
    const bytes = Uint8Array.from(atob(byId(name).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const figures = unpacked("figure-data");

  /* Charts: drawn as SVG, expressions interpreted, so that the page needs no eval. */

  const charts = [...document.querySelectorAll("[data-chart]")];
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  const widestChart = 900;
  const widestPanel = 320;
  const betweenHeadings = 6;

  // The width of the longest of some lines, in the font that this browser draws charts with.
  const pen = document.createElement("canvas").getContext("2d");
  function widthOf(lines, config) {
    pen.font = `${config.header.labelFontSize}px ${config.font}`;
    return Math.ceil(Math.max(0, ...lines.map((line) => pen.measureText(line).width)));
  }

  // How many names stand beside each other in a legend, its lines as even as can be.
  function legendColumns(names, room, config) {
    const symbol = 27;
    for (let lines = 1; lines <= names.length; lines += 1) {
      const columns = Math.ceil(names.length / lines);
      let wide = 0;
      for (let first = 0; first < columns; first += 1) {
        wide += symbol + widthOf(names.filter((_, i) => i % columns === first), config);
      }
      if (wide < room) return columns;
    }
    return 1;
  }

  // What `fitted` does in Python: one view takes the width there is, panels share it.
  function fitted(spec, room) {
    const width = Math.min(room, widestChart);
    const known = spec.usermeta?.panels;
    const low = spec.usermeta?.low;
    const height = low && innerWidth < low.below ? low.height : spec.height;
    if (!known) return { ...spec, width, height, autosize: { type: "fit-x", contains: "padding" } };
    const wraps = "columns" in spec;
    const free = width - known.margin - widthOf(known.labels, spec.config);
    const heading = widthOf(known.headings, spec.config) + betweenHeadings - known.gap;
    const fitting = Math.floor(free / (Math.max(known.narrowest, heading) + known.gap));
    const columns = wraps ? Math.max(1, Math.min(known.across, fitting)) : known.across;
    const share = Math.floor(free / columns) - known.gap;
    const panel = Math.max(known.narrowest, Math.min(share, widestPanel));
    const series = spec.usermeta.series;
    if (series) {
      const columns = legendColumns(series, width, spec.config);
      for (const legend of legends(spec.spec)) legend.columns = columns;
    }
    const inner = { ...spec, spec: { ...spec.spec, width: panel } };
    return wraps ? { ...inner, columns } : inner;
  }

  // The legends of a chart; those of several channels are drawn as one.
  function legends(part) {
    if (part === null || typeof part !== "object") return [];
    const own = part.legend?.columns ? [part.legend] : [];
    return [...own, ...Object.values(part).flatMap(legends)];
  }

  // Legends have as many columns as fit in a common font; a wider font takes fewer.
  async function embed(element, spec, room) {
    const drawn = await vegaEmbed(element, spec, options);
    const width = Number(element.querySelector("svg").getAttribute("width"));
    const wide = legends(spec.spec ?? spec).filter((legend) => legend.columns > 1);
    if (width <= room || !wide.length) return drawn.view;
    for (const legend of wide) legend.columns -= 1;
    drawn.view.finalize();
    return embed(element, spec, room);
  }

  async function draw(element) {
    const name = element.dataset.chart;
    const room = element.clientWidth;
    const inner = document.createElement("div");
    try {
      const { chart } = (await figures)[name];
      views[name]?.finalize();
      element.replaceChildren(inner);
      views[name] = await embed(inner, fitted(structuredClone(chart), room), room);
      element.dataset.room = room;
    } catch (error) {
      delete views[name];
      element.replaceChildren(`This chart could not be drawn: ${error.message}`);
      console.error(error);
    }
  }

  // Draws what is in sight and not yet drawn at its present width.
  function drawShown() {
    const due = charts.filter((element) => element.clientWidth && !isFitted(element));
    window.causalassay.drawn = Promise.all(due.map(draw));
    return window.causalassay.drawn;
  }

  const isFitted = (element) => Number(element.dataset.room) === element.clientWidth;

  // A turned screen or a wider window is another width to fit.
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => matchMedia("print").matches || drawShown(), 200);
  });

  function prepareChooser(chooser) {
    chooser.closest(".chooser").hidden = false;
    chooser.addEventListener("change", () => {
      for (const option of chooser.options) {
        byId(`figure-${option.value}`).hidden = !option.selected;
      }
      drawShown();
    });
  }

  /* Downloads: the chart as it stands, or its data. */

  async function save(name, kind) {
    if (kind !== "csv" && !(name in views)) return;
    const url =
      kind === "csv"
        ? URL.createObjectURL(new Blob([(await figures)[name].csv], { type: "text/csv" }))
        : await views[name].toImageURL(kind, kind === "png" ? 2 : 1);
    const link = document.createElement("a");
    link.href = url;
    const study = document.documentElement.dataset.study.replace(/[^\w.-]+/g, "-");
    link.download = `${study}-${name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  function offerDownloads(figure) {
    const name = figure.querySelector("[data-chart]").dataset.chart;
    const bar = figure.querySelector(".downloads");
    bar.hidden = false;
    for (const button of bar.querySelectorAll("button")) {
      button.addEventListener("click", () => save(name, button.dataset.save));
    }
  }

  /* The leaderboard: sorted within each scheme, whose runs met the same data. */

  const board = byId("leaderboard");
  const status = byId("leaderboard-status");

  // Both rows of headings, in the order of the columns below them.
  const heads = () => {
    const plain = [...board.tHead.rows[0].cells].filter((cell) => cell.rowSpan === 2);
    return [...plain, ...board.tHead.rows[1].cells];
  };

  function compare(first, second, sign) {
    if (first === undefined || second === undefined) {
      return (first === undefined) - (second === undefined);
    }
    const apart = Number(first) - Number(second);
    return sign * (Number.isNaN(apart) ? first.localeCompare(second) : apart);
  }

  function sortBy(head) {
    const column = heads().indexOf(head);
    const first = Number(head.dataset.first) > 0 ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const each of heads()) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    for (const body of board.tBodies) {
      const rows = [...body.rows].slice(1);
      const value = (row) => row.cells[column].dataset.value;
      rows.sort((a, b) => compare(value(a), value(b), sign));
      body.append(...rows);
    }
    announce(`Sorted by ${head.querySelector("button").textContent}, ${order}, within each scheme.`);
  }

  function chooseMetrics() {
    const chosen = new Set(
      [...document.querySelectorAll("input[name=metric]:checked")].map((box) => box.value),
    );
    heads().forEach((head, column) => {
      const hidden = "metric" in head.dataset && !chosen.has(head.dataset.metric);
      head.hidden = hidden;
      for (const body of board.tBodies) {
        for (const row of [...body.rows].slice(1)) row.cells[column].hidden = hidden;
      }
    });
    for (const group of board.tHead.rows[0].querySelectorAll("[scope=colgroup]")) {
      const level = group.dataset.level;
      const width = heads().filter((head) => head.dataset.level === level && !head.hidden).length;
      group.hidden = width === 0;
      group.colSpan = width || 1;
    }
    for (const body of board.tBodies) body.rows[0].cells[0].colSpan = chosen.size + 2;
  }

  function filterRows() {
    const scheme = byId("scheme").value;
    const size = byId("size")?.value ?? "";
    const wanted = byId("filter").value.trim().toLowerCase();
    let count = 0;
    for (const body of board.tBodies) {
      const other = scheme !== "" && body.dataset.scheme !== scheme;
      body.hidden = other || (size !== "" && body.dataset.size !== size);
      for (const row of [...body.rows].slice(1)) {
        row.hidden = !row.cells[0].dataset.value.toLowerCase().includes(wanted);
        count += !row.hidden && !body.hidden;
      }
    }
    announce(`${count} rows shown.`);
  }

  const announce = (text) => {
    status.textContent = text;
  };

  function prepareBoard() {
    document.querySelector(".controls").hidden = false;
    for (const head of heads()) {
      head.querySelector("button").addEventListener("click", () => sortBy(head));
    }
    byId("scheme").addEventListener("change", filterRows);
    byId("size")?.addEventListener("change", filterRows);
    byId("filter").addEventListener("input", filterRows);
    for (const box of document.querySelectorAll("input[name=metric]")) {
      box.addEventListener("change", chooseMetrics);
    }
    chooseMetrics();
    if (byId("size")) filterRows();
  }

  /* The matrix: a row opens to its sentences. */

  function prepareRow(button) {
    const opened = byId(button.dataset.opens);
    button.addEventListener("click", () => {
      opened.hidden = !opened.hidden;
      button.setAttribute("aria-expanded", String(!opened.hidden));
    });
  }

  /* A link to a rule opens the fold that holds it. */

  function openTarget() {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    for (let each = target; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") each.open = true;
    }
    if (target) target.scrollIntoView();
  }

  /* On paper nothing can be opened: what was run is printed, but not the study file. */

  const folded = [];
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("#run details[data-print]:not([open])")) {
      each.open = true;
      folded.push(each);
    }
  });
  addEventListener("afterprint", () => {
    for (const each of folded.splice(0)) each.open = false;
  });

  document.documentElement.classList.add("js");
  if (board) prepareBoard();
  document.querySelectorAll("[data-opens]").forEach(prepareRow);
  document.querySelectorAll("[data-chooser]").forEach(prepareChooser);
  addEventListener("hashchange", openTarget);
  openTarget();
  document.querySelectorAll("figure").forEach(offerDownloads);
  drawShown();
})();
