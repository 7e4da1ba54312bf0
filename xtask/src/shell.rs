//! Running commands, and where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace").to_path_buf()
}

/// Returns cargo's build folder.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Reads a text file whole.
pub(crate) fn read(file: &Path) -> Outcome<String> {
    std::fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

/// Tells what is about to take time.
pub(crate) fn step(what: &str) {
    eprintln!("==> {what}");
}

pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Runs to the end, output shown.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let name = display(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` ended with {status}")),
        Err(e) => Err(format!("cannot run `{name}`: {e}")),
    }
}

pub(crate) fn display(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Builds warprace and its libraries in release mode and returns the program's path; where the environment names
/// a built one, that.
pub(crate) fn build_release() -> Outcome<PathBuf> {
    if let Some(built) = std::env::var_os("WARPRACE_BIN") {
        return Ok(built.into());
    }
    step("building warprace (release)");
    // It has its libraries beside it, and need not contain them. Cargo says what it builds: it takes minutes.
    run(&mut cargo(&[
        "build",
        "--release",
        "--no-default-features",
        "-p",
        "warprace",
        "-p",
        "inject",
        "-p",
        "gpu",
    ]))?;
    Ok(target().join("release/warprace"))
}

/// Builds warprace and its libraries, of which `cargo test` builds some for itself only, as the tests are built: with debug
/// assertions.
pub(crate) fn build_checked() -> Outcome {
    if std::env::var_os("WARPRACE_BIN").is_some() {
        return Ok(());
    }
    step("building warprace");
    // All of it, so that nothing is built again for the tests with other features.
    run(&mut cargo(&["build", "--quiet", "--workspace"]))
}

/// Returns whether PATH has a program of that name.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Creates the folder and its parents.
pub(crate) fn make_dir(dir: &Path) -> Outcome {
    std::fs::create_dir_all(dir).map_err(|e| format!("cannot create {}: {e}", dir.display()))
}
