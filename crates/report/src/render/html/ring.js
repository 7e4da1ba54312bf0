// The pipeline: a row for each stage, the producer on the left and the consumer on the right. An mbarrier is an arrow between
// them, with its phase and its transaction count; the arrow that is missing between the two accesses is dashed.

const arrowOf = (cls, toRight, ...label) => h("div", { cls: `link ${cls} ${toRight ? "right" : "left"}` }, h("i", { cls: "shaft" }), h("span", { cls: "link-label" }, label), h("i", { cls: "shaft tipped" }));

// An mbarrier's arrow, from those that signal it to those that wait for it.
function gateOf(gate, toRight, whole) {
  const bytes = gate.expected || gate.received;
  const parts = [prose(gate.name), gate.phase === undefined ? h("span", { text: "not used yet" }) : h("span", { text: `phase ${gate.phase}` })];
  if (bytes) parts.push(h("span", { cls: "bytes" }, `${grouped(gate.received)} of ${grouped(gate.expected)} bytes`,
    h("span", { cls: "meter" + (gate.received > gate.expected ? " over" : "") }, h("i", { style: `width:${Math.min(100, gate.expected ? (100 * gate.received) / gate.expected : 100)}%` }))));
  const parties = (verb, list) => (list.length ? h("div", { cls: "dim small parties", text: `${verb} by ${list.join(", ")}` }) : null);
  return h("div", { cls: "gate" }, arrowOf("seen-link", toRight, parts), whole ? [parties("signalled", gate.arrivals), parties("awaited", gate.waits)] : null);
}

function stageCard(f, side) {
  const access = f.accesses[side], line = access.line && lineOf(access.file, access.line), code = line && (access.span ? line.slice(...access.span) : line);
  return h("div", { cls: "card s" + side }, h("div", { cls: "step-title" }, badge(side), T(access.what), access.line ? h("span", { cls: "dim", text: ` line ${access.line}` }) : null),
    code ? h("code", { cls: "step-code", text: code.trim() }) : null);
}

function groupsOf(groups) {
  const from = Math.max(0, groups.waited - 2), shown = [...Array(Math.min(groups.committed - from, 8)).keys()].map((i) => i + from);
  return h("div", { cls: "groups" }, shown.map((n) => h("span", { cls: `chip group ${n < groups.waited ? "done" : "flight"}${n === groups.group ? " on" : ""}`, text: `group ${n}: ${n < groups.waited ? "waited for" : "under way"}` })),
    groups.committed ? null : h("span", { cls: "dim small", text: "no group is committed" }));
}

function ring(f) {
  const p = f.pipeline;
  if (!p) return null;
  // Of two producers the first is on the left.
  const left = p.roles[0].producer || !p.roles[1].producer ? 0 : 1, right = 1 - left, forward = left === 0;
  const role = (side) => (p.roles[side].producer ? "producer" : "consumer");
  const head = (side) => h("div", { cls: "ring-head h" + side }, badge(side), h("span", {}, h("b", { text: role(side) }), h("span", { cls: "dim", text: p.roles[side].warp })));
  const missing = () => (p.missing ? arrowOf("missing-link", forward, h("b", { text: "missing" }), prose(p.missing)) : null);
  const row = (raced, middle) => h("div", { cls: "stage-row" + (raced ? " raced" : "") }, raced ? stageCard(f, left) : h("i", { cls: "rail" }), h("div", { cls: "stage" }, middle), raced ? stageCard(f, right) : h("i", { cls: "rail" }));
  const stages = (p.stages || []).map((stage, n) => {
    const raced = n === p.raced;
    return row(raced, [h("b", { cls: "stage-name", text: p.stages.length > 1 ? `stage ${n}` : "one stage" }), stage.full ? gateOf(stage.full, true, raced) : null, stage.empty ? gateOf(stage.empty, false, raced) : null, raced ? missing() : null]);
  });
  const apart = p.raced === undefined || p.groups ? row(true, [p.groups ? groupsOf(p.groups) : null, missing()]) : null;
  const again = stages.length > 1 ? h("div", { cls: "dim small again", text: `↻ behind stage ${stages.length - 1} comes stage 0 again, in the next phase` }) : null;
  return h("div", { cls: "ring", role: "group", "aria-label": p.text.replace(/`/g, "") }, h("div", { cls: "stage-row heads" }, head(left), h("i"), head(right)), apart, stages, again, h("p", { cls: "small dim ring-text" }, prose(capital(p.text))));
}
