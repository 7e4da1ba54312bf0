
// The words of a setting; the engine, lens and schedule that are the usual ones are left out.
const settingWords = (x) => [x.engine === "virtual" ? "" : x.engine, x.lens, x.schedule].filter(Boolean).join(" ") || "default schedule";

const sameSetting = (a, b) => a.engine === b.engine && (a.lens || "") === (b.lens || "") && (a.schedule || "") === (b.schedule || "");

// How the number of different findings grew with the runs: steps, with the first and the last numbers written.
function growthOf(campaign) {
  const width = 640, height = 120, left = 34, bottom = 20, top = 8;
  const last = campaign.growth.length ? campaign.growth[campaign.growth.length - 1].findings : 0;
  if (!last) return null;
  const x = (run) => left + ((width - left - 8) * run) / Math.max(1, campaign.of), y = (n) => height - bottom - ((height - bottom - top) * n) / last;
  let path = `M${x(0)} ${y(0)}`;
  for (const step of campaign.growth) path += `H${x(step.run).toFixed(1)}V${y(step.findings).toFixed(1)}`;
  path += `H${x(campaign.of).toFixed(1)}`;
  const text = (at, value, anchor) => s("text", { x: at[0], y: at[1], "text-anchor": anchor }, value);
  return s("svg", { cls: "growth", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${last} different findings after ${campaign.of} runs` },
    s("path", { cls: "axis", d: `M${left} ${top}V${height - bottom}H${width - 8}` }), s("path", { cls: "steps", d: path }),
    text([left - 6, y(last) + 4], grouped(last), "end"), text([left - 6, y(0)], "0", "end"), text([left, height - 5], "run 0", "start"), text([width - 8, height - 5], `${grouped(campaign.of)} runs`, "end"));
}

// The runs that a document describes together: how they ended, under which settings, and when findings came.
function campaignOf(campaign) {
  const counts = (map) => Object.entries(map).map(([name, n]) => `${grouped(n)} ${name}`).join(", ");
  const found = (setting) => findings.filter((f) => f.suppressed === undefined && f.history && runs[f.run].campaign === campaign && f.history.settings.some((x) => sameSetting(x, setting))).length;
  return h("div", { cls: "campaign" },
    h("p", {}, `${grouped(campaign.runs)} of ${plural(campaign.of, "run")}: ${counts(campaign.verdicts)}`, h("span", { cls: "dim", text: ` · ${counts(campaign.outcomes)} · ${(campaign.milliseconds / 1000).toFixed(1)} s of runs` })),
    growthOf(campaign),
    h("div", { cls: "wide", tabindex: 0, role: "region", "aria-label": "settings" }, h("table", {}, h("thead", {}, h("tr", {}, ["setting", "runs", "findings"].map((name, n) => h("th", { cls: n ? "n" : "", text: name })))),
      h("tbody", {}, campaign.settings.map((x) => h("tr", {}, h("td", { text: settingWords(x) }), h("td", { cls: "n", text: grouped(x.runs) }), h("td", { cls: "n", text: grouped(found(x)) })))))));
}

// When a finding was seen first, and how often under each setting.
function historyOf(history, campaign) {
  const of = (setting) => ((campaign || { settings: [] }).settings.find((x) => sameSetting(x, setting)) || { runs: history.of }).runs;
  const day = history.first_at ? new Date(history.first_at * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC" : "";
  return h("div", { cls: "campaign" },
    h("p", { cls: "small" }, `first in run ${grouped(history.first_run)}`, day ? h("span", { cls: "dim", text: `, ${day}` }) : null),
    history.settings.map((x) => h("div", { cls: "bar-row" }, h("span", { text: settingWords(x) }),
      h("span", { cls: "bar" }, h("i", { style: `width:${(100 * x.runs) / Math.max(1, of(x))}%` })), h("span", { cls: "count", text: `${grouped(x.runs)} of ${grouped(of(x))}` }))));
}
