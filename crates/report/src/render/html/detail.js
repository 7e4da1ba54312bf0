// All about one finding.

const LEVELS = { race: "race", hazard: "hazard", "unseen-launch": "race (in a launch that was not seen)" };
function section(title, ...children) {
  const content = children.flat().filter(Boolean);
  return content.length ? h("section", { cls: "part" }, h("h3", { text: title }), content) : null;
}

function copyable(text) {
  const button = h("button", { type: "button", cls: "quiet copy", text: "copy" });
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = "copied"; }
    catch { getSelection().selectAllChildren(button.previousSibling); button.textContent = "selected"; }
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  return h("div", { cls: "command" }, h("code", { text }), button);
}

function chain(side) {
  return side.inlined.map(([file, line, name]) => h("li", {}, h("code", { text: T(name) }), h("span", { cls: "dim", text: ` ${T(file)}:${line}` })));
}

function facts(f) {
  const rows = [];
  const row = (name, ...value) => rows.push(h("dt", {}, name), h("dd", {}, value));
  row("memory", prose(T(f.memory)), f.bytes ? `, byte ${grouped(f.offset)} of ${grouped(f.bytes)}` : "");
  const kernels = [...new Set(f.accesses.filter((x) => x.block).map((x) => T(x.kernel)))];
  if (kernels.length) row(kernels.length > 1 ? "kernels" : "kernel", kernels.map((k, n) => [n ? ", " : "", h("code", { text: k })]).flat());
  (f.within || []).forEach(([name, text]) => row(name, T(text)));
  row("seen", T(f.seen));
  if (f.history) row("history", historyOf(f.history, runs[f.run].campaign));
  f.accesses.forEach((side, n) => {
    if (T(side.instruction)) row(h("span", {}, badge(n), " PTX"), h("code", { text: T(side.instruction) }), h("span", { cls: "dim", text: side.ptx_line ? ` line ${side.ptx_line}` : "" }));
    if (side.inlined.length) row(h("span", {}, badge(n), " inlined"), h("details", {}, h("summary", {}, h("code", { text: T(side.inlined[0][2]) }), ` into ${plural(side.inlined.length - 1, "caller")}`), h("ol", { cls: "chain" }, chain(side))));
  });
  row("identity", h("code", { text: f.id }));
  if (T(f.replay)) row("replay", copyable(T(f.replay)));
  return h("dl", { cls: "facts" }, rows);
}

function others(f) {
  if (!f.also.length) return null;
  const side = (x, n) => h("div", {}, badge(n), ` ${T(x.what)} by ${T(x.who)} `, h("span", { cls: "dim", text: x.line ? place(x) : x.ptx_line ? "PTX line " + x.ptx_line : "" }));
  return h("details", {}, h("summary", { text: `${plural(f.also.length + f.more, "other pair")} of instructions of these statements` }),
    h("ul", { cls: "others" }, f.also.map((o) => h("li", {}, h("span", { cls: "class", text: o.class }), h("span", { cls: "dim", text: ` ${plural(o.count, "time")}` }), o.accesses.map(side)))),
    f.more ? h("p", { cls: "dim", text: `… and ${f.more} more` }) : null);
}

let drawn = null;

function showDetail(f, neighbours) {
  const target = $("detail");
  let chosen = 0;
  const code = h("div"), lanes = h("div"), help = h("div", { cls: "ways" });
  const choose = (n) => {
    chosen = n;
    const way = f.ways[n];
    code.replaceChildren(...sourcePanel(f, way ? way[1] : []));
    const line = timeline(f, way);
    lanes.replaceChildren(line.element);
    lanes.dataset.seen = line.seen;
    lanes.dataset.ghosts = line.ghosts;
    drawn = line.draw;
    requestAnimationFrame(drawn);
    help.replaceChildren(...f.ways.map(([text], i) => h("button", { type: "button", cls: "way" + (i === chosen ? " on" : ""), "aria-pressed": String(i === chosen), onclick: () => choose(i) },
      h("span", { cls: "way-no", text: i === chosen ? "●" : "○" }), h("span", {}, prose(T(text))))));
  };
  choose(0);
  const kept = f.suppressed !== undefined ? h("p", { cls: "kept" }, "suppressed ", prose(f.suppressed)) : null;
  target.replaceChildren(
    h("div", { cls: "detail-head" },
      h("div", { cls: "crumbs" }, h("span", { cls: "level " + f.level, text: LEVELS[f.level] }),
        h("button", { type: "button", cls: "class link", title: "What is this?", onclick: () => showRule(f.class) }, f.class, h("span", { cls: "ask", "aria-hidden": "true", text: "?" })),
        runs.length > 1 ? h("span", { cls: "dim", text: runs[f.run].name }) : null,
        h("span", { cls: "space" }),
        h("span", { cls: "stepper" }, h("button", { type: "button", cls: "quiet", "aria-label": "Finding before", title: "before (k)", disabled: !neighbours.before, onclick: neighbours.before, text: "↑" }),
          h("button", { type: "button", cls: "quiet", "aria-label": "Next finding", title: "next (j)", disabled: !neighbours.after, onclick: neighbours.after, text: "↓" }))),
      h("h2", {}, prose(capital(T(f.title)))), kept),
    code,
    h("div", { cls: "columns" },
      section("Why nothing orders them", h("p", { cls: "why" }, prose(capital(T(f.why))))),
      section(f.ways.length > 1 ? "How to mend it: any of these" : "How to mend it", help)),
    section("The pipeline", ring(f)),
    section("What happened", lanes, h("p", { cls: "legend small dim" }, [["missing", "nothing orders (1) before (2)"], ["seen", "what the one wrote, the other read"], ["ghost", "what would mend it"]]
      .map(([key, what]) => h("span", { cls: "key key-" + key }, h("i"), what)),
      h("span", { text: f.story ? "as this run was recorded, from top to bottom" : "drawn from what the finding says: of this one there is no record" }))),
    h("div", { cls: "columns" }, section("Memory", memoryMap(f)), section("Threads", threadMap(f))),
    section("More", facts(f), others(f)));
  target.scrollTop = 0;
  requestAnimationFrame(() => target.querySelectorAll(".code").forEach(reveal));
  $("pane").scrollTop = 0;
}

// On a narrow screen: the marked part of the code is to be seen, with as much before it as there is room for.
function reveal(code) {
  const frame = code.getBoundingClientRect();
  const ends = [...code.querySelectorAll("mark")].map((mark) => mark.getBoundingClientRect());
  const over = Math.max(0, ...ends.map((end) => end.right)) + 12 - frame.right;
  const room = Math.min(Infinity, ...ends.map((end) => end.left)) - 70 - frame.left;
  if (over > 0) code.scrollLeft = Math.min(over, Math.max(room, 0));
}

function showRule(name) {
  const rule = rules[name];
  const f = findings.find((f) => f.class === name && f.page);
  openDialog(h("div", { cls: "page" }, rule ? markdown(rule.page) : h("p", { text: name }),
    f && /^(https?|file):/.test(f.page) ? h("p", {}, h("a", { href: f.page, rel: "noreferrer", text: "This page in the book" })) : null));
}

function openDialog(content) {
  const dialog = $("dialog");
  dialog.replaceChildren(h("button", { type: "button", cls: "quiet close", "aria-label": "Close", text: "✕", onclick: () => dialog.close() }), content);
  dialog.showModal();
  dialog.scrollTop = 0;
}
