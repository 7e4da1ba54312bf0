// Pictures of the memory that both sides touch, and of where their threads are.

function memoryMap(f) {
  const out = [];
  const sides = f.accesses;
  const known = f.bytes !== null && f.bytes !== undefined;
  // What else was found in the same memory. Only a variable's name says that it is the same one: allocations have none.
  const variable = !T(f.memory).includes(" from `");
  const neighbours = findings.filter((g) => variable && g !== f && g.run === f.run && g.memory === f.memory && g.bytes === f.bytes);
  if (known && f.bytes > 0) {
    // The whole of it, and where in it this is.
    const from = Math.min(f.offset, ...sides.map((x) => x.offset)) / f.bytes * 100;
    const size = Math.max(...sides.map((x) => x.size)) / f.bytes * 100;
    out.push(h("div", { cls: "extent", role: "img", "aria-label": `byte ${f.offset} of ${f.bytes}` },
      neighbours.slice(0, 400).map((g) => h("div", { cls: "there", style: `left:${Math.min(Math.max(g.offset / f.bytes * 100, 0), 99)}%` })),
      h("div", { cls: "here", style: `left:${Math.min(Math.max(from, 0), 99)}%;width:max(3px, ${Math.min(size, 100)}%)` })),
      h("div", { cls: "extent-ends dim" }, h("span", { text: "0" }), h("span", { text: plural(f.bytes, "byte") })));
  }
  // A window of elements around the raced-on ones; each side's bytes above one another.
  const unit = Math.max(1, Math.min(...sides.map((x) => x.size || 1), 16));
  const low = Math.min(...sides.map((x) => x.offset)), high = Math.max(...sides.map((x) => x.offset + Math.min(x.size, 16 * unit)));
  const first = Math.floor(low / unit), last = Math.ceil(high / unit) - 1;
  const cells = 8, spare = Math.max(0, cells - (last - first + 1));
  let from = Math.max(0, first - Math.floor(spare / 2));
  const limit = known ? Math.ceil(f.bytes / unit) : Infinity;
  let to = Math.min(limit - 1, Math.max(last, from + cells - 1));
  from = Math.max(0, Math.min(from, to - cells + 1));
  const touched = (side, cell) => side.offset < (cell + 1) * unit && side.offset + side.size > cell * unit;
  const others = f.also.filter((o) => o.memory === f.memory).flatMap((o) => o.accesses).concat(neighbours.flatMap((g) => g.accesses));
  const row = h("div", { cls: "cells" });
  for (let cell = from; cell <= to && cell < from + 24; cell++) {
    const hit = [0, 1].filter((n) => touched(sides[n], cell));
    const also = hit.length ? [] : others.filter((x) => touched(x, cell));
    const who = hit.map((n) => `(${n + 1}) ${T(sides[n].what)} by ${T(sides[n].who)}`).concat(also.map((x) => `also ${T(x.what)} by ${T(x.who)}`));
    row.append(h("div", { cls: "cell" + (hit.length === 2 ? " clash" : hit.length ? " one" : also.length ? " also" : ""), title: who.join("\n") || null },
      h("div", { cls: "who" }, also.length ? h("span", { cls: "dim", text: "×" + also.length }) : null, hit.map((n) => h("span", { cls: "touch t" + n }, badge(n), h("b", { text: T(sides[n].kind).replace("async-", "") }), sides[n].thread ? h("span", { text: at(sides[n].thread) }) : null))),
      h("div", { cls: "index", text: cell })));
  }
  out.push(row, h("p", { cls: "dim small", text: `elements of ${plural(unit, "byte")}; ` + sides.map((x, n) => `(${n + 1}) ${T(x.kind)}s ${x.size === 1 ? "byte" : "bytes"} ${x.offset}${x.size > 1 ? "–" + (x.offset + x.size - 1) : ""}`).join(", ") }));
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
