//! Programs with synchronisation that is needed, and some that was added and is not.
//!
//! The kernels are made of stages over arrays in shared memory, each of which reads what other threads wrote
//! in the one before. So every synchronisation between stages is needed. What is seeded cannot take its place:
//! barriers before the first access and behind the last, fences, warp barriers beside a block's, and atomics
//! whose scope is wider than all who meet at their memory.

use std::fmt::Write;

/// A line of a kernel.
enum Line {
    Plain(String),
    /// Synchronisation that is needed, and what is left of it in the mutant: nothing, or a narrower scope.
    Needed(String, String),
    /// Synchronisation that is removed, or what it is narrowed to.
    Redundant(String, Option<String>),
}

pub(crate) struct Seeded {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The same kernel, in which the program's argument chooses the synchronisation that is missing.
    pub(crate) mutants: String,
    /// Needed lines, from 1.
    pub(crate) needed: Vec<u32>,
    /// Lines that were seeded, and their text when they are narrowed.
    pub(crate) redundant: Vec<(u32, Option<String>)>,
}

const BLOCK: &str = "__syncthreads();";
const WARP: &str = "__syncwarp();";
const FENCE: &str = "__threadfence();";

fn plain(text: impl Into<String>) -> Line {
    Line::Plain(text.into())
}

fn needed(call: &str) -> Line {
    Line::Needed(call.into(), ";".into())
}

fn extra(call: &str) -> Line {
    Line::Redundant(call.into(), None)
}

/// Returns all programs.
pub(crate) fn all() -> Vec<Seeded> {
    let mut out = Vec::new();
    for threads in [64, 128, 256] {
        for (name, other) in [("reverse", "N - 1 - t"), ("rotate", "(t + 33) % N"), ("swap", "t ^ 32")] {
            out.push(program(&format!("{name}-{threads}"), threads, 1, chain(12, other, BLOCK)));
        }
        out.push(program(&format!("reduce-{threads}"), threads, 1, reduction(threads)));
        out.push(program(&format!("rounds-{threads}"), threads, 2, rounds()));
        out.push(program(&format!("counts-{threads}"), threads, 2, counts()));
    }
    for (name, other) in [("reverse", "N - 1 - t"), ("rotate", "(t + 5) % N"), ("swap", "t ^ 16")] {
        out.push(program(&format!("{name}-of-a-warp"), 32, 1, chain(8, other, WARP)));
    }
    for threads in [64, 128] {
        out.push(program(&format!("scan-{threads}"), threads, 1, scan(threads)));
    }
    out
}

/// Stages that exchange values between two arrays.
fn chain(stages: usize, other: &str, barrier: &str) -> Vec<Line> {
    let mut lines = vec![extra(BLOCK), plain("a[t] = in[t];"), needed(barrier)];
    for stage in 1..stages {
        let (to, from) = if stage % 2 == 1 { ("b", "a") } else { ("a", "b") };
        lines.push(plain(format!("{to}[t] = {from}[{other}] + {stage};")));
        if stage == stages / 2 {
            lines.push(extra(FENCE));
        }
        lines.push(needed(barrier));
        if stage == 2 && barrier == BLOCK {
            lines.push(extra(WARP));
        }
    }
    let last = if stages % 2 == 1 { "a" } else { "b" };
    lines.extend([plain(format!("out[i] = {last}[{other}];")), extra(BLOCK)]);
    lines
}

/// A sum of all elements, which all threads read.
fn reduction(threads: u32) -> Vec<Line> {
    let mut lines = vec![extra(FENCE), plain("a[t] = in[t];"), needed(BLOCK)];
    let mut half = threads / 2;
    while half > 0 {
        lines.extend([plain(format!("if (t < {half}) a[t] += a[t + {half}];")), needed(BLOCK)]);
        half /= 2;
    }
    lines.extend([plain("out[i] = a[0];"), extra(BLOCK)]);
    lines
}

/// Two loops over one array each.
fn rounds() -> Vec<Line> {
    let mut lines = vec![plain("int sum = 0;")];
    for (array, more) in [("a", FENCE), ("b", WARP)] {
        lines.extend([
            plain("for (int r = 0; r < 3; ++r) {"),
            plain(format!("    {array}[t] = in[t] + r;")),
            needed(BLOCK),
            extra(more),
            plain(format!("    sum += {array}[N - 1 - t];")),
            needed(BLOCK),
            plain("}"),
        ]);
    }
    lines.extend([plain("out[i] = sum;"), extra(BLOCK)]);
    lines
}

/// Counters of a block and of all blocks.
fn counts() -> Vec<Line> {
    let narrow = |wide: &str| Line::Redundant(wide.into(), Some(wide.replace("Add", "Add_block")));
    vec![
        plain("if (t == 0) a[0] = a[1] = 0;"),
        needed(BLOCK),
        narrow("atomicAdd(&a[0], 1);"),
        narrow("atomicAdd(&a[1], in[t]);"),
        Line::Needed("atomicAdd(&total[0], 1);".into(), "atomicAdd_block(&total[0], 1);".into()),
        Line::Needed("atomicAdd(&total[1], 2);".into(), "atomicAdd_block(&total[1], 2);".into()),
        extra(FENCE),
        needed(BLOCK),
        plain("out[i] = a[0] + a[1];"),
        extra(BLOCK),
    ]
}

/// Sums of all elements up to each.
fn scan(threads: u32) -> Vec<Line> {
    let mut lines = vec![extra(BLOCK), plain("a[t] = in[t];"), needed(BLOCK)];
    let mut distance = 1;
    while distance < threads {
        lines.extend([
            plain(format!("int add{distance} = t < {distance} ? 0 : a[t - {distance}];")),
            needed(BLOCK),
            plain(format!("a[t] += add{distance};")),
            needed(BLOCK),
        ]);
        distance *= 2;
    }
    lines.extend([extra(FENCE), plain("out[i] = a[N - 1 - t];"), extra(BLOCK)]);
    lines
}

/// Writes the program of a kernel's lines, and that of its mutants.
fn program(name: &str, threads: u32, blocks: u32, lines: Vec<Line>) -> Seeded {
    let mut text = head(threads);
    let mut mutants = text.clone();
    text += "__global__ void kernel(const int *in, int *out, int *total) {\n";
    mutants += "template <int MISSING> __global__ void kernel(const int *in, int *out, int *total) {\n";
    let (mut needed, mut redundant) = (Vec::new(), Vec::new());
    text += DECLARATIONS;
    mutants += DECLARATIONS;
    for line in &lines {
        let number = text.lines().count() as u32 + 1;
        let (whole, mutant) = match line {
            Line::Plain(code) => (code, code.clone()),
            Line::Needed(code, left) => {
                needed.push(number);
                let which = needed.len();
                (code, format!("if constexpr (MISSING == {which}) {{ {left} }} else {{ {code} }}"))
            }
            Line::Redundant(code, left) => {
                redundant.push((number, left.clone()));
                (code, String::new())
            }
        };
        let _ = writeln!(text, "    {whole}");
        // An atomic that is too wide has a value; a barrier has not.
        let counted = matches!(line, Line::Redundant(_, Some(_)));
        let _ = writeln!(mutants, "    {}", if counted { whole } else { &mutant });
    }
    let end = |launches: &str| {
        format!(
            "}}\n\nint main(int argc, char **argv) {{\n    int which = argc > 1 ? std::atoi(argv[1]) : 0;\n    \
             int *in, *out, *total;\n    cudaMalloc(&in, N * sizeof(int));\n    \
             cudaMalloc(&out, {blocks} * N * sizeof(int));\n    cudaMalloc(&total, 2 * sizeof(int));\n    \
             cudaMemset(in, 0, N * sizeof(int));\n    cudaMemset(total, 0, 2 * sizeof(int));\n{launches}    \
             return which < 0 || cudaDeviceSynchronize() != cudaSuccess;\n}}\n"
        )
    };
    text += &end(&format!("    kernel<<<{blocks}, N>>>(in, out, total);\n"));
    let each = |i: usize| format!("    if (which == {i}) kernel<{i}><<<{blocks}, N>>>(in, out, total);\n");
    mutants += &end(&(0..=needed.len()).map(each).collect::<String>());
    Seeded { name: name.to_owned(), text, mutants, needed, redundant }
}

const DECLARATIONS: &str =
    "    __shared__ int a[N], b[N];\n    int t = threadIdx.x, i = blockIdx.x * N + t;\n";

fn head(threads: u32) -> String {
    format!("#include <cstdlib>\n\nconstexpr int N = {threads};\n\n")
}
