//! Checks that the README shows the reports that its commands print.
//!
//! This needs nvcc, which `cargo xtask test` provides.

mod toolkit;

use std::path::Path;
use std::process::Command;
use toolkit::toolkit;

/// Returns the output of `warprace run -- ./NAME` for an example, standard output first.
fn report(nvcc: &Path, name: &str) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme").join(name);
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    let source = format!("examples/{name}.cu");
    std::fs::copy(workspace.join(&source), folder.join(&source)).unwrap();
    let compiled = Command::new(nvcc)
        .args(["-lineinfo", &source, "-o", name])
        .current_dir(&folder)
        .output()
        .expect("nvcc can be started");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(env!("CARGO_BIN_EXE_warprace"))
        .args(["run", "--", &format!("./{name}")])
        .current_dir(&folder)
        .output()
        .expect("warprace can be started");
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

/// Returns the README's code blocks without the commands in them.
fn blocks() -> Vec<String> {
    let readme = include_str!("../../../README.md");
    let output = |block: &str| {
        let lines = block.lines().skip(1).filter(|line| !line.starts_with("$ "));
        lines.map(|line| format!("{line}\n")).collect()
    };
    readme.split("```").skip(1).step_by(2).map(output).collect()
}

#[test]
fn the_readme_shows_what_is_printed() {
    let Some(toolkit) = toolkit() else { return };
    let nvcc = toolkit.join("bin/nvcc");
    for name in ["last_block_sum", "last_block_sum_fixed"] {
        let printed = report(&nvcc, name);
        assert!(blocks().contains(&printed), "the README does not show this report of {name}:\n{printed}");
    }
}
