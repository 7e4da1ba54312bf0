//! Finds the library that is preloaded into the user's process.

#[cfg(feature = "embed")]
mod embedded;

use names::Engine;
use std::path::{Path, PathBuf};

/// A library to preload.
struct Library {
    /// The file name that cargo gives it.
    name: &'static str,
    /// The environment variable that overrides the search.
    variable: &'static str,
}

/// The library that replaces the CUDA runtime.
const VIRTUAL: Library = Library { name: "libinject.so", variable: "WARPRACE_LIBRARY" };

/// The library that interposes the CUDA driver.
const GPU: Library = Library { name: "libwarprace_gpu.so", variable: "WARPRACE_GPU_LIBRARY" };

/// Returns the user's cache folder; `None` if there is no home.
pub(crate) fn cache() -> Option<PathBuf> {
    // The XDG base directory specification says that relative paths are ignored.
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))
}

/// Returns the library's absolute path: beside the program, as cargo puts it, in the installation, or
/// unpacked from the program itself.
pub(crate) fn find(engine: Engine) -> Result<PathBuf, String> {
    let Library { name, variable } = if engine.on_gpu() { GPU } else { VIRTUAL };
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
    let beside = places
        .iter()
        .map(|place| folder.join(place).join(name))
        // `cargo build` puts the library in both of the first places, `cargo test` in the second only, so the
        // newer file belongs to this build.
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .and_then(|(_, path)| path.canonicalize().ok());
    match beside {
        Some(path) => Ok(path),
        #[cfg(feature = "embed")]
        None => embedded::unpack(name, engine.on_gpu()),
        #[cfg(not(feature = "embed"))]
        None => Err(format!(
            "cannot find {name} beside {} or in ../lib/warprace; build it with `cargo build --workspace`, or install \
             warprace with `cargo xtask install PREFIX`",
            program.display()
        )),
    }
}
