//! Locates the toolkit's ptxas.

use std::path::{Path, PathBuf};

/// Returns the path of ptxas; without a CUDA toolkit prints a notice and returns `None`, or fails if one is
/// required.
pub(crate) fn ptxas() -> Option<PathBuf> {
    let root = std::env::var_os("WARPRACE_CUDA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13"),
        PathBuf::from,
    );
    let found = Some(root.join("bin/ptxas")).filter(|path| path.exists());
    if found.is_none() {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no ptxas");
        println!("left out: no ptxas; `cargo xtask test` installs it");
    }
    found
}
