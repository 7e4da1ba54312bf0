// The interleaving: a lane for each thread, time from top to bottom, what synchronises as arrows, and what is missing
// dashed. It tells what the report knows: the two accesses, the operations by which the threads met, and what the
// chosen way of mending would add.

function steps(f, way) {
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
  const all = (value) => (Array.isArray(value) ? value.flatMap(all)
    : value && value.role ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(all) : []);
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
    const note = { "widen-scope": `wider: ${step.reach} scope`, order: `make it ${step.order}`, "make-atomic": "make it atomic",
      "use-one-size": "one size for both", "one-thread": `one thread of the ${step.group}`,
      "separate-elements": `memory of its own for each ${step.owner}`, move: "move it", "take-lock": "take the lock",
      "split-statement": "read, meet, then write", "expect-bytes": "expect all bytes" }[step.do];
    for (const spot of all(step.at).concat(step.what && step.what.role ? [step.what] : [])) if (note) seen(spot).notes.push(note);
  }
  return [first, ...after, ...both, ...before, second];
}

function laneName(side) {
  if (!side.block) return T(side.who).replace(/`/g, "");
  return `thread ${at(side.thread)}`;
}

function timeline(f, way) {
  const all = steps(f, way);
  const grid = h("div", { cls: "timeline" });
  const kernels = new Set(f.accesses.map((side) => side.kernel));
  f.accesses.forEach((side, n) => grid.append(h("div", { cls: "lane-head h" + n, style: `grid-column:${n + 1}` }, badge(n),
    h("span", {}, h("b", { text: laneName(side) }), h("span", { cls: "dim", text: (side.block ? `block ${at(side.block)}` : "") + (kernels.size > 1 && side.block ? ` of ${T(side.kernel).split("(")[0]}` : "") })))));
  const elements = all.map((node, row) => {
    const column = node.lane === "both" ? "1 / 3" : String(node.lane + 1);
    const line = node.line && lineOf(node.line.file, node.line.line);
    const code = line && (node.line.span ? line.slice(...node.line.span) : line);
    const element = h("div", { cls: `step ${node.kind} ${node.side !== undefined ? "s" + node.side : ""}`, style: `grid-column:${column};grid-row:${row + 2}` },
      h("div", { cls: "step-title" }, node.side !== undefined ? badge(node.side) : null, node.kind === "ghost" ? h("code", { text: node.text }) : node.text,
        node.line ? h("span", { cls: "dim", text: ` line ${node.line.line}` }) : null),
      code && node.kind !== "ghost" ? h("code", { cls: "step-code", text: code.trim() }) : null,
      node.kind === "ghost" ? h("span", { cls: "dim", text: "is missing" }) : null,
      [...new Set(node.notes)].map((note) => h("span", { cls: "note", text: note })));
    grid.append(element);
    return element;
  });
  const svg = s("svg", { cls: "arrows", "aria-hidden": "true" });
  grid.prepend(svg);
  const of = (kind, lane) => all.findIndex((n) => n.kind === kind && n.lane === lane);
  const draw = () => {
    const box = grid.getBoundingClientRect();
    if (!box.width) return;
    svg.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    svg.replaceChildren();
    const edge = (n) => {
      const r = elements[n].getBoundingClientRect();
      return { l: r.left - box.left, r: r.right - box.left, t: r.top - box.top, b: r.bottom - box.top,
        x: (r.left + r.right) / 2 - box.left, y: (r.top + r.bottom) / 2 - box.top };
    };
    const arrow = (path, cls, tip, angle) => svg.append(s("path", { d: path, cls }),
      s("path", { cls: cls + " tip", d: "M0 0l-9 -4.5v9z", transform: `translate(${tip[0]} ${tip[1]}) rotate(${angle})` }));
    for (const lane of [0, 1]) {
      const x = box.width * (lane ? 0.75 : 0.25);
      const top = grid.querySelector(".h" + lane).getBoundingClientRect().bottom - box.top;
      svg.append(s("path", { cls: "lane", d: `M${x} ${top}V${box.height}` }));
    }
    const [a, b] = [edge(0), edge(all.length - 1)];
    const set = of("sync", 0), read = of("sync", 1);
    if (set > 0 && read > set) {
      const [p, q] = [edge(set), edge(read)];
      const by = Math.max(30, (q.l - p.r) * 0.8);
      arrow(`M${p.r} ${p.y}C${p.r + by} ${p.y} ${q.l - by} ${q.y} ${q.l - 3} ${q.y}`, "seen", [q.l - 1, q.y], 0);
    }
    // What nothing orders: out of (1), down between the lanes, into (2).
    const mid = (a.r + b.l) / 2, bend = Math.min(22, (b.l - a.r) / 2);
    arrow(`M${a.r} ${a.y}Q${mid} ${a.y} ${mid} ${a.y + bend}V${b.y - bend}Q${mid} ${b.y} ${b.l - 3} ${b.y}`, "missing", [b.l - 1, b.y], 0);
  };
  grid.redraw = draw;
  const said = `(1) ${T(f.accesses[0].what)} by ${T(f.accesses[0].who)} and (2) ${T(f.accesses[1].what)} by ${T(f.accesses[1].who)}: nothing orders them`;
  const met = of("sync", 0), seen = met > 0 && of("sync", 1) > met;
  return { element: h("div", { role: "img", "aria-label": said }, grid), draw, seen };
}
