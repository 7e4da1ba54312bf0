//! Finds the CUDA compiler for tests.

use std::path::{Path, PathBuf};

/// Returns the toolkit's folder; `None` if there is none and `WARPRACE_REQUIRE_CUDA` is not set.
pub(crate) fn toolkit() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13");
    let root = std::env::var_os("WARPRACE_CUDA").map_or(installed, PathBuf::from);
    if root.join("bin/nvcc").exists() {
        return Some(root);
    }
    assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "no nvcc under {}", root.display());
    eprintln!("skipped: no nvcc under {}", root.display());
    None
}
