// The source, with both sides of a race marked in it.

const CONTEXT = 3;

function lineOf(file, line) {
  for (const chunk of files[file] || []) {
    const n = line - chunk.from;
    if (n >= 0 && n < chunk.lines.length) return chunk.lines[n];
  }
  return undefined;
}

// What a way of mending puts where: {file, before: line} or {file, after: line}, and the text.
const BARRIER = { warp: "__syncwarp();", block: "__syncthreads();", cluster: "cluster.sync();", grid: "grid.sync();" };
const FENCE = { block: "__threadfence_block();", device: "__threadfence();", system: "__threadfence_system();",
  cluster: "fence of cluster scope" };
const AWAITED = { copy: "wait for the copy", transaction: "wait for the bytes", "bulk-group": "wait for the bulk copies",
  "bulk-group-read": "wait until the copies have read", barrier: "wait at the barrier", users: "wait for all who use it",
  "previous-kernel": "wait for the kernel before" };
const ORDER = { "same-stream": "the same stream", event: "an event: record, then wait", synchronise: "synchronise",
  "graph-edge": "an edge of the graph" };

function inserted(step) {
  switch (step.do) {
    case "insert-barrier": return step.text || BARRIER[step.group];
    case "insert-role-barrier": return "a barrier of the threads that come here";
    case "insert-fence": return step.text || FENCE[step.reach];
    case "insert-proxy-fence": return `fence.proxy.${step.proxy}`;
    case "wait-for": return AWAITED[step.what];
    case "split-kernel": return "the kernel ends here, and another one goes on";
    case "order-tasks": return ORDER[step.by];
    default: return undefined;
  }
}

// A position names spots; a spot that is an access has its line from the finding. Where all threads of a block are to come, it
// is the line of the branch around the spot that only some of them take.
function spotLine(f, spot, all) {
  const line = all && spot.branch && spot.branch < spot.line ? spot.branch : spot.line;
  if (line) return { file: spot.file, line };
  const side = { first: 0, second: 1 }[spot.role];
  return side === undefined || !f.accesses[side].line ? undefined : f.accesses[side];
}

// The line of the statement that a line ends: that of the loop or condition without braces that it belongs to.
function statement(file, line) {
  const indent = (text) => /^\s*/.exec(text)[0].length;
  for (let n = line - 1; ; n--) {
    const here = lineOf(file, line), above = lineOf(file, n);
    if (above === undefined || indent(above) >= indent(here) || !/\)\s*(\/\/.*)?$/.test(above)) return line;
    line = n;
  }
}

function insertions(f, steps) {
  const out = [];
  for (const step of steps) {
    const text = inserted(step);
    if (!text || !step.at || step.do === "order-tasks") continue;
    const { between, before, after } = step.at;
    const rounds = step.at["between-rounds"];
    const block = step.do === "insert-barrier" && step.group !== "warp";
    const lines = (between || rounds || [before || after]).map((spot) => spot && spotLine(f, spot, block));
    if (!lines[0] || !lines.every((l) => l && l.file === lines[0].file)) continue;
    const [a, b] = lines;
    // In a loop, a barrier before an access that comes earlier in the text belongs at the end of the round.
    const last = before && step.do === "insert-barrier" && f.accesses.find((x) => x.file === a.file && x.line > a.line);
    if (last) out.push({ file: last.file, after: last.line, text });
    else if (between && a.line < b.line) out.push({ file: b.file, before: statement(b.file, b.line), text });
    else if (before) out.push({ file: a.file, before: statement(a.file, a.line), text });
    else out.push({ file: a.file, after: Math.max(...lines.map((l) => l.line)), text });
  }
  return out;
}

function sourceLine(file, n, marks) {
  const text = lineOf(file, n) ?? "";
  const code = h("code");
  // Where spans of both sides overlap, the first one wins; the label tells of both.
  const spans = marks.filter((m) => m.span).map((m) => [...m.span, m.side]).sort((a, b) => a[0] - b[0]);
  let last = 0;
  for (const [from, to, side] of spans) {
    if (from < last) continue;
    code.append(...highlight(text.slice(last, from)), h("mark", { cls: "m" + side }, highlight(text.slice(from, to))));
    last = to;
  }
  code.append(...highlight(text.slice(last)));
  const sides = [...new Set(marks.map((m) => m.side))];
  const gutter = h("span", { cls: "gutter" }, sides.map((side) => badge(side)));
  return h("div", { cls: "line" + (sides.length ? " at" + sides.join("") : "") }, gutter, h("span", { cls: "no", text: n }), code);
}

const badge = (side) => h("span", { cls: "badge b" + side, text: side + 1 });

function sourcePanel(f, steps) {
  const added = insertions(f, steps);
  const wanted = new Map();
  f.accesses.forEach((side, n) => {
    if (!side.line || lineOf(side.file, side.line) === undefined) return;
    if (!wanted.has(side.file)) wanted.set(side.file, []);
    wanted.get(side.file).push({ line: side.line, side: n, span: side.span });
  });
  const out = [];
  for (const [file, marks] of wanted) {
    const lines = [...new Set([...marks.map((m) => m.line),
      ...added.filter((i) => i.file === file).map((i) => i.before || i.after)])].sort((a, b) => a - b);
    const rows = [];
    let next = 0;
    for (const line of lines) {
      const from = Math.max(next, line - CONTEXT, 1);
      if (next && from > next) rows.push(h("div", { cls: "gap", text: "⋯" }));
      for (let n = from; n <= line + CONTEXT; n++) {
        if (lineOf(file, n) === undefined) continue;
        const here = marks.filter((m) => m.line === n);
        const extra = (where) => added.filter((i) => i.file === file && i[where] === n).map((i) => {
          const indent = /^\s*/.exec(lineOf(file, where === "after" ? statement(file, n) : n))[0];
          return h("div", { cls: "line ghost" }, h("span", { cls: "gutter", text: "+" }), h("span", { cls: "no" }),
            h("code", { text: indent + i.text }));
        });
        rows.push(...extra("before"), sourceLine(file, n, here));
        for (const m of here) {
          const side = f.accesses[m.side];
          rows.push(h("div", { cls: "label l" + m.side }, badge(m.side), h("span", {}, `${T(side.what)} by ${T(side.who)}`)));
        }
        rows.push(...extra("after"));
        next = n + 1;
      }
    }
    const places = marks.map((m) => m.line);
    out.push(h("figure", { cls: "source" },
      h("figcaption", {}, h("span", { cls: "path", text: T(file) }), h("span", { cls: "dim", text: ":" + [...new Set(places)].join(", ") })),
      h("div", { cls: "code", tabindex: 0, role: "region", "aria-label": "source of " + T(file) }, h("div", { cls: "lines" }, rows))));
  }
  const bare = f.accesses.map((side, n) => [side, n]).filter(([side]) => !wanted.has(side.file) || !side.line);
  if (bare.length) out.push(h("div", { cls: "bare" }, bare.map(([side, n]) => h("div", { cls: "label l" + n }, badge(n),
    h("span", {}, `${T(side.what)} by ${T(side.who)}`, side.line ? h("span", { cls: "dim", text: " at " + place(side) })
      : side.ptx_line ? [h("span", { cls: "dim", text: ` at PTX line ${side.ptx_line}: ` }), h("code", { text: T(side.instruction) })] : null)))));
  return out;
}
