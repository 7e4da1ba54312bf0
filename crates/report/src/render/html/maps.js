// Pictures of the memory that both sides touch, and of where their threads are.

// Coordinates without those that are 0 for everybody.
const brief = (xyz, extent) => { const last = extent ? extent.reduce((most, n, i) => (n > 1 ? i : most), 0) : 2; return last ? at(xyz.slice(0, last + 1)) : String(xyz[0]); };
const toucher = (x) => (x.block ? `b${brief(x.block, x.grid)} t${brief(x.thread, x.extent)}` : T(x.who).replace(/`/g, ""));
// Cells of one picture, and of other findings' accesses those that one cell tells.
const CELLS = 24, TOUCHES = 3;

function memoryMap(f) {
  const out = [];
  const sides = f.accesses;
  const known = f.bytes !== null && f.bytes !== undefined;
  // What else was found in the same allocation or variable shares the picture.
  const neighbours = findings.filter((g) => g !== f && g.place === f.place && g.suppressed === f.suppressed).slice(0, 2000);
  if (known && f.bytes > 0) {
    // The whole of it, and where in it this is.
    const from = Math.min(f.offset, ...sides.map((x) => x.offset)) / f.bytes * 100;
    const size = Math.max(...sides.map((x) => x.size)) / f.bytes * 100;
    const marks = [...new Set(neighbours.map((g) => Math.round(Math.min(Math.max(g.offset / f.bytes * 100, 0), 99) * 5) / 5))];
    out.push(h("div", { cls: "extent", role: "img", "aria-label": `byte ${f.offset} of ${f.bytes}` },
      marks.map((left) => h("div", { cls: "there", style: `left:${left}%` })),
      h("div", { cls: "here", style: `left:${Math.min(Math.max(from, 0), 99)}%;width:max(3px, ${Math.min(size, 100)}%)` })),
      h("div", { cls: "extent-ends dim" }, h("span", { text: "0" }), h("span", { text: plural(f.bytes, "byte") })));
  }
  // Elements: those around the raced-on ones, and the nearest of those that other findings are about.
  const unit = Math.max(1, Math.min(...sides.map((x) => x.size || 1), 16));
  const low = Math.min(...sides.map((x) => x.offset)), high = Math.max(...sides.map((x) => x.offset + Math.min(x.size, 16 * unit)));
  const first = Math.floor(low / unit), last = Math.ceil(high / unit) - 1;
  const limit = known ? Math.ceil(f.bytes / unit) : Infinity;
  const others = new Map();
  const touch = (x, g) => {
    for (let cell = Math.max(0, Math.floor(x.offset / unit)), n = 0; cell * unit < x.offset + x.size && n < 16; cell++, n++) {
      if (!others.has(cell)) others.set(cell, []);
      others.get(cell).push({ x, g });
    }
  };
  for (const o of f.also) if (o.memory === f.memory) o.accesses.forEach((x) => touch(x, f));
  for (const g of neighbours) g.accesses.forEach((x) => touch(x, g));
  const near = [...others.keys()].filter((cell) => cell < limit && (cell < first || cell > last)).sort((p, q) => Math.min(Math.abs(p - first), Math.abs(p - last)) - Math.min(Math.abs(q - first), Math.abs(q - last)));
  const shown = new Set();
  for (let cell = first; cell <= last && cell < first + CELLS; cell++) shown.add(cell);
  for (const cell of near) if (shown.size < CELLS / 2) shown.add(cell);
  for (let by = 1; by < 8 && shown.size < 8; by++) for (const cell of [first - by, last + by]) if (cell >= 0 && cell < limit && shown.size < 8) shown.add(cell);
  const touched = (side, cell) => side.offset < (cell + 1) * unit && side.offset + side.size > cell * unit;
  const row = h("div", { cls: "cells" });
  let before;
  for (const cell of [...shown].sort((p, q) => p - q)) {
    if (before !== undefined && cell !== before + 1) row.append(h("div", { cls: "cell-gap dim", text: "⋯" }));
    before = cell;
    const hit = [0, 1].filter((n) => touched(sides[n], cell)), also = others.get(cell) || [];
    const known = new Set(), told = also.filter(({ x }) => { const key = T(x.kind) + toucher(x); return known.has(key) ? false : known.add(key); });
    const who = hit.map((n) => `(${n + 1}) ${T(sides[n].what)} by ${T(sides[n].who)}`).concat(told.slice(0, 12).map(({ x }) => `${T(x.what)} by ${T(x.who)}, line ${x.line}`));
    const mine = hit.map((n) => h("span", { cls: "touch t" + n }, badge(n), h("b", { text: T(sides[n].kind).replace("async-", "") }), h("span", { text: toucher(sides[n]) })));
    const theirs = hit.length === 2 ? [] : told.slice(0, TOUCHES).map(({ x, g }) => h(g === f ? "span" : "button", { type: g === f ? null : "button", cls: "touch other", onclick: g === f ? null : () => select(findings.indexOf(g)) }, h("b", { text: T(x.kind).replace("async-", "") }), h("span", { text: toucher(x) })));
    const more = told.length - theirs.length;
    row.append(h("div", { cls: "cell" + (hit.length === 2 ? " clash" : hit.length ? " one" : also.length ? " also" : ""), title: who.join("\n") || null },
      h("div", { cls: "who" }, mine, theirs, more > 0 ? h("span", { cls: "dim", text: `+${more}` }) : null),
      h("div", { cls: "index", text: cell })));
  }
  out.push(row, h("p", { cls: "dim small", text: `elements of ${plural(unit, "byte")}; ` + sides.map((x, n) => `(${n + 1}) ${T(x.kind)}s ${x.size === 1 ? "byte" : "bytes"} ${x.offset}${x.size > 1 ? "–" + (x.offset + x.size - 1) : ""}`).join(", ")
    + (sides.some((x) => x.block) ? "; b: block, t: thread" : "") }));
  if (neighbours.length) {
    const count = plural(neighbours.length, "other finding");
    out.push(h("p", { cls: "small" }, h("button", { type: "button", cls: "link", text: `${count} in this memory`, onclick: () => find(T(f.memory)) })));
  }
  return out;
}

const volume = (d) => d[0] * d[1] * d[2];
const flat = (at, d) => at[0] + d[0] * (at[1] + d[1] * at[2]);

// Cells in rows, at most so many; what is left out is told.
function cellsOf(count, columns, most, marks, label) {
  const wanted = new Set([0, count - 1]);
  for (const n of marks.keys()) for (let k = -1; k <= 1; k++) if (n + k >= 0 && n + k < count) wanted.add(n + k);
  const shown = count <= most ? [...Array(count).keys()] : [...wanted].sort((a, b) => a - b);
  const grid = h("div", { cls: "units", style: `--columns:${Math.min(columns, shown.length)}` });
  let before = -1;
  for (const n of shown) {
    if (n !== before + 1) grid.append(h("span", { cls: "unit gap", text: "⋯" }));
    const sides = marks.get(n) || [];
    grid.append(h("span", { cls: "unit" + (sides.length ? " u" + sides.join("") : ""), title: label(n) },
      sides.length ? sides.map((side) => side + 1).join("·") : ""));
    before = n;
  }
  return grid;
}

function threadMap(f) {
  const out = [];
  const sides = f.accesses.map((side, n) => ({ side, n })).filter(({ side }) => side.block && side.grid && side.extent);
  if (!sides.length) return out;
  const note = (marks, key, n) => marks.set(key, [...(marks.get(key) || []), n]);
  // Sides of one launch share a picture.
  const same = sides.length === 2 && f.accesses[0].kernel === f.accesses[1].kernel
    && String(f.accesses[0].grid) === String(f.accesses[1].grid) && String(f.accesses[0].extent) === String(f.accesses[1].extent);
  for (const group of same ? [sides] : sides.map((x) => [x])) {
    const { grid, extent, kernel } = group[0].side;
    const blocks = new Map();
    for (const { side, n } of group) note(blocks, flat(side.block, grid), n);
    out.push(h("h4", {}, h("code", { text: T(kernel) })),
      h("p", { cls: "dim small", text: `${plural(volume(grid), "block")} ${at(grid)} of ${plural(volume(extent), "thread")} ${at(extent)}` }),
      cellsOf(volume(grid), 32, 256, blocks, (n) => `block ${n}`));
    // The warps of each block that has a side.
    for (const [block, who] of blocks) {
      const threads = new Map(), warps = new Map();
      for (const { side, n } of group.filter(({ n }) => who.includes(n))) {
        const t = flat(side.thread, extent);
        note(threads, t, n);
        if (!warps.has(t >> 5)) warps.set(t >> 5, []);
        warps.get(t >> 5).push(n);
      }
      const lanes = h("div", { cls: "warps" });
      for (const warp of [...warps.keys()].sort((a, b) => a - b)) {
        const row = h("div", { cls: "units lanes", style: "--columns:32" });
        for (let lane = 0; lane < 32; lane++) {
          const t = warp * 32 + lane, on = threads.get(t) || [];
          row.append(h("span", { cls: "unit" + (on.length ? " u" + on.join("") : "") + (t >= volume(extent) ? " off" : ""), title: `thread ${t}, lane ${lane}` },
            on.length ? on.map((n) => n + 1).join("·") : ""));
        }
        lanes.append(h("div", { cls: "warp" }, h("span", { cls: "dim small", text: `warp ${warp}` }), row));
      }
      const all = Math.ceil(volume(extent) / 32);
      out.push(h("p", { cls: "small" }, `block ${at(group.find(({ n }) => who.includes(n)).side.block)}`, h("span", { cls: "dim", text: `, ${plural(all, "warp")}` })), lanes);
    }
  }
  return out;
}
