//! `cargo xtask demo`: from nothing to the report of a real bug.

use crate::cuda::{self, Toolkit};
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "last_block_sum";

pub(crate) fn run() -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let racy = compile(&toolkit, &format!("{PROGRAM}.cu"))?;
    let fixed = compile(&toolkit, &format!("{PROGRAM}_fixed.cu"))?;

    let status = show(&warprace, &racy)?;
    if status != Some(66) {
        return Err(format!("warprace should have found the race and exited with 66, not {status:?}"));
    }
    let status = show(&warprace, &fixed)?;
    if status != Some(0) {
        return Err(format!("the fixed program should be clean and exit with 0, not {status:?}"));
    }
    Ok(())
}

/// Compiles `examples/NAME` as its author would: default flags and `-lineinfo`.
fn compile(toolkit: &Toolkit, name: &str) -> Outcome<PathBuf> {
    let dir = target().join("examples");
    shell::make_dir(&dir)?;
    // Short, as a user would write it.
    let dir = dir.strip_prefix(root()).unwrap_or(&dir);
    let out = dir.join(Path::new(name).file_stem().expect("a file name"));
    let source = Path::new("examples").join(name);
    shell::step(&format!("nvcc -lineinfo {} -o {}", source.display(), out.display()));
    shell::run(toolkit.nvcc().arg("-lineinfo").arg(source).arg("-o").arg(&out).current_dir(root()))?;
    Ok(out)
}

fn show(warprace: &Path, program: &Path) -> Outcome<Option<i32>> {
    shell::step(&format!("warprace run -- {}", program.display()));
    let mut command = Command::new(warprace);
    command.args(["run", "--"]).arg(program).current_dir(root());
    let status = command.status().map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
    eprintln!("==> exit code {}", status.code().map_or("none".into(), |c| c.to_string()));
    Ok(status.code())
}
