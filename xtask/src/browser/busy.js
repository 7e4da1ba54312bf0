// How long the page does not answer, by the real clock: what a key, a letter or a click does is done when the call returns, and
// drawn when somebody asks where something is.
{
  const $ = (id) => document.getElementById(id);
  let most = 0;
  const timed = (what) => {
    const before = performance.now();
    what();
    document.body.getBoundingClientRect();
    most = Math.max(most, performance.now() - before);
  };
  const key = (name) => timed(() => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })));
  const type = (text) => timed(() => { $("search").value = text; $("search").dispatchEvent(new Event("input")); });
  for (let n = 0; n < 40; n++) key("j");
  for (let n = 0; n < 5; n++) key("k");
  for (const text of ["b", "bl", "block", "block 1", "nothing at all", ""]) type(text);
  const chip = () => timed(() => document.querySelector(".chip").click());
  chip();
  chip();
  timed(() => { $("scroll").scrollTop = 1e7; $("scroll").dispatchEvent(new Event("scroll")); });
  key("o");
  document.body.dataset.busy = String(Math.ceil(most));
}
