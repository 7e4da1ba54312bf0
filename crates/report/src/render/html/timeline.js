// The interleaving: a lane for each thread, time from top to bottom, what synchronises as arrows, and what is missing
// dashed. It is what the run was recorded to do; without a record it tells what the finding says: the two accesses and the
// operations by which the threads met. What the chosen way of mending would add is drawn into it.

const spotsOf = (value) => (Array.isArray(value) ? value.flatMap(spotsOf)
  : value && value.role ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(spotsOf) : []);

const noted = (step) => ({ "widen-scope": `wider: ${step.reach} scope`, order: `make it ${step.order}`, "make-atomic": "make it atomic",
  "use-one-size": "one size for both", discard: "discard it later", "one-thread": `one thread of the ${step.group}`,
  "separate-elements": `memory of its own for each ${step.owner}`, move: "move it", "take-lock": "take the lock",
  "split-statement": "read, meet, then write", "expect-bytes": "expect all bytes" }[step.do]);

const ghostOf = (lane, text) => ({ lane, kind: "ghost", text, notes: [] });

// What was recorded, as nodes from top to bottom.
function recorded(f, way) {
  const { lanes, steps } = f.story, nodes = [], of = [];
  steps.forEach((m, i) => {
    if (m.skipped) nodes.push({ lane: "both", kind: "skip", text: plural(m.skipped, "step") + " between", notes: [] });
    if (m.together && nodes.length) {
      nodes[nodes.length - 1].lane = "both";
      of[i] = nodes[nodes.length - 1];
      return;
    }
    const side = m.side === undefined ? undefined : m.side - 1;
    const value = m.read !== undefined && m.written !== undefined ? `${m.read} becomes ${m.written}` : m.read !== undefined ? `sees ${m.read}` : m.written !== undefined ? `sets ${m.written}` : "";
    const node = { lane: m.lane > 1 ? "other" : m.lane, kind: side !== undefined ? "access" : m.kind === "access" ? "sync" : m.kind, side, notes: [],
      text: side === undefined ? T(m.what) : T(f.accesses[side].what), times: m.times || 1, from: m.from, line: m.at && { file: m.at[0], line: m.at[1] },
      who: m.lane > 1 ? T(lanes[m.lane][0]) : "", about: [m.memory === undefined ? "" : "of " + T(m.memory), value].filter(Boolean).join(": ") };
    // Where one thread makes both accesses, the second one has a lane to itself.
    if (side === 1) node.lane = 1;
    if (side !== undefined && f.accesses[side].line) node.line = f.accesses[side];
    nodes.push((of[i] = node));
  });
  for (const node of nodes) if (node.from !== undefined) node.source = of[node.from];
  const sides = [0, 1].map((side) => nodes.find((node) => node.side === side));
  const nodeAt = (spot) => {
    if (spot.role === "first" || spot.role === "second") return sides[spot.role === "first" ? 0 : 1];
    const where = spotLine(f, spot), lane = { "flag-set": 0, arrive: 0, "flag-read": 1 }[spot.role];
    const there = nodes.filter((node) => where && node.side === undefined && node.line && node.line.file === where.file && node.line.line === where.line && (lane === undefined || node.lane === lane));
    return lane === 0 ? there[0] : there[there.length - 1];
  };
  const put = (node, by, text) => nodes.splice(nodes.indexOf(node) + by, 0, ghostOf(node.lane === "both" ? "both" : node.lane, text));
  for (const step of way ? way[1] : []) {
    const text = inserted(step), spots = spotsOf(step.at).map((spot) => [spot, nodeAt(spot)]).filter(([, node]) => node);
    if (!text) {
      const what = step.what && step.what.role ? [nodeAt(step.what)] : [], note = noted(step);
      if (note) for (const node of spots.map(([, node]) => node).concat(what)) if (node) node.notes.push(note);
    } else if (step.do === "insert-fence" || step.do === "insert-proxy-fence") {
      // Beside the flag, in the lane of who sets or reads it.
      const [spot, node] = spots.find(([spot]) => /^flag/.test(spot.role)) || spots[spots.length - 1] || [{ role: "second" }, sides[1]];
      put(node, spot.role === "flag-read" || spot.role === "first" ? 1 : 0, text);
    } else {
      const later = nodes.indexOf(sides[0]) > nodes.indexOf(sides[1]) ? sides[0] : sides[1];
      nodes.splice(nodes.indexOf(later), 0, ghostOf("both", text));
    }
  }
  return nodes;
}

// Without a record: the two accesses, and the operations by which they met as the advice names them.
function guessed(f, way) {
  const [a, b] = f.accesses;
  const node = (lane, kind, text, side) => ({ lane, kind, text, line: side && side.line ? side : undefined });
  const access = (n) => ({ ...node(n, "access", T(f.accesses[n].what), f.accesses[n]), side: n, notes: [] });
  const first = access(0), second = access(1);
  const after = [], before = [], both = [], spots = new Map();
  const seen = (spot) => {
    const where = spotLine(f, spot);
    const key = spot.role + (where ? `${where.file}:${where.line}` : "");
    if (spots.has(key)) return spots.get(key);
    let made;
    if (spot.role === "first" || spot.role === "second") made = spot.role === "first" ? first : second;
    else if (spot.role === "flag-set") after.push((made = { ...node(0, "sync", "sets the flag", where), notes: [] }));
    else if (spot.role === "flag-read") before.push((made = { ...node(1, "sync", "reads the flag", where), notes: [] }));
    else if (spot.role === "arrive") after.push((made = { ...node(0, "sync", "arrives at a barrier", where), notes: [] }));
    else if (spot.role === "fence") {
      // Of two fences each thread has one; a single one is near the access that it belongs to.
      const near = where && b.line && a.line && Math.abs(where.line - b.line) < Math.abs(where.line - a.line);
      const lane = near || after.some((n) => n.kind === "fence") ? 1 : 0;
      made = { ...node(lane, "fence", "fence", where), notes: [] };
      (lane ? before : after).push(made);
    } else made = { notes: [] };
    spots.set(key, made);
    return made;
  };
  const all = spotsOf;
  // Both flags of a hand-over are known to some way, if not to the chosen one.
  for (const [, other] of f.ways) for (const spot of all(other)) if (/^flag|fence|arrive/.test(spot.role)) seen(spot);
  const ghost = (lane, text) => ({ lane, kind: "ghost", text, notes: [] });
  for (const step of way ? way[1] : []) {
    const text = inserted(step);
    if (text) {
      const names = all(step.at).map((spot) => spot.role);
      if (step.do === "insert-fence" || step.do === "insert-proxy-fence") {
        if (names.includes("flag-set") && after.length) after.splice(after.indexOf(seen(all(step.at).find((x) => x.role === "flag-set"))), 0, ghost(0, text));
        else if (names.includes("flag-read") && before.length) before.splice(before.indexOf(seen(all(step.at).find((x) => x.role === "flag-read"))) + 1, 0, ghost(1, text));
        else if (names.includes("first")) after.unshift(ghost(0, text));
        else before.push(ghost(1, text));
      } else both.push(ghost("both", text));
      continue;
    }
    const note = noted(step);
    for (const spot of all(step.at).concat(step.what && step.what.role ? [step.what] : [])) if (note) seen(spot).notes.push(note);
  }
  return [first, ...after, ...both, ...before, second];
}

function laneName(side) {
  if (!side.block) return T(side.who).replace(/`/g, "");
  return `thread ${at(side.thread)}`;
}

function timeline(f, way) {
  const all = f.story ? recorded(f, way) : guessed(f, way);
  const grid = h("div", { cls: "timeline" + (f.story ? " told" : "") });
  const kernels = new Set(f.accesses.map((side) => side.kernel));
  f.accesses.forEach((side, n) => grid.append(h("div", { cls: "lane-head h" + n, style: `grid-column:${n + 1}` }, badge(n),
    h("span", {}, h("b", { text: laneName(side) }), h("span", { cls: "dim", text: (side.block ? `block ${at(side.block)}` : "") + (kernels.size > 1 && side.block ? ` of ${T(side.kernel).split("(")[0]}` : "") })))));
  for (const [row, node] of all.entries()) {
    const column = typeof node.lane === "number" ? String(node.lane + 1) : "1 / 3";
    const line = node.line && lineOf(node.line.file, node.line.line);
    const code = line && (node.line.span ? line.slice(...node.line.span) : line);
    node.element = h("div", { cls: `step ${node.kind} ${node.side !== undefined ? "s" + node.side : ""} ${typeof node.lane === "number" ? "" : node.lane}`, style: `grid-column:${column};grid-row:${row + 2}` },
      node.who ? h("div", { cls: "dim small", text: node.who }) : null,
      h("div", { cls: "step-title" }, node.side !== undefined ? badge(node.side) : null, node.kind === "ghost" ? h("code", { text: node.text }) : node.text,
        node.times > 1 ? h("span", { cls: "dim", text: ` ×${grouped(node.times)}` }) : null,
        node.line ? h("span", { cls: "dim", text: ` line ${node.line.line}` }) : null),
      code && node.kind !== "ghost" && node.kind !== "barrier" ? h("code", { cls: "step-code", text: code.trim() }) : null,
      node.about ? h("div", { cls: "dim small about" }, prose(node.about)) : null,
      node.kind === "ghost" ? h("span", { cls: "dim", text: "is missing" }) : null,
      [...new Set(node.notes)].map((note) => h("span", { cls: "note", text: note })));
    grid.append(node.element);
  }
  const svg = s("svg", { cls: "arrows", "aria-hidden": "true" });
  grid.prepend(svg);
  const side = (n) => all.find((node) => node.side === n);
  if (!f.story) {
    const of = (lane) => all.findIndex((n) => n.kind === "sync" && n.lane === lane), set = of(0), read = of(1);
    if (set > 0 && read > set) all[read].source = all[set];
  }
  const seen = all.filter((node) => node.source && node.source !== node && node.source.lane !== node.lane && (node.side === undefined || node.source.side === undefined));
  const draw = () => {
    const box = grid.getBoundingClientRect();
    if (!box.width) return;
    svg.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    svg.replaceChildren();
    const edge = (node) => {
      const r = node.element.getBoundingClientRect();
      return { l: r.left - box.left, r: r.right - box.left, x: (r.left + r.right) / 2 - box.left, y: (r.top + r.bottom) / 2 - box.top, t: r.top - box.top, b: r.bottom - box.top };
    };
    const arrow = (path, cls, tip, angle) => svg.append(s("path", { d: path, cls }),
      s("path", { cls: cls + " tip", d: "M0 0l-9 -4.5v9z", transform: `translate(${tip[0]} ${tip[1]}) rotate(${angle})` }));
    for (const lane of [0, 1]) {
      const x = box.width * (lane ? 0.75 : 0.25);
      const top = grid.querySelector(".h" + lane).getBoundingClientRect().bottom - box.top;
      svg.append(s("path", { cls: "lane", d: `M${x} ${top}V${box.height}` }));
    }
    // From the nearer edge of the one to the nearer edge of the other; below one another, from bottom to top.
    for (const node of seen) {
      const p = edge(node.source), q = edge(node);
      if (p.r < q.l || q.r < p.l) {
        const right = p.r < q.l, x = right ? p.r : p.l, to = right ? q.l : q.r, by = Math.max(30, Math.abs(to - x) * 0.8) * (right ? 1 : -1);
        arrow(`M${x} ${p.y}C${x + by} ${p.y} ${to - by} ${q.y} ${to - (right ? 3 : -3)} ${q.y}`, "seen", [to - (right ? 1 : -1), q.y], right ? 0 : 180);
      } else {
        const x = (Math.max(p.l, q.l) + Math.min(p.r, q.r)) / 2;
        arrow(`M${x} ${p.b}V${q.t - 3}`, "seen", [x, q.t - 1], 90);
      }
    }
    // What nothing orders: out of (1), along between the lanes, into (2).
    const a = edge(side(0)), b = edge(side(1));
    const mid = (a.r + b.l) / 2, bend = Math.min(22, (b.l - a.r) / 2, Math.abs(b.y - a.y) / 2) * (b.y < a.y ? -1 : 1);
    arrow(`M${a.r} ${a.y}Q${mid} ${a.y} ${mid} ${a.y + bend}V${b.y - bend}Q${mid} ${b.y} ${b.l - 3} ${b.y}`, "missing", [b.l - 1, b.y], 0);
  };
  grid.redraw = draw;
  const said = `(1) ${T(f.accesses[0].what)} by ${T(f.accesses[0].who)} and (2) ${T(f.accesses[1].what)} by ${T(f.accesses[1].who)}: nothing orders them`;
  return { element: h("div", { role: "img", "aria-label": said }, grid), draw, seen: seen.length > 0, ghosts: all.some((node) => node.kind === "ghost") };
}
