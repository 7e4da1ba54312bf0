//! Where the library is that runs inside the user's process.

use std::path::{Path, PathBuf};

/// Its file name, as cargo builds it.
const NAME: &str = "libinject.so";

/// The variable that overrides the search.
const VARIABLE: &str = "WARPRACE_LIBRARY";

/// The library's absolute path: beside the program (as cargo leaves it), or where it is installed.
pub(crate) fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        return std::path::absolute(&path)
            .ok()
            .filter(|p| p.is_file())
            .ok_or_else(|| format!("{VARIABLE} names {}, which is not a file", Path::new(&path).display()));
    }
    let program =
        std::env::current_exe().map_err(|e| format!("cannot tell where warprace itself is: {e}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = ["", "deps", "../lib/warprace"];
    places
        .iter()
        .map(|place| folder.join(place).join(NAME))
        // `cargo build` leaves it in both of the first places, `cargo test` in the second only: the
        // newer one is of this build.
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .and_then(|(_, path)| path.canonicalize().ok())
        .ok_or_else(|| {
            format!(
                "cannot find {NAME} beside {} or in ../lib/warprace; build it with `cargo build -p inject`, or \
                 install warprace with `cargo xtask install PREFIX`",
                program.display()
            )
        })
}
