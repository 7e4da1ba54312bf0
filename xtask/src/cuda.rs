//! The CUDA compiler, from pinned Python wheels: no GPU, no root, about 105 MB.

use crate::shell::{self, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The wheels to install. Together they are nvcc, ptxas, fatbinary, the headers and the runtime.
const WHEELS: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

/// A CUDA toolkit with `bin/nvcc`.
pub(crate) struct Toolkit {
    pub(crate) root: PathBuf,
}

impl Toolkit {
    pub(crate) fn nvcc(&self) -> Command {
        Command::new(self.root.join("bin/nvcc"))
    }
}

/// The toolkit to use, installed now if it is not there.
pub(crate) fn ensure() -> Outcome<Toolkit> {
    if let Some(root) = std::env::var_os("WARPRACE_CUDA") {
        let root = PathBuf::from(root);
        return match root.join("bin/nvcc").exists() {
            true => Ok(Toolkit { root }),
            false => Err(format!("WARPRACE_CUDA is {}, but there is no bin/nvcc in it", root.display())),
        };
    }
    let folder = shell::root().join("target/cuda");
    let toolkit = Toolkit { root: folder.join("nvidia/cu13") };
    let stamp = folder.join("wheels.txt");
    let wanted = WHEELS.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(toolkit);
    }
    shell::step("installing the CUDA 13.0 compiler under target/cuda (about 105 MB)");
    // Whatever an interrupted or older installation left would be kept by pip.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
    }
    shell::make_dir(&folder)?;
    pip(&folder)?;
    complete(&toolkit.root)?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    Ok(toolkit)
}

fn pip(folder: &Path) -> Outcome {
    let python = ["python3", "python"]
        .into_iter()
        .find(|p| Command::new(p).args(["-m", "pip", "--version"]).output().is_ok_and(|o| o.status.success()))
        .ok_or(
            "no Python with pip; install python3 and python3-pip, or set WARPRACE_CUDA to a CUDA toolkit",
        )?;
    let install = |extra: &[&str]| {
        Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"])
            .args(["--no-deps", "--only-binary=:all:", "--upgrade", "--target"])
            .arg(folder)
            .args(extra)
            .args(WHEELS)
            .output()
            .map_err(|e| format!("cannot run {python}: {e}"))
    };
    let mut done = install(&[])?;
    // Some distributions guard even `--target` folders.
    if !done.status.success() && String::from_utf8_lossy(&done.stderr).contains("externally-managed") {
        done = install(&["--break-system-packages"])?;
    }
    if done.status.success() {
        return Ok(());
    }
    Err(format!("pip could not install the CUDA compiler:\n{}", String::from_utf8_lossy(&done.stderr).trim()))
}

/// The wheels leave out two links that the linker and many build systems expect.
fn complete(root: &Path) -> Outcome {
    let link = |target: &str, at: PathBuf| {
        if at.symlink_metadata().is_ok() {
            return Ok(());
        }
        std::os::unix::fs::symlink(target, &at).map_err(|e| format!("cannot create {}: {e}", at.display()))
    };
    link("libcudart.so.13", root.join("lib/libcudart.so"))?;
    link("lib", root.join("lib64"))?;
    match root.join("bin/nvcc").exists() {
        true => Ok(()),
        false => Err(format!("pip installed no nvcc into {}", root.display())),
    }
}
