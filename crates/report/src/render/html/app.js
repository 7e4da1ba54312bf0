// The list of findings, filters, the overview, keys. Only the rows that are on the screen are elements.

const HEAD = 34, ROW = 66;
const state = { text: "", off: new Set(), kept: false, selected: -1 };
const classes = [...new Set(findings.map((f) => f.class))];
const shownRuns = runs.length > 1;

// What is searched, made when somebody searches.
const hay = [];
const haystack = (n) => (hay[n] ??= (() => {
  const f = findings[n];
  const sides = f.accesses.flatMap((x) => [T(x.file), x.line, T(x.function), T(x.kernel), T(x.what)]);
  return [f.class, f.level, f.id, T(f.title), T(f.memory), runs[f.run].name, ...sides].join(" ").toLowerCase();
})());

// The file that a finding is listed under: of the first side that has a line.
const home = (f) => f.accesses.find((x) => x.line) || f.accesses[0];
const homeName = (f) => { const side = home(f); return side.line ? T(side.file) : "without source lines"; };

// What the page's address says of a finding: its identity, with the program's name where there are several, and a number
// where that is not one finding's alone.
const addresses = (() => {
  const used = new Map();
  return findings.map((f) => {
    const name = (shownRuns ? runs[f.run].name + "/" : "") + f.id, before = used.get(name) || 0;
    used.set(name, before + 1);
    return before ? `${name}~${before + 1}` : name;
  });
})();

let order = [], rows = [], tops = [0];

function refresh() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  order = [];
  for (let n = 0; n < findings.length; n++) {
    const f = findings[n];
    if ((f.suppressed !== undefined) !== state.kept || state.off.has(f.class)) continue;
    if (words.length && !words.every((word) => haystack(n).includes(word))) continue;
    order.push(n);
  }
  const byFile = new Map();
  for (const n of order) {
    const name = homeName(findings[n]);
    if (!byFile.has(name)) byFile.set(name, []);
    byFile.get(name).push(n);
  }
  order = [];
  rows = [];
  tops = [0];
  const add = (row, height) => { rows.push(row); tops.push(tops[tops.length - 1] + height); };
  for (const [name, list] of byFile) {
    add({ file: name, count: list.length }, HEAD);
    list.sort((a, b) => home(findings[a]).line - home(findings[b]).line || a - b);
    for (const n of list) { order.push(n); add({ n }, ROW); }
  }
  $("rows").style.height = tops[rows.length] + "px";
  const all = findings.filter((f) => (f.suppressed !== undefined) === state.kept).length;
  $("shown").textContent = order.length === all ? plural(all, state.kept ? "suppressed finding" : "finding") : `${grouped(order.length)} of ${plural(all, "finding")}`;
  render(true);
}

let rendered = [-1, -1];

function render(force) {
  const scroll = $("scroll"), top = scroll.scrollTop, bottom = top + scroll.clientHeight;
  const find = (y) => { let a = 0, b = rows.length; while (a < b) { const m = (a + b) >> 1; if (tops[m + 1] <= y) a = m + 1; else b = m; } return a; };
  const from = Math.max(0, find(top) - 6), to = Math.min(rows.length, find(bottom) + 7);
  if (!force && rendered[0] === from && rendered[1] === to) return;
  rendered = [from, to];
  const list = [];
  for (let i = from; i < to; i++) list.push(rows[i].file !== undefined ? fileRow(rows[i], tops[i]) : findingRow(rows[i].n, tops[i]));
  if (!rows.length) list.push(h("p", { cls: "empty" }, findings.length ? "Nothing matches." : "Nothing was found."));
  $("rows").replaceChildren(...list);
}

const fileRow = (row, top) => h("div", { cls: "file", style: `top:${top}px`, role: "presentation", title: row.file },
  h("b", { text: base(row.file) }), h("span", { cls: "dim path", text: row.file.includes("/") ? row.file.slice(0, row.file.lastIndexOf("/")) : "" }), h("span", { cls: "count", text: grouped(row.count) }));

function findingRow(n, top) {
  const f = findings[n];
  const lines = f.accesses.map((x) => (x.line ? String(x.line) : "·"));
  const names = [...new Set(f.accesses.map((x) => T(x.function)).filter(Boolean))];
  return h("div", { cls: "row" + (n === state.selected ? " on" : ""), style: `top:${top}px`, role: "option", id: "row" + n, "aria-selected": String(n === state.selected), onclick: () => select(n) },
    h("div", { cls: "row-top" }, h("span", { cls: "dot " + f.level }), h("span", { cls: "class", text: f.class }), h("span", { cls: "space" }),
      h("span", { cls: "lines" }, badge(0), " " + lines[0] + "  ", badge(1), " " + lines[1])),
    h("div", { cls: "row-title" }, prose(T(f.title))),
    h("div", { cls: "row-names dim" }, shownRuns ? runs[f.run].name + " · " : "", names.join(", ")));
}

// Searches for a text, as if it had been typed.
function find(text) {
  $("search").value = state.text = text;
  refresh();
  setView(innerWidth < 900 ? "list" : document.body.dataset.view);
}

function select(n, quiet) {
  state.selected = n;
  const at = order.indexOf(n), f = findings[n];
  const go = (to) => (order[to] === undefined ? null : () => select(order[to]));
  showDetail(f, { before: at > 0 ? go(at - 1) : null, after: at >= 0 ? go(at + 1) : null });
  setView("detail");
  if (!quiet) history.pushState(null, "", "#" + encodeURIComponent(addresses[n]));
  const i = rows.findIndex((row) => row.n === n);
  const scroll = $("scroll");
  if (i >= 0 && (tops[i] < scroll.scrollTop || tops[i + 1] > scroll.scrollTop + scroll.clientHeight))
    scroll.scrollTop = Math.max(0, tops[i] - scroll.clientHeight / 3);
  scroll.setAttribute("aria-activedescendant", "row" + n);
  render(true);
}

function setView(view) {
  document.body.dataset.view = view;
  for (const tab of document.querySelectorAll(".tab")) {
    const on = tab.dataset.to === (view === "detail" ? "list" : view);
    tab.classList.toggle("on", on);
    tab.setAttribute("aria-current", on ? "page" : "false");
  }
  if (drawn) requestAnimationFrame(drawn);
  render(true);
}

function fromAddress() {
  const name = decodeURIComponent(location.hash.slice(1));
  const n = addresses.indexOf(name);
  if (n >= 0) {
    if ((findings[n].suppressed !== undefined) !== state.kept) { state.kept = !state.kept; chips(); refresh(); }
    select(n, true);
  } else setView("overview");
}

function chips() {
  const count = (name) => findings.filter((f) => f.class === name && (f.suppressed !== undefined) === state.kept).length;
  const list = classes.filter(count).map((name) => h("button", { type: "button", cls: "chip" + (state.off.has(name) ? " off" : ""), "aria-pressed": String(!state.off.has(name)), title: "click: on or off; double click: only this",
    onclick: () => { if (state.off.has(name)) state.off.delete(name); else state.off.add(name); chips(); refresh(); },
    ondblclick: () => { state.off = new Set(classes.filter((c) => c !== name)); chips(); refresh(); } },
    name, h("span", { cls: "count", text: grouped(count(name)) })));
  if (state.off.size) list.push(h("button", { type: "button", cls: "chip clear", text: "all", onclick: () => { state.off.clear(); chips(); refresh(); } }));
  const kept = findings.filter((f) => f.suppressed !== undefined).length;
  if (kept) list.push(h("button", { type: "button", cls: "chip kept" + (state.kept ? "" : " off"), "aria-pressed": String(state.kept),
    onclick: () => { state.kept = !state.kept; chips(); refresh(); } }, "suppressed", h("span", { cls: "count", text: grouped(kept) })));
  $("chips").replaceChildren(...list);
}

const VERDICTS = { race: "races found", hazard: "hazards, no race", inconclusive: "inconclusive", unseen: "no race seen by sampling", clean: "clean", proved: "proved", "proved-in-part": "not all proved for all launches", "race-in-unseen-launch": "races in launches that were not seen", unknown: "not all proved" };
const worst = () => ["race", "hazard", "unknown", "inconclusive", "proved-in-part", "race-in-unseen-launch", "unseen", "clean", "proved"].find((v) => runs.some((run) => run.verdict === v)) || "clean";

function tile(value, name, title) {
  return h("div", { cls: "tile", title }, h("b", { text: value }), h("span", { cls: "dim", text: name }));
}

function bars() {
  const counts = classes.map((name) => [name, findings.filter((f) => f.class === name && f.suppressed === undefined).length]).filter(([, n]) => n).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...counts.map(([, n]) => n));
  return counts.map(([name, n]) => h("div", { cls: "bar-row" },
    h("button", { type: "button", cls: "link", onclick: () => { state.off = new Set(classes.filter((c) => c !== name)); chips(); refresh(); setView("list"); }, title: "show these" }, name),
    h("span", { cls: "bar" }, h("i", { style: `width:${(100 * n) / most}%` })), h("span", { cls: "count", text: grouped(n) }),
    h("button", { type: "button", cls: "quiet", "aria-label": `What is ${name}?`, title: rules[name].summary, onclick: () => showRule(name) }, h("span", { cls: "ask", text: "?" }))));
}

function kernelTable(run) {
  if (!run.kernels.length) return null;
  const racy = (k) => findings.filter((f) => runs[f.run] === run && f.suppressed === undefined && f.accesses.some((x) => x.block && (T(x.kernel) === k.name || T(x.kernel) === k.name.slice(0, T(x.kernel).length)))).length;
  return h("div", { cls: "wide", tabindex: 0, role: "region", "aria-label": "kernels" }, h("table", {}, h("thead", {}, h("tr", {}, ["kernel", "findings", "launches checked", "threads", "instructions", "per second", "accesses"].map((name, n) => h("th", { cls: n ? "n" : "", text: name })))),
    h("tbody", {}, run.kernels.map((k) => h("tr", {},
      h("td", {}, h("code", { text: k.name }), k.line_info ? null : h("span", { cls: "tag", title: "compile with -lineinfo", text: "no lines" }), k.unfinished ? h("span", { cls: "tag", text: "not ended" }) : null),
      h("td", { cls: "n" + (racy(k) ? " bad" : ""), "data-name": "findings", text: grouped(racy(k)) }),
      h("td", { cls: "n", "data-name": "launches" }, h("span", { cls: "cover", title: `${k.checked} of ${k.launches}` }, h("i", { style: `width:${k.launches ? (100 * k.checked) / k.launches : 0}%` })), ` ${grouped(k.checked)} of ${grouped(k.launches)}`),
      h("td", { cls: "n", "data-name": "threads", text: short(k.threads) }), h("td", { cls: "n", "data-name": "instructions", text: short(k.instructions) }), h("td", { cls: "n", "data-name": "per second", text: k.ns && k.instructions ? short(k.instructions / (k.ns / 1e9)) : "–" }), h("td", { cls: "n", "data-name": "accesses", text: short(k.accesses) }))))));
}

// Without findings: what it comes to, the same if findings are suppressed, and what that means.
const HEROES = {
  clean: ["Clean", "Clean but for what is suppressed", "No two accesses that were checked race."],
  unseen: ["No race seen", "No other race seen", "Kernels looked at a sample of what happened."],
  proved: ["Proved", "Proved but for what is suppressed", "No launch that satisfies the assumptions has a race."],
  "proved-in-part": ["Not all is proved for all launches", "Not all is proved for all launches", "Of some kernels only a part of the launches that the host code can make is proved to have no race."],
  "race-in-unseen-launch": ["Races in launches that were not seen", "Other races in launches that were not seen", "No known host code makes these launches."],
  unknown: ["Not all is proved", "Not all is proved", "Of some kernels it is not known whether a launch has a race."],
  inconclusive: ["Inconclusive", "Inconclusive", "No race was seen, but not everything could be checked."],
};

// A prover's answers, each with what it rests on.
function proofs(run) {
  return run.proofs.map((proof) => h("details", { cls: "proof" },
    h("summary", {}, h("span", { cls: "verdict " + proof.verdict, text: proof.verdict }), " ", h("code", { text: proof.kernel })),
    proof.witness ? h("p", { cls: "small" }, "shown by ", h("code", { text: proof.witness.launch }), proof.witness.started ? [", which the program makes ", prose(proof.witness.started)] : null) : null,
    proof.conditions && proof.conditions.length ? [h("p", { cls: "small" }, "only if"), h("ul", { cls: "small" }, proof.conditions.map((text) => h("li", {}, prose(text))))] : null,
    proof.assumptions.length ? [h("p", { cls: "small dim", text: "assuming" }), h("ul", { cls: "small" }, proof.assumptions.map((text) => h("li", {}, prose(text))))] : null,
    (proof.doubts || []).map((doubt) => h("p", { cls: "small" }, prose(doubt.why), doubt.at ? h("span", { cls: "dim", text: ` (${[...new Set(doubt.at)].join(" and ")})` }) : null,
      doubt.suggestion ? [h("br"), h("b", { text: "help: " }), prose(doubt.suggestion)] : null))));
}

function overview() {
  const out = [];
  const races = findings.filter((f) => f.level === "race" && f.suppressed === undefined).length;
  const hazards = findings.filter((f) => f.level === "hazard" && f.suppressed === undefined).length;
  const unseen = findings.filter((f) => f.level === "unseen-launch" && f.suppressed === undefined).length;
  const kept = findings.length - races - hazards - unseen;
  const sum = (of) => runs.reduce((total, run) => total + of(run.summary), 0);
  const ns = sum((x) => x.kernel_ns), instructions = sum((x) => x.thread_instructions);
  out.push(h("div", { cls: "hero " + worst() }, h("h1", { text: races ? plural(races, "race") : hazards ? plural(hazards, "hazard") : HEROES[worst()][kept ? 1 : 0] }),
    h("p", {}, races + hazards ? `in ${plural(new Set(findings.filter((f) => f.suppressed === undefined).map(homeName)).size, "file")}${races && hazards ? `, and ${plural(hazards, "hazard")}` : ""}${kept ? `; ${plural(kept, "finding")} suppressed` : ""}`
      : HEROES[worst()][2] + (kept ? ` ${plural(kept, "finding")} suppressed.` : ""))));
  const proved = runs.flatMap((run) => run.proofs), answers = (verdict) => proved.filter((proof) => proof.verdict === verdict).length;
  if (proved.length) out.push(h("div", { cls: "tiles" }, ["proved", "race", "unknown"].map((verdict) => tile(grouped(answers(verdict)), { proved: "proved", race: "with races", unknown: "unknown" }[verdict]))));
  else if (sum((x) => x.checked)) out.push(h("div", { cls: "tiles" }, tile(grouped(sum((x) => x.kernels)), sum((x) => x.kernels) === 1 ? "kernel" : "kernels"), tile(sum((x) => x.checked) === sum((x) => x.launches) ? short(sum((x) => x.launches)) : `${short(sum((x) => x.checked))} of ${short(sum((x) => x.launches))}`, sum((x) => x.launches) === 1 ? "launch" : "launches"),
    tile(short(sum((x) => x.threads)), "threads"), tile(short(sum((x) => x.accesses)), "accesses"), instructions ? tile(short(instructions), ns ? `instructions, ${short(instructions / (ns / 1e9))}/s` : "instructions") : null,
    ns ? tile(ns >= 1e9 ? (ns / 1e9).toFixed(1) + " s" : (ns / 1e6).toFixed(1) + " ms", "in kernels") : null));
  if (races + hazards) out.push(section("By class", h("div", { cls: "bars" }, bars())));
  for (const run of runs) {
    const parts = [];
    for (const error of run.errors) parts.push(h("div", { cls: "failure" }, h("b", { text: error.class }), " ", prose(error.title),
      error.place ? h("div", { cls: "dim", text: error.place }) : null, error.notes.map((note) => h("div", { cls: "small" }, prose(note))), error.help ? h("div", { cls: "small" }, h("b", { text: "help: " }), prose(error.help)) : null));
    if (run.inconclusive.length) parts.push(h("div", { cls: "doubts" }, h("b", { text: "What could not be checked" }), h("ul", {}, run.inconclusive.map((text) => h("li", {}, prose(text))))));
    const stale = run.suppressions.filter((x) => !x.hits);
    const notes = run.limits.concat(run.weak || [], run.warnings, run.baseline && run.baseline.gone ? [`${plural(run.baseline.gone, "finding")} of ${run.baseline.file} not seen in this run`] : [],
      stale.map((x) => `entry ${x.number} of ${x.file} matches nothing: ${x.text}`));
    if (notes.length) parts.push(h("ul", { cls: "small dim" }, notes.map((text) => h("li", {}, prose(text)))));
    if (run.campaign) parts.push(campaignOf(run.campaign));
    parts.push(run.proofs.length ? proofs(run) : kernelTable(run));
    const command = run.program.command ? run.program.command.map((word) => (typeof word === "string" ? word : "…")).join(" ") : run.program.path;
    const how = [run.summary.lens ? `lens ${run.summary.lens}` : "", run.summary.schedule ? `schedule ${run.summary.schedule}` : "", run.program.signal ? `ended by signal ${run.program.signal}` : run.program.exit_code ? `exit code ${run.program.exit_code}` : ""].filter(Boolean).join(" · ");
    parts.push(h("p", { cls: "dim small" }, h("code", { text: command }), how ? " · " + how : ""));
    out.push(section(shownRuns ? `${run.name}: ${VERDICTS[run.verdict]}` : run.proofs.length ? "Kernels" : "Kernels and coverage", parts));
  }
  out.push(h("p", { cls: "dim small", text: `warprace ${data.version}` }));
  $("overview").replaceChildren(...out.filter(Boolean));
}

const KEYS = [["j, ↓ / k, ↑", "next finding, the one before"], ["Enter", "open the selected finding"], ["/", "search"], ["Esc", "back"], ["o", "overview"], ["i", "what this class is"], ["t", "light or dark"], ["?", "these keys"]];
function showKeys() {
  openDialog(h("div", { cls: "page" }, h("h2", { text: "Keys" }), h("dl", { cls: "facts" }, KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text: what })]))));
}

const remembered = { get: () => { try { return localStorage.getItem("warprace-theme"); } catch { return null; } }, set: (x) => { try { localStorage.setItem("warprace-theme", x); } catch { /* a file may have no storage */ } } };
function toggleTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  remembered.set(document.documentElement.dataset.theme);
}
if (remembered.get()) document.documentElement.dataset.theme = remembered.get();

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog").open) return;
  if (e.target === $("search")) {
    if (e.key === "Escape") { if (state.text) { $("search").value = state.text = ""; refresh(); } else $("search").blur(); }
    else if (e.key === "Enter" || e.key === "ArrowDown") { e.preventDefault(); $("scroll").focus(); if (order.length) select(order[0]); }
    return;
  }
  const step = (by) => { const at = order.indexOf(state.selected), to = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by; if (order[to] !== undefined) select(order[to]); };
  const pane = $("pane").contains(document.activeElement) && e.key.startsWith("Arrow");
  const keys = { j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), "/": () => { setView(innerWidth < 900 ? "list" : document.body.dataset.view); $("search").focus(); },
    Escape: () => leave(), o: () => home_(), t: toggleTheme, "?": showKeys, i: () => state.selected >= 0 && showRule(findings[state.selected].class), Enter: () => document.activeElement === $("scroll") && state.selected >= 0 && (setView("detail"), $("pane").focus()) };
  if (keys[e.key] && !pane && !(e.key === "Enter" && document.activeElement !== $("scroll"))) { e.preventDefault(); keys[e.key](); }
});
const home_ = () => { history.pushState(null, "", "#"); setView("overview"); };
const leave = () => { if (document.body.dataset.view === "detail" && innerWidth < 900) { setView("list"); } else home_(); };

$("search").addEventListener("input", () => { state.text = $("search").value; refresh(); $("scroll").scrollTop = 0; });
$("scroll").addEventListener("scroll", () => render(false), { passive: true });
addEventListener("resize", () => { render(true); if (drawn) requestAnimationFrame(drawn); });
addEventListener("hashchange", fromAddress);
addEventListener("popstate", fromAddress);
$("theme").addEventListener("click", toggleTheme);
$("keys").addEventListener("click", showKeys);
$("back").addEventListener("click", () => setView("list"));
$("home").addEventListener("click", (e) => { e.preventDefault(); home_(); });
$("dialog").addEventListener("click", (e) => { if (e.target === $("dialog")) $("dialog").close(); });
for (const tab of document.querySelectorAll(".tab")) tab.addEventListener("click", () => setView(tab.dataset.to === "list" && state.selected >= 0 && innerWidth >= 900 ? "detail" : tab.dataset.to));

const name = shownRuns ? plural(runs.length, runs.every((run) => run.program.name) ? "program" : "run") : base(runs.length ? runs[0].program.path : "");
document.title = `${name}: ${VERDICTS[worst()]} – warprace`;
$("program").textContent = name;
$("program").title = runs.map((run) => run.program.path).join("\n");
$("verdict").textContent = VERDICTS[worst()];
$("verdict").classList.add(worst());
$("total").textContent = grouped(findings.filter((f) => f.suppressed === undefined).length);
state.kept = findings.length > 0 && findings.every((f) => f.suppressed !== undefined);
chips();
overview();
refresh();
// A handful of findings is read one by one: the first is open. An address names its own.
const HANDFUL = 5;
if (!location.hash && order.length && order.length <= HANDFUL) {
  select(order[0], true);
  history.replaceState(null, "", "#" + encodeURIComponent(addresses[order[0]]));
} else fromAddress();
// For tests: milliseconds since the page was asked for.
document.body.dataset.ready = String(Math.ceil(performance.now()));
