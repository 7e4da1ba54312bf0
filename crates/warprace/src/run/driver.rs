//! A folder in which programs that link to the CUDA driver find the library in its place.
//!
//! In a process of the run the loader takes the preloaded library for the driver's. A compiler that is asked for
//! `-lcuda` or `-l:libcuda.so.1`, and Triton, which looks for the file before it compiles, need one in a folder.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::Path;
use std::process::Command;

/// The names that linkers and programs look for.
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Has `command` find `library` as the driver's, in `folder`. Without the folder it can do everything but link.
pub(super) fn stand_in(command: &mut Command, folder: &Path, library: &Path) {
    if link(folder, library).is_err() {
        return;
    }
    if std::env::var_os("TRITON_LIBCUDA_PATH").is_none() {
        command.env("TRITON_LIBCUDA_PATH", folder);
    }
    let mut paths = OsString::new();
    if let Some(others) = std::env::var_os("LIBRARY_PATH").filter(|others| !others.is_empty()) {
        paths.push(others);
        paths.push(":");
    }
    paths.push(folder);
    command.env("LIBRARY_PATH", paths);
}

/// Makes the links, each at once for others that look at the same time.
fn link(folder: &Path, library: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for name in NAMES {
        let place = folder.join(name);
        if std::fs::read_link(&place).is_ok_and(|there| there == library) {
            continue;
        }
        let beside = folder.join(format!(".{name}.{}", std::process::id()));
        symlink(library, &beside)?;
        std::fs::rename(&beside, &place)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_follow_the_library() {
        let folder = std::env::temp_dir().join(format!("warprace-driver-{}", std::process::id()));
        for library in ["/a/libinject.so", "/b/libinject.so", "/b/libinject.so"] {
            link(&folder, Path::new(library)).unwrap();
            for name in NAMES {
                assert_eq!(std::fs::read_link(folder.join(name)).unwrap(), Path::new(library));
            }
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), NAMES.len());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
