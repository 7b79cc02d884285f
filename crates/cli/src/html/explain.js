"use strict";
(() => {
  const R = window.REPORT, S = R.strings, I = R.insts, G = R.groups, C = R.colls;
  const scaled = (value, step, units) => {
    let unit = 0;
    while (value >= step * 0.9995 && unit + 1 < units.length) { value /= step; unit++; }
    const digits = value >= 100 || (unit === 0 && Number.isInteger(value)) ? 0 : value >= 10 ? 1 : 2;
    return value.toFixed(digits) + " " + units[unit];
  };
  const bytes = (value) => scaled(value, 1000, ["bytes", "kB", "MB", "GB", "TB", "PB"]);
  const seconds = (value) => scaled(value * 1e9, 1000, ["ns", "us", "ms", "s"]);
  const percent = (value) => (100 * value).toFixed(value >= 0.1 ? 0 : 1) + "%";
  const hue = (axis) => `--c:var(--a${axis % 8})`;
  const axis_chip = (axis, text) => el("span", { class: "axis", style: hue(axis) }, text ?? R.axes[axis][0]);

  // ---- What belongs to what -------------------------------------------------------------------------------------

  const count = I.name.length;
  const kids = G.map(() => []), members = G.map(() => []), colls_at = new Map();
  const roots = [];
  G.forEach((group, at) => (group.parent < 0 ? roots : kids[group.parent]).push(at));
  for (let at = 0; at < count; at++) members[I.group[at]].push(at);
  for (const [inst, ...colls] of I.colls) colls_at.set(inst, colls);
  const uses = (at) => I.uses[at];
  const users = Array.from({ length: count }, () => []);
  for (let at = 0; at < count; at++) for (const used of uses(at)) users[used].push(at);

  // Of each group, with all that lies in it: how many instructions, what it sends, what it takes, where it begins to work.
  const sum = G.map((group) => ({ insts: 0, bytes: 0, time: group.seconds, first: count }));
  for (let at = G.length - 1; at >= 0; at--) {
    const mine = sum[at];
    for (const inst of members[at]) {
      mine.insts += 1;
      if (S[I.op[inst]] !== "parameter") mine.first = Math.min(mine.first, inst);
      for (const coll of colls_at.get(inst) ?? []) mine.bytes += C[coll].each;
    }
    const parent = G[at].parent;
    if (parent >= 0) {
      sum[parent].insts += mine.insts;
      sum[parent].bytes += mine.bytes;
      sum[parent].time += mine.time;
      sum[parent].first = Math.min(sum[parent].first, mine.first);
    }
  }
  roots.sort((a, b) => sum[a].first - sum[b].first || a - b);
  const most = (key) => Math.max(1e-30, ...roots.map((at) => sum[at][key])), most_bytes = most("bytes"), most_time = most("time");
  const all_bytes = C.reduce((total, coll) => total + coll.total, 0), max_total = Math.max(1, ...C.map((coll) => coll.total));

  // ---- Rows -----------------------------------------------------------------------------------------------------

  const HEIGHT = 26;
  const open = new Set();
  let rows = [], row_of = new Int32Array(count), picked = null, hits = new Set();

  const lay_out = () => {
    rows = [];
    const fold = (group, row) => {
      for (const inst of members[group]) row_of[inst] = row;
      for (const kid of kids[group]) fold(kid, row);
    };
    const group_rows = (group, depth) => {
      rows.push({ kind: "group", at: group, depth });
      if (!open.has(group)) return fold(group, rows.length - 1);
      inside(kids[group], members[group], depth + 1);
    };
    const inside = (groups, insts, depth) => {
      const order = [...groups.map((at) => [sum[at].first, true, at]), ...insts.map((at) => [at, false, at])];
      order.sort((a, b) => a[0] - b[0]);
      for (const [, is_group, at] of order) {
        if (is_group) { group_rows(at, depth); continue; }
        row_of[at] = rows.length;
        rows.push({ kind: "inst", at, depth });
        for (const coll of colls_at.get(at) ?? []) rows.push({ kind: "coll", at: coll, inst: at, depth });
      }
    };
    inside(roots, [], 0);
    pad.style.height = rows.length * HEIGHT + "px";
    draw();
  };

  const type_of = (at) => {
    const found = /^(\w+)\[(.*?)\](.*)$/.exec(S[I.type[at]]);
    const sharding = R.shardings[I.sharding[at]];
    if (!found || !sharding) return [S[I.type[at]]];
    const dims = found[2] === "" ? [] : found[2].split(",");
    const shown = dims.flatMap((dim, place) => {
      const axes = sharding[place] ?? [];
      const title = axes.length ? `dimension ${place} (size ${dim}), sharded over ${axes.map(([, text]) => text).join(", ")}` : undefined;
      const piece = el("span", { class: axes.length ? "dim split" : "dim", style: axes.length ? hue(axes[0][0]) : null, title }, dim);
      return place ? [",", piece] : [piece];
    });
    return [found[1] + "[", ...shown, "]" + found[3]];
  };
  const axes_of = (at) => (R.shardings[I.sharding[at]] ?? []).flat().map(([axis, text]) => axis_chip(axis, text));
  const ball = (coll) => {
    const size = 6 + 18 * Math.sqrt(coll.total / max_total);
    return el("span", { class: "slot" }, el("i", { class: "ball", style: `width:${size}px;height:${size}px` }));
  };
  const meter = (value, of, title) => el("span", { class: "meter", title }, el("i", { style: `width:${Math.min(100, (100 * value) / of)}%` }));
  const place_text = (file, line) => (file < 0 ? "" : `${R.files[file].name.split("/").pop()}:${line}`);

  // A collective stands at each op that it is of.
  const is_picked = (row) => picked !== null && picked.kind === row.kind && picked.at === row.at && (row.kind !== "coll" || picked.inst === row.inst);
  const picked_row = () => rows.findIndex(is_picked);
  const draw_row = (row, index) => {
    const same = is_picked(row);
    const hit = row.kind === "inst" && hits.has(row.at);
    const base = { style: `top:${index * HEIGHT}px`, id: same ? "picked" : null, role: "option", "aria-selected": same ? "true" : null, onclick: () => choose(row.kind, row.at, false, row.inst) };
    const mark = (same ? " on" : "") + (hit ? " hit" : "");
    const indent = el("span", { style: `width:${row.depth * 14}px;flex:none` });
    if (row.kind === "group") {
      const group = G[row.at], is_open = open.has(row.at), all = sum[row.at];
      return el("div", { ...base, class: "row group" + mark, "data-group": S[group.name], "aria-expanded": String(is_open), ondblclick: () => toggle(row.at) },
        indent,
        el("span", { class: "twist", onclick: (event) => { event.stopPropagation(); toggle(row.at); } }, is_open ? "\u25be" : "\u25b8"),
        el("span", { class: "name", title: S[group.name] }, S[group.name]),
        group.times > 1 ? el("span", { class: "times" }, "\u00d7 " + group.times) : null,
        el("span", { class: "end" },
          el("span", { class: "fig" }, all.insts + (all.insts === 1 ? " op" : " ops")),
          el("span", { class: "fig" }, all.bytes ? bytes(all.bytes) : ""), meter(all.bytes, most_bytes, bytes(all.bytes) + " sent"),
          el("span", { class: "fig" }, all.time ? seconds(all.time) : ""), meter(all.time, most_time, seconds(all.time) + ", nothing side by side")));
    }
    if (row.kind === "coll") {
      const coll = C[row.at];
      return el("div", { ...base, class: "row coll" + mark, style: base.style + ";" + hue(coll.axes[0] ?? 0), "data-coll": row.at },
        indent, ball(coll), el("span", { class: "name" }, coll.kind), ...coll.axes.map((axis) => axis_chip(axis)),
        el("span", { class: "why" }, coll.why), el("span", { class: "end" }, el("span", { class: "fig" }, bytes(coll.each)), el("span", { class: "fig" }, percent(coll.each / Math.max(1, all_bytes)))));
    }
    return el("div", { ...base, class: "row inst" + mark, "data-inst": row.at },
      indent, el("span", { class: "twist" }), el("span", { class: "name mono", title: S[I.name[row.at]] }, S[I.name[row.at]]), el("span", { class: "op" }, S[I.op[row.at]]),
      el("span", { class: "mono" }, ...type_of(row.at)),
      el("span", { class: "end" }, ...axes_of(row.at), place_text(I.file[row.at], I.line[row.at])));
  };

  const list = $("rows"), pad = el("div", { class: "pad", role: "listbox" }), arcs = el("svg:svg", { width: 84 });
  list.append(pad);
  const draw = () => {
    const from = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 8), to = Math.min(rows.length, from + Math.ceil(list.clientHeight / HEIGHT) + 16);
    pad.replaceChildren(arcs, ...rows.slice(from, to).map((row, at) => draw_row(row, from + at)));
    draw_arcs(from, to);
  };
  const insts_of = (row) => {
    if (row.kind === "inst") return [row.at];
    if (row.kind === "coll" || open.has(row.at)) return [];
    const all = (group) => [...members[group], ...kids[group].flatMap(all)];
    return all(row.at);
  };
  const LIMIT = 600;
  const draw_arcs = (from, to) => {
    const edges = new Map();
    for (let at = from; at < to && edges.size < LIMIT; at++) {
      for (const inst of insts_of(rows[at])) for (const used of uses(inst)) if (row_of[used] !== at) edges.set(row_of[used] * rows.length + at, true);
    }
    const narrow = matchMedia("(max-width: 60rem)").matches, x = narrow ? 44 : 80;
    arcs.setAttribute("height", rows.length * HEIGHT);
    const chosen = picked && picked.kind !== "coll" ? picked_row() : -1;
    const paths = [...edges.keys()].map((key) => [Math.floor(key / rows.length), key % rows.length]);
    paths.sort((a, b) => (a.includes(chosen) ? 1 : 0) - (b.includes(chosen) ? 1 : 0));
    arcs.replaceChildren(...paths.map(([a, b]) => {
      const ya = a * HEIGHT + HEIGHT / 2, yb = b * HEIGHT + HEIGHT / 2, bow = Math.min(x - 4, 8 + 9 * Math.log2(1 + Math.abs(b - a)));
      const on = a === chosen || b === chosen;
      return el("svg:path", { d: `M${x} ${ya}C${x - bow} ${ya} ${x - bow} ${yb} ${x} ${yb}`, fill: "none", stroke: on ? "var(--link)" : "var(--line)", "stroke-width": on ? 1.8 : 1 });
    }));
  };
  const toggle = (group) => { open.has(group) ? open.delete(group) : open.add(group); lay_out(); };
  const unfold_group = (group) => { for (let at = group; at >= 0; at = G[at].parent) open.add(at); };
  const show_row = (index) => {
    const top = index * HEIGHT;
    if (top < list.scrollTop + HEIGHT || top > list.scrollTop + list.clientHeight - 2 * HEIGHT) list.scrollTop = top - list.clientHeight / 3;
    draw();
  };
  const choose = (kind, at, reveal = false, inst = kind === "coll" ? C[at].inst : at) => {
    picked = { kind, at, inst };
    if (reveal) {
      if (kind === "group") unfold_group(G[at].parent);
      else if (inst >= 0) unfold_group(I.group[inst]);
      lay_out();
    }
    const index = picked_row();
    if (index >= 0) show_row(index);
    inspect();
    document.querySelectorAll("#colls tr").forEach((row) => row.classList.toggle("on", kind === "coll" && +row.dataset.coll === at));
  };

  // ---- The panel beside ------------------------------------------------------------------------------------------

  const there = R.files.map((file) => new Set(file.lines.map(([number]) => number)));
  const source = (file, line) => {
    if (file < 0) return "no location";
    const shown = place_text(file, line);
    return there[file].has(line) ? el("a", { href: `#s${file}-${line}` }, shown) : el("span", { title: R.files[file].name }, shown);
  };
  const link = (inst) => el("a", { href: "#", onclick: (event) => { event.preventDefault(); choose("inst", inst, true); } }, S[I.name[inst]]);
  const fact = (key, ...value) => [el("dt", {}, key), el("dd", {}, ...value)];
  const linked = (title, insts) => (insts.length ? [el("h4", {}, title), el("ul", {}, insts.slice(0, 12).map((at) => el("li", { class: "mono" }, link(at), " ", el("span", { class: "op" }, S[I.op[at]]))), insts.length > 12 ? el("li", {}, `${insts.length - 12} more`) : null)] : []);

  // A tensor of up to two split dims as tiles, each with the place of a device that holds it.
  const tiles = (at) => {
    const sharding = R.shardings[I.sharding[at]];
    if (!sharding) return null;
    const parts = sharding.map((axes) => axes.reduce((total, [, , size]) => total * size, 1));
    const split = parts.map((part, dim) => [part, dim]).filter(([part]) => part > 1).slice(0, 2);
    if (!split.length) return el("p", { class: "op" }, `replicated on all ${R.devices} devices`);
    const [high, wide] = split.length === 2 ? split : [[1, -1], split[0]];
    const shown = (part) => Math.min(part, 16), w = 280 / shown(wide[0]), h = split.length === 2 ? Math.min(34, 140 / shown(high[0])) : 40;
    const svg = el("svg:svg", { viewBox: `0 0 282 ${h * shown(high[0]) + 2}`, width: "100%", role: "img", "aria-label": "tiles of the tensor" });
    const color = (dim) => (dim < 0 ? "var(--line)" : `var(--a${sharding[dim][0][0] % 8})`);
    for (let y = 0; y < shown(high[0]); y++) for (let x = 0; x < shown(wide[0]); x++) {
      svg.append(el("svg:rect", { x: 1 + x * w, y: 1 + y * h, width: w, height: h, fill: color(wide[1]), "fill-opacity": 0.15 + (0.55 * (x + 1)) / shown(wide[0]), stroke: high[1] < 0 ? "var(--ink)" : color(high[1]), "stroke-width": 1.2 }));
      if (w > 22 && h > 13) svg.append(el("svg:text", { x: 1 + (x + 0.5) * w, y: 1 + (y + 0.5) * h + 4, "text-anchor": "middle", "font-size": 11, fill: "var(--ink)" }, high[1] < 0 ? `${x}` : `${y},${x}`));
    }
    const cut = split.some(([part]) => part > 16) ? " (the first 16 of each dim are drawn)" : "";
    const copies = R.devices / parts.reduce((a, b) => a * b, 1);
    return el("div", {}, svg, el("span", { class: "op" }, `${parts.reduce((a, b) => a * b, 1)} tiles${cut}${copies > 1 ? `, each on ${copies} devices` : ""}`));
  };
  const inspect_inst = (at) => [
    el("h3", { class: "mono" }, S[I.name[at]]),
    el("dl", {}, fact("op", S[I.op[at]]), fact("type", el("span", { class: "mono" }, ...type_of(at))), fact("at", source(I.file[at], I.line[at])), S[I.path[at]] ? fact("path", S[I.path[at]]) : null),
    tiles(at),
    ...((colls_at.get(at) ?? []).length ? [el("h4", {}, "Collectives here"), el("ul", {}, colls_at.get(at).map((coll) => el("li", {}, el("a", { href: "#", onclick: (event) => { event.preventDefault(); choose("coll", coll, true); } }, C[coll].kind), " ", bytes(C[coll].total))))] : []),
    ...linked("From", uses(at)), ...linked("Used by", users[at])];
  const inspect_coll = (at) => {
    const coll = C[at];
    return [
      el("h3", { style: hue(coll.axes[0] ?? 0) }, coll.kind, " ", ...coll.axes.map((axis) => axis_chip(axis))),
      el("dl", { id: "coll-facts" }, fact("sent", `${bytes(coll.bytes)} per device${coll.runs > 1 ? `, ${coll.runs} runs: ${bytes(coll.total)}` : ""}`), fact("share", percent(coll.total / Math.max(1, all_bytes))),
        coll.time ? fact("time", seconds(coll.time)) : null, fact("groups", `of ${coll.group} devices`), fact("at", source(coll.file, coll.line)), coll.inst >= 0 ? fact("for", link(coll.inst)) : null),
      el("h4", {}, "Cause"), el("p", { id: "coll-why" }, coll.why),
      el("dl", {}, coll.from ? fact("from", el("code", {}, coll.from)) : null, coll.to ? fact("to", el("code", {}, coll.to)) : null),
      ...(coll.origins.length ? [el("h4", {}, "Annotations"), el("ul", {}, coll.origins.map(([text, file, line]) => el("li", {}, text, " ", file >= 0 ? source(file, line) : null)))] : [])];
  };
  const inspect_group = (at) => {
    const all = sum[at], inner = [];
    const walk = (group) => { for (const inst of members[group]) inner.push(...(colls_at.get(inst) ?? [])); kids[group].forEach(walk); };
    walk(at);
    const once = [...new Set(inner)].sort((a, b) => C[b].total - C[a].total || a - b);
    return [
      el("h3", {}, S[G[at].name], G[at].times > 1 ? ` \u00d7 ${G[at].times}` : ""),
      el("dl", {}, fact("ops", all.insts), fact("sent", bytes(all.bytes)), fact("time", seconds(all.time))),
      ...(inner.length ? [el("h4", {}, "Collectives, largest first"), el("ul", {}, once.slice(0, 15).map((coll) => el("li", {}, el("a", { href: "#", onclick: (event) => { event.preventDefault(); choose("coll", coll, true); } }, C[coll].kind), ` ${bytes(C[coll].each)} `, ...C[coll].axes.map((axis) => axis_chip(axis)))))] : [])];
  };
  const nothing = () => [el("h3", {}, "No selection"), el("p", { class: "op" }, "Pick a row, a collective, or a place in a chart. "), el("p", {}, el("kbd", {}, "?"), " lists the keys.")];
  const inspect = () => {
    const shown = { inst: inspect_inst, coll: inspect_coll, group: inspect_group };
    $("panel").replaceChildren(...(picked ? shown[picked.kind](picked.at) : nothing()).flat().filter(Boolean));
  };

  // ---- Collectives and suggestions -------------------------------------------------------------------------------

  const FEW = 15, MANY = 2000;
  const order = C.map((_, at) => at).sort((a, b) => C[b].total - C[a].total || a - b);
  const coll_row = (at) => {
    const coll = C[at];
    return el("tr", { "data-coll": at, tabindex: 0, onclick: () => choose("coll", at, true), onkeydown: (event) => { if (event.key === "Enter") choose("coll", at, true); } },
      el("td", { style: hue(coll.axes[0] ?? 0) }, el("span", { style: "display:flex;align-items:center;gap:.3rem" }, ball(coll), coll.kind)),
      el("td", {}, ...coll.axes.map((axis) => axis_chip(axis))),
      el("td", { class: "num" }, bytes(coll.total)), el("td", { class: "num" }, percent(coll.total / Math.max(1, all_bytes))), el("td", { class: "num" }, coll.time ? seconds(coll.time) : ""),
      el("td", { class: "why", title: coll.why }, coll.why), el("td", { class: "mono" }, place_text(coll.file, coll.line)));
  };
  const list_colls = (many) => {
    $("colls").replaceChildren(...order.slice(0, many).map(coll_row));
    const left = C.length - Math.min(many, C.length);
    $("colls-more").replaceChildren(...(!C.length ? ["No device sends anything."] : left === 0 ? [] : many === FEW ? [el("button", { onclick: () => list_colls(MANY) }, `${left} more`)] : [`${left} smaller ones are not listed; search finds them.`]));
  };
  list_colls(FEW);
  $("hints").replaceChildren(...R.hints.map((hint) => el("div", { class: "card", style: "padding:.5rem .8rem;margin-bottom:.5rem" }, el("b", {}, hint.saves), " ", hint.text, el("pre", {}, hint.code))));
  $("hints-part").hidden = !R.hints.length;

  // ---- Charts ----------------------------------------------------------------------------------------------------

  const chart = (host, height, paint, tell, pick) => {
    const tip = el("div", { class: "tip" });
    const svg = el("svg:svg", { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", height, tabindex: 0 });
    paint(svg);
    const cursor = el("svg:line", { y1: 0, y2: height, stroke: "var(--ink)", "stroke-dasharray": "3 3", visibility: "hidden", "vector-effect": "non-scaling-stroke" });
    svg.append(cursor);
    host.replaceChildren(svg, tip);
    const at = (event) => { const box = svg.getBoundingClientRect(); return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height, box]; };
    svg.addEventListener("pointermove", (event) => {
      const [x, y, box] = at(event), text = tell(x, y);
      tip.style.display = text ? "block" : "none";
      cursor.setAttribute("visibility", "visible");
      cursor.setAttribute("x1", x * 1000); cursor.setAttribute("x2", x * 1000);
      if (text) { tip.textContent = text; tip.style.left = Math.min(Math.max(0, x * box.width + 12), box.width - tip.offsetWidth - 4) + "px"; tip.style.top = Math.max(0, y * box.height - 34) + "px"; }
    });
    svg.addEventListener("pointerleave", () => { tip.style.display = "none"; cursor.setAttribute("visibility", "hidden"); });
    svg.addEventListener("click", (event) => { const [x, y] = at(event); pick(x, y); });
  };

  const M = R.memory, top_bytes = Math.max(1, M.peak, M.limit ?? 0) * 1.06, span = Math.max(1, M.steps);
  const memory_at = (x) => {
    let low = 0, high = M.points.length - 1;
    while (low < high) { const mid = (low + high + 1) >> 1; M.points[mid][0] <= x * span ? (low = mid) : (high = mid - 1); }
    return M.points[low];
  };
  const live_at = () => M.values;
  const inspect_memory = (step, total, is_peak) => {
    const live = is_peak ? live_at() : [], shown = live.reduce((all, value) => all + value[1], 0);
    picked = null;
    draw();
    $("panel").replaceChildren(
      el("h3", {}, `${bytes(total)} live at step ${step}${is_peak ? ", the peak" : ""}`),
      el("ol", { id: "alive" }, live.slice(0, 30).map(([name, size, , , inst, file, line, local]) => el("li", {}, `${bytes(size)} `, inst >= 0 ? link(inst) : S[name], " ", el("code", {}, S[local]), " ", source(file, line)))),
      !is_peak ? el("p", { class: "op" }, "Live values are listed for the peak only.") : total > shown ? el("p", { class: "op" }, `${bytes(total - shown)} in smaller values`) : "");
  };
  chart($("memory"), 170, (svg) => {
    const y = (value) => 170 * (1 - value / top_bytes);
    let path = `M0 170`, before = 170;
    for (const [step, value] of M.points) { path += `L${(1000 * step) / span} ${before}L${(1000 * step) / span} ${y(value)}`; before = y(value); }
    svg.append(el("svg:path", { d: path + `L1000 ${before}L1000 170Z`, fill: "var(--bar)", "fill-opacity": 0.6 }));
    if (M.limit) svg.append(el("svg:line", { x1: 0, x2: 1000, y1: y(M.limit), y2: y(M.limit), stroke: "var(--warn)", "vector-effect": "non-scaling-stroke" }));
    svg.append(el("svg:line", { x1: (1000 * M.peak_at) / span, x2: (1000 * M.peak_at) / span, y1: 0, y2: 170, stroke: "var(--a5)", "stroke-width": 2, "vector-effect": "non-scaling-stroke", id: "peak-line" }));
  }, (x) => {
    const near = Math.abs(x * span - M.peak_at) < span / 150, [step, value] = near ? [M.peak_at, M.peak] : memory_at(x);
    const largest = near ? live_at()[0] : undefined;
    return `${near ? "the peak: " : ""}${bytes(value)} at step ${step} of ${span}${largest ? `; largest: ${S[largest[0]]}, ${bytes(largest[1])}` : ""}`;
  }, (x) => {
    const near = Math.abs(x * span - M.peak_at) < span / 150, [step, value] = near ? [M.peak_at, M.peak] : memory_at(x);
    inspect_memory(step, value, near);
  });
  $("peak").addEventListener("click", () => inspect_memory(M.peak_at, M.peak, true));

  const T = R.timeline, LANE = 26;
  if (T.lanes.length) {
    const span_at = (x, y) => {
      const lane = T.lanes[Math.min(T.lanes.length - 1, Math.floor(y * T.lanes.length))], time = x * T.end;
      const slack = T.end / 800;
      return lane && lane.spans.find(([start, length]) => start - slack <= time && time <= start + length + slack);
    };
    chart($("timeline"), LANE * T.lanes.length, (svg) => {
      T.lanes.forEach((lane, at) => {
        svg.append(el("svg:rect", { x: 0, y: at * LANE, width: 1000, height: LANE - 2, fill: "var(--sunk)" }));
        let path = "";
        for (const [start, length] of lane.spans) {
          const x = (1000 * start) / T.end, w = Math.max(0.4, (1000 * length) / T.end);
          path += `M${x.toFixed(2)} ${at * LANE + 3}h${w.toFixed(2)}v${LANE - 8}h${(-w).toFixed(2)}z`;
        }
        svg.append(el("svg:path", { d: path, fill: lane.axis < 0 ? "var(--bar)" : `var(--a${lane.axis % 8})` }));
      });
    }, (x, y) => {
      const found = span_at(x, y);
      return found ? `${S[found[2]]}: ${seconds(found[1])} from ${seconds(found[0])} on` : null;
    }, (x, y) => {
      const found = span_at(x, y);
      if (found && found[3] >= 0) choose("group", found[3], true);
    });
    $("lanes").replaceChildren(...T.lanes.map((lane) => el("span", { style: `height:${LANE}px;display:block;line-height:${LANE}px` }, lane.name)));
  } else $("timeline-part").hidden = true;

  // ---- Sources ---------------------------------------------------------------------------------------------------

  const cost_of = new Map();
  C.forEach((coll) => { const key = coll.file + ":" + coll.line; cost_of.set(key, (cost_of.get(key) ?? 0) + coll.total); });
  const with_text = R.files.map((file, at) => [file, at]).filter(([file]) => file.lines.length);
  $("sources").replaceChildren(...with_text.map(([file, at]) => el("section", {}, el("h2", {}, file.name), el("div", { class: "card src" },
    file.lines.map(([number, text]) => {
      const cost = cost_of.get(at + ":" + number);
      return el("div", { id: `s${at}-${number}`, ondblclick: () => { const inst = I.file.findIndex((mine, place) => mine === at && I.line[place] === number); if (inst >= 0) choose("inst", inst, true); } },
        el("i", {}, String(number)), text, cost ? el("b", {}, `   ${bytes(cost)} sent`) : null);
    })))));
  $("sources-part").hidden = !with_text.length;

  // ---- Search and keys -------------------------------------------------------------------------------------------

  const search = $("search"), found = $("found");
  let results = [], at_result = 0;
  const look = () => {
    const asked = search.value.trim().toLowerCase();
    results = [];
    hits = new Set();
    if (asked) {
      C.forEach((coll, at) => { if (results.length < 50 && (coll.kind.includes(asked) || coll.why.toLowerCase().includes(asked))) results.push(["coll", at]); });
      for (let at = 0; at < count; at++) {
        const text = `${S[I.name[at]]} ${S[I.op[at]]} ${S[I.path[at]]} ${place_text(I.file[at], I.line[at])}`.toLowerCase();
        if (!text.includes(asked)) continue;
        hits.add(at);
        if (results.length < 80) results.push(["inst", at]);
      }
      const exact = (result) => (result[0] === "inst" && S[I.name[result[1]]].toLowerCase().replace(/^%/, "") === asked.replace(/^%/, "") ? 0 : 1);
      results.sort((a, b) => exact(a) - exact(b));
    }
    at_result = 0;
    show_results();
    draw();
  };
  const show_results = () => {
    found.classList.toggle("open", search.value.trim() !== "" && document.activeElement === search);
    found.replaceChildren(...(results.length ? results.map(([kind, at], place) => el("div", { class: place === at_result ? "at" : null, onpointerdown: (event) => { event.preventDefault(); take(place); } },
      ...(kind === "coll" ? [C[at].kind, " ", el("small", {}, bytes(C[at].total) + " " + (C[at].why))] : [el("span", { class: "mono" }, S[I.name[at]]), " ", el("small", {}, `${S[I.op[at]]} ${S[I.type[at]]} ${place_text(I.file[at], I.line[at])}`)]))) : [el("div", {}, "nothing of that name")]));
    found.children[at_result]?.scrollIntoView({ block: "nearest" });
  };
  const take = (place) => { if (results[place]) { const [kind, at] = results[place]; search.blur(); choose(kind, at, true); list.focus(); } };
  search.addEventListener("input", look);
  search.addEventListener("focus", show_results);
  search.addEventListener("blur", () => found.classList.remove("open"));
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") at_result = Math.min(results.length - 1, at_result + 1);
    else if (event.key === "ArrowUp") at_result = Math.max(0, at_result - 1);
    else if (event.key === "Enter") return take(at_result);
    else if (event.key === "Escape") { search.value = ""; look(); return search.blur(); }
    else return;
    event.preventDefault();
    show_results();
  });

  const step_by = (by) => {
    const now = picked_row();
    const next = rows[Math.max(0, Math.min(rows.length - 1, now + by))];
    if (next) choose(next.kind, next.at, false, next.inst);
  };
  themed(() => {});
  $("help").addEventListener("click", () => $("keys").showModal());
  $("unfold").addEventListener("click", () => { if (open.size) open.clear(); else roots.forEach((at) => open.add(at)); lay_out(); });
  document.addEventListener("keydown", (event) => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const group = picked && picked.kind === "group" ? picked.at : null;
    const acts = {
      "/": () => search.focus(), "?": () => $("keys").showModal(), j: () => step_by(1), k: () => step_by(-1), ArrowDown: () => step_by(1), ArrowUp: () => step_by(-1),
      PageDown: () => step_by(20), PageUp: () => step_by(-20),
      ArrowRight: () => { if (group !== null && !open.has(group)) toggle(group); },
      ArrowLeft: () => {
        if (group !== null && open.has(group)) return toggle(group);
        const parent = !picked ? -1 : group !== null ? G[group].parent : I.group[picked.inst];
        if (parent >= 0) choose("group", parent);
      },
      Enter: () => { if (group !== null) toggle(group); }, p: () => $("peak").click(),
    };
    const on_list = document.activeElement === list || document.activeElement === document.body;
    if (!acts[event.key] || (event.key === "Enter" && !on_list) || $("keys").open) return;
    event.preventDefault();
    acts[event.key]();
  });
  list.addEventListener("scroll", () => requestAnimationFrame(draw));
  addEventListener("resize", draw);

  if (roots.length <= 3) roots.forEach((at) => open.add(at));
  inspect();
  lay_out();
})();
