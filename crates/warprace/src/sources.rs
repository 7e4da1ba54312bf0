//! What to do with a source where a program is expected.

use std::path::Path;

/// Returns how to run a source, by its extension.
pub(crate) fn run_help(path: &Path) -> Option<String> {
    let shown = path.display();
    match extension(path)? {
        "py" => Some(format!("for a Python script, say `warprace run -- python3 {shown}`")),
        extension if is_compiled(extension) => Some(format!(
            "it is a source: compile it (`nvcc -lineinfo {shown} -o app`), then say `warprace run -- ./app`"
        )),
        _ => None,
    }
}

/// Returns how to ask about a source's kernels, by its extension.
pub(crate) fn prove_help(path: &Path) -> Option<String> {
    let shown = path.display();
    is_compiled(extension(path)?)
        .then(|| format!("it is a source: say how it is compiled, `warprace prove -- nvcc {shown}`"))
}

fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

fn is_compiled(extension: &str) -> bool {
    matches!(extension, "cu" | "cpp" | "cc" | "cxx" | "c++" | "C")
}
