// Uses the page as a person does, by keys and clicks, and writes down what it saw.
(async () => {
  const failed = [];
  let checks = 0;
  const check = (what, holds) => { checks++; if (!holds) failed.push(what); };
  const $ = (id) => document.getElementById(id);
  const wait = () => new Promise((done) => setTimeout(done, 60));
  const key = async (name, target) => {
    (target || document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    await wait();
  };
  const type = async (text) => { $("search").value = text; $("search").dispatchEvent(new Event("input")); await wait(); };
  try {
    const data = JSON.parse($("data").textContent), total = data.findings.length;
    check("it is ready", Number(document.body.dataset.ready) > 0);
    const few = total > 0 && total <= 5, view = document.body.dataset.view;
    check("it begins with the overview, or with the first of a few findings", view === (few ? "detail" : "overview") && $("overview").textContent.includes("race"));
    check("all findings are counted", $("shown").textContent.replace(/,/g, "").startsWith(total + " finding"));
    check("few rows are elements", document.querySelectorAll(".row, .file").length < 80);

    if (few) await wait(); else await key("j");
    check("j opens the first finding", document.body.dataset.view === "detail" && document.querySelectorAll(".row.on").length === 1);
    check("both sides are marked", document.querySelectorAll("#detail .label").length >= 2);
    check("the timeline has both accesses", document.querySelectorAll("#detail .step.access").length === 2);
    check("the missing arrow is drawn", document.querySelectorAll("#detail .missing").length > 0);
    check("what is missing is drawn", document.querySelectorAll("#detail .step.ghost").length > 0);
    if (data.findings[0].pipeline) {
      check("the ring of stages is drawn", document.querySelectorAll("#detail .ring .stage").length === data.findings[0].pipeline.stages.length);
      check("both accesses are in one stage", document.querySelectorAll("#detail .raced .card").length === 2);
      check("the arrow that is missing in the stage is drawn", document.querySelectorAll("#detail .raced .missing-link").length === 1);
    }
    check("the memory is drawn", document.querySelectorAll("#detail .cell.clash").length > 0);
    check("the threads are drawn", document.querySelectorAll("#detail .unit.u0, #detail .unit.u01").length > 0);
    check("the address names the finding", location.hash.length > 8);
    const ways = document.querySelectorAll("#detail .way");
    if (ways.length > 1) { ways[1].click(); await wait(); check("another way can be chosen", document.querySelectorAll("#detail .way")[1].classList.contains("on")); }

    await key("i");
    check("i tells of the class", $("dialog").open && $("dialog").textContent.includes("Why it is a race"));
    $("dialog").close();
    await key("t");
    const theme = document.documentElement.dataset.theme;
    await key("t");
    check("t changes the theme", theme && theme !== document.documentElement.dataset.theme);
    await key("Escape");
    check("Escape goes back", document.body.dataset.view !== "detail");
    await key("/");
    check("/ goes to the search", document.activeElement === $("search"));
    await type("no such text");
    check("nothing matches", document.querySelectorAll(".row").length === 0);
    await type(data.findings[0].class.toUpperCase());
    check("the search finds", document.querySelectorAll(".row").length > 0);
    await key("Enter", $("search"));
    check("Enter opens what was found", document.body.dataset.view === "detail");
    $("search").blur();
    await type("");
    if (total > 1000) {
      document.querySelector(".chip").click();
      await wait();
      check("a class can be left out", $("shown").textContent.includes(" of "));
      document.querySelector(".chip").click();
      await wait();
      $("scroll").scrollTop = 1e7;
      await wait();
      check("the end can be reached", document.querySelectorAll(".row").length > 0 && document.querySelectorAll(".row").length < 80);
      const addresses = new Set();
      for (let n = 0; n < 30; n++) { await key("j"); addresses.add(location.hash); }
      check("each finding has an address of its own", addresses.size === 30);
    }
    check("names are no markup", document.querySelectorAll("img, #detail h2 b").length === 0);
    check("nothing is wider than the window", document.documentElement.scrollWidth <= innerWidth);
    check("nothing is wider than its column", $("pane").scrollWidth <= $("pane").clientWidth && [...document.querySelectorAll(".part > p, .way")].every((e) => e.scrollWidth <= e.clientWidth));
    check("no script failed: " + wrong.join("; "), wrong.length === 0);
  } catch (e) { failed.push(String(e)); }
  const seen = document.createElement("pre");
  seen.id = "seen";
  seen.textContent = JSON.stringify({ checks, failed, findings: JSON.parse($("data").textContent).findings.length });
  document.body.append(seen);
})();
