const data = JSON.parse(document.getElementById("data").textContent);
const { findings, runs, texts, files, rules } = data;
const T = (n) => texts[n];
const $ = (id) => document.getElementById(id);

// Elements are made by calls, and texts are text nodes: nothing that a program is called can become markup.
const SVG = "http://www.w3.org/2000/svg";
function put(element, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else element.setAttribute(key === "cls" ? "class" : key, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
const h = (name, properties, ...children) => put(document.createElement(name), properties, children.flat(Infinity));
const s = (name, properties, ...children) => put(document.createElementNS(SVG, name), properties, children.flat(Infinity));

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (n, what) => `${grouped(n)} ${what}${n === 1 ? "" : /(ch|s)$/.test(what) ? "es" : "s"}`;
const short = (n) => {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (n >= size) return (n / size).toFixed(n < 10 * size ? 1 : 0) + unit;
  return String(Math.round(n));
};
const at = (xyz) => `(${xyz.join(", ")})`;
const place = (side) => (side.line ? `${T(side.file)}:${side.line}` : T(side.function));
const base = (path) => path.slice(path.lastIndexOf("/") + 1);

// `code` between backticks, **strong**, *emphasis*.
function prose(text) {
  const parts = text.split(/(`[^`]*`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/);
  return parts.map((part) => {
    if (part.length > 2 && part[0] === "`") return h("code", { text: part.slice(1, -1).trim() });
    if (part.startsWith("**") && part.length > 4) return h("b", { text: part.slice(2, -2) });
    if (part.length > 2 && part[0] === "*" && part.endsWith("*")) return h("em", { text: part.slice(1, -1) });
    return part;
  });
}

// As a sentence begins; names of code stay as they are.
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// The pages on classes: headings, paragraphs, lists and blocks of code.
function markdown(text) {
  const out = [];
  for (const [n, block] of text.split(/```\w*\n/).flatMap((part, i) => (i ? part.split("```\n") : [part])).entries()) {
    if (n % 2) { out.push(h("pre", { cls: "sample" }, highlight(block.replace(/\n$/, "")))); continue; }
    for (const paragraph of block.split(/\n\n+/).map((p) => p.trim()).filter(Boolean)) {
      const heading = /^(#+) (.*)$/.exec(paragraph);
      if (heading) out.push(h(heading[1].length === 1 ? "h2" : "h3", { text: heading[2] }));
      else out.push(h("p", {}, prose(paragraph.replace(/\n/g, " "))));
    }
  }
  return out;
}

// Enough of C++ to read it by.
const WORDS = new Set(("alignas auto bool break case char class const constexpr continue default do double else enum extern false "
  + "float for goto if inline int long namespace nullptr operator return short signed sizeof static struct switch template "
  + "this true typedef typename union unsigned using void volatile while uint32_t int32_t uint64_t int64_t size_t "
  + "__global__ __device__ __host__ __shared__ __managed__ __constant__ __restrict__ __cluster_dims__ __launch_bounds__").split(" "));
const BUILT_IN = /^(threadIdx|blockIdx|blockDim|gridDim|warpSize|__sync\w+|__threadfence\w*|atomic[A-Z]\w*|__shfl\w*|cuda\w*|__pipeline\w*)$/;
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\w.']*|[A-Za-z_]\w*|^\s*#\s*\w+)/g;
function highlight(code) {
  const out = [];
  let last = 0;
  for (const match of code.matchAll(TOKEN)) {
    const word = match[0];
    const kind = /^(\/\/|\/\*)/.test(word) ? "c" : /^["']/.test(word) ? "t" : /^\d/.test(word) ? "n"
      : /^\s*#/.test(word) ? "p" : WORDS.has(word) ? "k" : BUILT_IN.test(word) ? "b" : "";
    if (!kind) continue;
    out.push(code.slice(last, match.index), h("span", { cls: "hl-" + kind, text: word }));
    last = match.index + word.length;
  }
  out.push(code.slice(last));
  return out;
}
