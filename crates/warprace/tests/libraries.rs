//! Programs that use the toolkit's kernel libraries, built for an architecture other than the device's.

mod toolkit;

use std::path::Path;
use std::process::Command;
use toolkit::toolkit;

#[test]
fn cub_runs_when_built_for_the_default_architecture() {
    let Some(nvcc) = toolkit().map(|root| root.join("bin/nvcc")) else { return };
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cub");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libraries/cub.cu");
    // These are nvcc's default flags, without the machine code that it also makes.
    let flags = ["-std=c++17", "-gencode", "arch=compute_75,code=compute_75", "-o"];
    let done = Command::new(nvcc).args(flags).arg(&program).arg(source).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let warprace = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let output =
        Command::new(warprace).env_remove("LD_PRELOAD").args(["run", "--"]).arg(program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("clean: no race"), "{said}");
    assert_eq!(output.stdout, b"ptx 75\ncudaSuccess\ncudaSuccess\nright\n");
}
