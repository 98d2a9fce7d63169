"use strict";

(() => {
  const views = {};
  // For whoever wants to look at a chart from the console, and for the tests.
  window.causalassay = { views, drawn: null };

  const byId = (name) => document.getElementById(name);
  const stored = (name) => JSON.parse(byId(name).textContent);

  /* Charts: drawn as SVG, expressions interpreted, so that the page needs no eval. */

  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  async function draw(place) {
    const name = place.dataset.chart;
    const figure = place.closest("figure");
    const inner = place.appendChild(document.createElement("div"));
    try {
      const found = await vegaEmbed(inner, stored(`spec-${name}`), options);
      views[name] = found.view;
    } catch (error) {
      inner.textContent = `This chart could not be drawn: ${error.message}`;
      console.error(error);
    }
    const bar = figure.querySelector(".downloads");
    bar.hidden = false;
    for (const button of bar.querySelectorAll("button")) {
      button.disabled = button.dataset.save !== "csv" && !(name in views);
      button.addEventListener("click", () => save(name, button.dataset.save));
    }
  }

  /* Downloads: the chart as it stands, or its data. */

  async function save(name, kind) {
    const url =
      kind === "csv"
        ? URL.createObjectURL(new Blob([stored(`csv-${name}`)], { type: "text/csv" }))
        : await views[name].toImageURL(kind, kind === "png" ? 2 : 1);
    const link = document.createElement("a");
    link.href = url;
    const study = document.documentElement.dataset.study.replace(/[^\w.-]+/g, "-");
    link.download = `${study}-${name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  /* The leaderboard: sorted within each scheme, whose runs met the same data. */

  const board = byId("leaderboard");
  const said = byId("leaderboard-said");

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
    tell(`Sorted by ${head.querySelector("button").textContent}, ${order}, within each scheme.`);
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
    const wanted = byId("filter").value.trim().toLowerCase();
    let shown = 0;
    for (const body of board.tBodies) {
      body.hidden = scheme !== "" && body.dataset.scheme !== scheme;
      for (const row of [...body.rows].slice(1)) {
        row.hidden = !row.cells[0].dataset.value.toLowerCase().includes(wanted);
        shown += !row.hidden && !body.hidden;
      }
    }
    tell(`${shown} rows shown.`);
  }

  const tell = (text) => {
    said.textContent = text;
  };

  function prepareBoard() {
    document.querySelector(".controls").hidden = false;
    for (const head of heads()) {
      head.querySelector("button").addEventListener("click", () => sortBy(head));
    }
    byId("scheme").addEventListener("change", filterRows);
    byId("filter").addEventListener("input", filterRows);
    for (const box of document.querySelectorAll("input[name=metric]")) {
      box.addEventListener("change", chooseMetrics);
    }
    chooseMetrics();
  }

  /* On paper nothing can be opened: what is folded is printed, licences aside. */

  const folded = [];
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("main details:not([open])")) {
      each.open = true;
      folded.push(each);
    }
  });
  addEventListener("afterprint", () => {
    for (const each of folded.splice(0)) each.open = false;
  });

  document.documentElement.classList.add("js");
  if (board) prepareBoard();
  window.causalassay.drawn = Promise.all([...document.querySelectorAll("[data-chart]")].map(draw));
})();
