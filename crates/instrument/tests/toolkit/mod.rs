//! The toolkit's ptxas, where there is one.

use std::path::{Path, PathBuf};

/// `None`, and says so, if there is no CUDA toolkit. Where there must be one, that fails.
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
