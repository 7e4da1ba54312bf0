//! Builds the miniatures, several as one program, since nvcc spends most of its time on the toolkit's
//! headers.

use crate::bug::Bug;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Miniatures that share a program.
const TOGETHER: usize = 24;

/// A program of several miniatures: `PROGRAM NAME race|fixed` runs one.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) bugs: Vec<Bug>,
}

/// Builds the programs of all miniatures under `out`, two at a time.
pub(crate) fn build(nvcc: &Path, corpus: &Path, out: &Path, bugs: &[Bug]) -> Vec<Program> {
    std::fs::create_dir_all(out).expect("the folder of programs can be made");
    let programs: Vec<Program> = bugs
        .chunks(TOGETHER)
        .enumerate()
        .map(|(i, bugs)| Program { path: out.join(format!("bugs{i}")), bugs: bugs.to_vec() })
        .collect();
    crate::in_parallel(&programs, |program| compile(nvcc, corpus, program));
    programs
}

fn compile(nvcc: &Path, corpus: &Path, program: &Program) {
    let source = program.path.with_extension("cu");
    std::fs::write(&source, driver(&program.bugs)).expect("the driver can be written");
    let done = Command::new(nvcc)
        .args(["-std=c++17", "-arch=sm_90", "-lineinfo", "-g", "-I"])
        .arg(corpus)
        .arg("-o")
        .args([&program.path, &source])
        .output()
        .expect("nvcc runs");
    assert!(done.status.success(), "nvcc {}:\n{}", source.display(), String::from_utf8_lossy(&done.stderr));
}

/// A translation unit that includes each miniature in a namespace of its own.
fn driver(bugs: &[Bug]) -> String {
    let mut text = "#include \"support/bug.h\"\n#include <cstring>\n#include <cuda/barrier>\n".to_owned();
    for (i, bug) in bugs.iter().enumerate() {
        let _ = writeln!(text, "namespace bug_{i} {{\n#include \"{}\"\n}}", bug.path.display());
    }
    text +=
        "int main(int, char** arguments) {\n    const bool fixed = !std::strcmp(arguments[2], \"fixed\");\n";
    for (i, bug) in bugs.iter().enumerate() {
        let _ = writeln!(
            text,
            "    if (!std::strcmp(arguments[1], \"{}\")) return fixed ? bug_{i}::run<true>() : bug_{i}::run<false>(), 0;",
            bug.name
        );
    }
    text + "    return 3;\n}\n"
}
