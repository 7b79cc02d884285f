"use strict";
(() => {
  const short = (value) => {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
    return String(+value.toPrecision(4));
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ---- Lines over steps ------------------------------------------------------------------------------------------

  const W = 520, H = 220, LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 22;
  const marks = (low, high, most) => {
    const decade = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10].map((times) => times * decade).find((step) => (high - low) / step <= most) ?? decade * 10;
    const all = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) all.push(at * step);
    return all;
  };
  const chart = ({ title, lines }) => {
    const dots = lines.flatMap((line) => line.dots), xs = dots.map((dot) => dot[0]);
    const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1);
    // What falls steeply at first has no say in how high the drawing is.
    const late = dots.filter((dot) => dot[0] >= x0 + (x1 - x0) * 0.05).map((dot) => dot[1]), ys = late.length ? late : dots.map((dot) => dot[1]);
    let y0 = Math.min(...ys), y1 = Math.max(...ys);
    if (y1 - y0 < 1e-12) { y0 -= Math.abs(y0) * 0.1 + 1e-9; y1 += Math.abs(y1) * 0.1 + 1e-9; }
    const x = (value) => LEFT + ((value - x0) / (x1 - x0)) * (W - LEFT - RIGHT);
    const y = (value) => TOP + (1 - (value - y0) / (y1 - y0)) * (H - TOP - BOTTOM);
    const clip = "c" + Math.abs([...title].reduce((hash, char) => (hash * 31 + char.charCodeAt(0)) | 0, 7));
    const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
    svg.append(el("svg:clipPath", { id: clip }, el("svg:rect", { x: LEFT, y: TOP - 2, width: W - LEFT - RIGHT, height: H - TOP - BOTTOM + 4 })));
    for (const mark of marks(y0, y1, 5)) svg.append(el("svg:line", { x1: LEFT, x2: W - RIGHT, y1: y(mark), y2: y(mark), stroke: "var(--line)" }), el("svg:text", { x: LEFT - 6, y: y(mark) + 4, "text-anchor": "end", class: "lane" }, short(mark)));
    for (const mark of marks(x0, x1, 6)) svg.append(el("svg:text", { x: x(mark), y: H - 6, "text-anchor": "middle", class: "lane" }, short(mark)));
    lines.forEach((line, at) => {
      const path = line.dots.map((dot, place) => `${place ? "L" : "M"}${x(dot[0]).toFixed(1)} ${y(dot[1]).toFixed(1)}`).join("");
      const color = `var(--a${at % 8})`;
      svg.append(el("svg:path", { d: path, fill: "none", stroke: color, "stroke-width": 1.7, "clip-path": `url(#${clip})` }));
      if (line.dots.length < 30) for (const dot of line.dots) svg.append(el("svg:circle", { cx: x(dot[0]), cy: y(dot[1]), r: 2.4, fill: color, "clip-path": `url(#${clip})` }));
    });
    const cursor = el("svg:line", { y1: TOP, y2: H - BOTTOM, stroke: "var(--ink)", "stroke-dasharray": "3 3", visibility: "hidden" });
    svg.append(cursor);
    const tip = el("div", { class: "tip" }), host = el("div", { class: "card chart" }, svg, tip);
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), step = x0 + ((((event.clientX - box.left) / box.width) * W - LEFT) / (W - LEFT - RIGHT)) * (x1 - x0);
      const near = lines.map((line) => [line.name, line.dots.reduce((a, b) => (Math.abs(b[0] - step) < Math.abs(a[0] - step) ? b : a))]);
      cursor.setAttribute("visibility", "visible");
      cursor.setAttribute("x1", x(near[0][1][0])); cursor.setAttribute("x2", x(near[0][1][0]));
      tip.style.display = "block";
      tip.textContent = `step ${Math.round(near[0][1][0])}: ` + near.map(([name, dot]) => `${name} ${short(dot[1])}`).join(", ");
      tip.style.left = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4) + "px";
      tip.style.top = "8px";
    });
    svg.addEventListener("pointerleave", () => { tip.style.display = "none"; cursor.setAttribute("visibility", "hidden"); });
    const legend = lines.length > 1 ? el("div", { class: "legend" }, lines.map((line, at) => el("span", {}, el("i", { style: `background:var(--a${at % 8})` }), line.name))) : null;
    return el("figure", {}, el("figcaption", {}, title), host, legend);
  };

  // ---- Loads of experts ------------------------------------------------------------------------------------------

  // Below even is one colour, above it another; twice even and more is full.
  const colour = (share, even) => {
    const by = Math.max(-1, Math.min(1, share / even - 1));
    return [by < 0 ? css("--a0") : css("--a1"), Math.abs(by)];
  };
  const heat = (layer, steps) => {
    const experts = Math.max(1, ...layer.shares.map((column) => column.length)), even = 1 / experts, cell = Math.max(2, Math.min(14, Math.floor(240 / experts)));
    const canvas = el("canvas", { width: steps.length * 8, height: experts * cell, style: `height:${experts * cell}px`, role: "img", "aria-label": `loads of ${layer.name}` });
    const paint = canvas.getContext("2d");
    layer.shares.forEach((column, x) => column.forEach((share, y) => {
      const [fill, strength] = colour(share, even);
      paint.globalAlpha = strength;
      paint.fillStyle = fill;
      paint.fillRect(x * 8, y * cell, 8, cell);
    }));
    const tip = el("div", { class: "tip" }), host = el("div", { class: "card chart heat" }, canvas, tip);
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const x = Math.min(steps.length - 1, Math.floor(((event.clientX - box.left) / box.width) * steps.length)), y = Math.min(experts - 1, Math.floor(((event.clientY - box.top) / box.height) * experts));
      tip.style.display = "block";
      tip.textContent = `step ${steps[x]}, expert ${y}: ${((layer.shares[x]?.[y] ?? 0) * 100).toFixed(1)} % (even: ${(even * 100).toFixed(1)} %)`;
      tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4)) + "px";
      tip.style.top = "4px";
    });
    canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
    return el("figure", {}, el("figcaption", {}, el("code", {}, layer.name), ` ${experts} experts, from the first above to the last below`), host);
  };

  // ---- Tables ----------------------------------------------------------------------------------------------------

  const table = (part, head, rows) => {
    $(part).hidden = !rows.length;
    $(part + "-table").replaceChildren(
      el("thead", {}, el("tr", {}, head.map((name) => el("th", { class: name.endsWith("#") ? "num" : null }, name.replace("#", ""))))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, at) => el("td", { class: head[at].endsWith("#") ? "num" : null }, String(cell)))))));
  };
  const sized = (bytes) => (bytes >= 1e9 ? (bytes / 1e9).toFixed(2) + " GB" : bytes >= 1e6 ? (bytes / 1e6).toFixed(2) + " MB" : bytes >= 1e3 ? (bytes / 1e3).toFixed(1) + " kB" : bytes + " B");
  const show = (R) => {
    $("stats").replaceChildren(...R.stats.map(([value, label]) => el("div", { class: "stat" }, el("b", {}, value), el("span", {}, label))));
    $("charts").replaceChildren(...R.charts.map(chart));
    if (!R.charts.length) $("charts").replaceChildren("No step has been logged yet.");
    $("loads").hidden = !R.loads.layers.length;
    $("maps").replaceChildren(...R.loads.layers.map((layer) => heat(layer, R.loads.steps)));
    table("parts", ["part", "NLL, nats per token#", "accuracy#", "tokens#"], R.parts.map(([name, nll, share, tokens]) => [name, nll.toFixed(4), (share * 100).toFixed(1) + " %", tokens]));
    table("figures", ["figure", "model#", "one class everywhere#"], R.figures.map(([name, value, trivial]) => [name, value.toFixed(4), trivial.toFixed(4)]));
    $("slices").replaceChildren(...R.pictures.map(({ title, svg }) => {
      const figure = el("figure", { title });
      figure.innerHTML = svg;
      return figure;
    }));
    $("samples-told").replaceChildren(R.samples_told.title, el("small", {}, R.samples_told.note));
    table("samples", R.samples_told.columns, R.samples.map(([given, written, marked, right, all]) => [given, written, marked, `${right} of ${all}`]));
    table("sent", ["collective", "over", "times#", "of a device#"], R.sent.map(([kind, over, count, bytes]) => [kind, over, count, sized(bytes)]));
    table("layout", ["parameters", "layers#", "dims", "on a device", "split"], R.layout.map(([name, count, dims, local, split]) => [name, count, dims, local, split || "whole"]));
  };

  // ---- While it trains -------------------------------------------------------------------------------------------

  const PAUSE = 2000;
  let now = window.REPORT;
  const look = async () => {
    let told = "live";
    try {
      const answer = await fetch("run.json", { cache: "no-store" });
      const next = await answer.json();
      if (JSON.stringify(next) !== JSON.stringify(now)) show((now = next));
    } catch {
      told = "the run has ended, or was stopped: its directory has the report";
    }
    $("live").textContent = told;
    if (told === "live") setTimeout(look, PAUSE);
  };
  themed(() => show(now));
  if (location.protocol.startsWith("http") && !now.is_over) {
    $("live").hidden = false;
    look();
  }
})();
