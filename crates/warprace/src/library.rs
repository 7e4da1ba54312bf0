//! Where the library is that runs inside the user's process.

use events::Engine;
use std::path::{Path, PathBuf};

/// A library that is preloaded.
struct Library {
    /// Its file name, as cargo builds it.
    name: &'static str,
    package: &'static str,
    /// The variable that overrides the search.
    variable: &'static str,
}

/// Stands in for the CUDA runtime.
const VIRTUAL: Library = Library { name: "libinject.so", package: "inject", variable: "WARPRACE_LIBRARY" };

/// Stands before the CUDA driver.
const GPU: Library = Library { name: "libwarprace_gpu.so", package: "gpu", variable: "WARPRACE_GPU_LIBRARY" };

/// The library's absolute path: beside the program (as cargo leaves it), or where it is installed.
pub(crate) fn find(engine: Engine) -> Result<PathBuf, String> {
    let Library { name, package, variable } = if engine.on_gpu() { GPU } else { VIRTUAL };
    if let Some(path) = std::env::var_os(variable) {
        return std::path::absolute(&path)
            .ok()
            .filter(|p| p.is_file())
            .ok_or_else(|| format!("{variable} names {}, which is not a file", Path::new(&path).display()));
    }
    let program =
        std::env::current_exe().map_err(|e| format!("cannot tell where warprace itself is: {e}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = ["", "deps", "../lib/warprace"];
    places
        .iter()
        .map(|place| folder.join(place).join(name))
        // `cargo build` leaves it in both of the first places, `cargo test` in the second only: the
        // newer one is of this build.
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .and_then(|(_, path)| path.canonicalize().ok())
        .ok_or_else(|| {
            format!(
                "cannot find {name} beside {} or in ../lib/warprace; build it with `cargo build -p {package}`, or \
                 install warprace with `cargo xtask install PREFIX`",
                program.display()
            )
        })
}
