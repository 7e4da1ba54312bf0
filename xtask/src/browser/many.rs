//! A program with ten thousand findings: each pair of statements its own, all of them run.

use std::fmt::Write;
use std::path::Path;

use crate::shell::Outcome;

/// Files, kernels in each, and racing pairs of statements in each kernel.
const FILES: usize = 20;
const KERNELS: usize = 5;
const PAIRS: usize = 100;

/// The least number of findings of the report.
pub(super) const FINDINGS: usize = FILES * KERNELS * PAIRS;

/// The racing statements of a kernel, one pair for each `n`. Threads write elements that other threads read: of a block
/// without a barrier, of a warp, of another block, or by an atomic where others do without.
fn pair(kind: usize, n: usize) -> String {
    match kind {
        0 => format!("    tile[{n}][t] = v + {n};\n    v += tile[{n}][63 - t];\n"),
        1 => format!("    if (t < 32) tile[{n}][t] = v;\n    if (t < 32) v += tile[{n}][31 - t];\n"),
        2 => format!("    total[{n}] += v;\n"),
        3 => format!("    atomicAdd(&total[{n}], 1.0f);\n    v += total[{n}] * 2;\n"),
        _ => format!("    if (blockIdx.x == 0) data[{n} * 64 + t] = v;\n    v += data[{n} * 64 + 63 - t];\n"),
    }
}

/// Writes it below `folder`; the file to be compiled.
pub(super) fn write(folder: &Path) -> Outcome<std::path::PathBuf> {
    let put = |name: String, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text)
            .map_err(|e| format!("cannot write {}: {e}", path.display()))
            .map(|()| path)
    };
    let (mut includes, mut launches) = (String::new(), String::new());
    for file in 0..FILES {
        let mut text =
            String::from("// One of many stages, none of which waits for anybody.\n#pragma once\n");
        for kind in 0..KERNELS {
            let name = format!("stage_{file}_{kind}");
            let _ = writeln!(text, "\n__global__ void {name}(float *data, float *total) {{");
            text.push_str("    int t = threadIdx.x;\n    float v = t;\n");
            if kind < 2 {
                let _ = writeln!(text, "    __shared__ float tile[{PAIRS}][64];");
            }
            (0..PAIRS).for_each(|n| text.push_str(&pair(kind, n)));
            let _ = writeln!(text, "    data[{PAIRS} * 64 + blockIdx.x * 64 + t] = v;\n}}");
            let _ = writeln!(launches, "    {name}<<<2, 64>>>(data, total);");
        }
        put(format!("stage_{file}.cuh"), text)?;
        let _ = writeln!(includes, "#include \"stage_{file}.cuh\"");
    }
    let floats = (PAIRS + 2) * 64;
    let main = format!(
        "{includes}\nint main() {{\n    float *data, *total;\n    cudaMalloc(&data, {floats} * sizeof(float));\n    \
         cudaMalloc(&total, {PAIRS} * sizeof(float));\n    cudaMemset(data, 0, {floats} * sizeof(float));\n    \
         cudaMemset(total, 0, {PAIRS} * sizeof(float));\n{launches}    return cudaDeviceSynchronize();\n}}\n"
    );
    put("stages.cu".into(), main)
}
