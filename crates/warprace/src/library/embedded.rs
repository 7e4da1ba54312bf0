//! The libraries inside the program, for a program that was installed without them.
//!
//! `cargo install` installs programs only. The crates `inject` and `gpu` are dependencies without a caller
//! here: cargo has built their libraries by the time this program is compiled, and the assembler includes
//! them with `.incbin`. (`include_bytes!` would fail under `cargo check`, which builds no libraries.)
//!
//! A library is preloaded from a file. It is unpacked into the user's cache folder under a name that contains
//! the time of the build, so another build gets another name, and running programs retain the file that they
//! have loaded.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

// The build time changes the text after each build, without which the compiler would not assemble it again.
std::arch::global_asm!(
    concat!("# ", env!("WARPRACE_BUILT_AT")),
    ".pushsection .rodata.warprace_libraries, \"a\"",
    ".balign 16",
    ".globl warprace_embedded_inject",
    ".hidden warprace_embedded_inject",
    "warprace_embedded_inject:",
    concat!(".incbin \"", env!("WARPRACE_BUILT"), "/libinject.so\""),
    ".globl warprace_embedded_inject_end",
    ".hidden warprace_embedded_inject_end",
    "warprace_embedded_inject_end:",
    ".balign 16",
    ".globl warprace_embedded_gpu",
    ".hidden warprace_embedded_gpu",
    "warprace_embedded_gpu:",
    concat!(".incbin \"", env!("WARPRACE_BUILT"), "/libwarprace_gpu.so\""),
    ".globl warprace_embedded_gpu_end",
    ".hidden warprace_embedded_gpu_end",
    "warprace_embedded_gpu_end:",
    ".popsection",
);

unsafe extern "C" {
    static warprace_embedded_inject: u8;
    static warprace_embedded_inject_end: u8;
    static warprace_embedded_gpu: u8;
    static warprace_embedded_gpu_end: u8;
}

/// The time at which this program was built, in nanoseconds since 1970. It tells builds apart.
const BUILT_AT: &str = env!("WARPRACE_BUILT_AT");

/// Returns the library's bytes.
fn content(gpu: bool) -> &'static [u8] {
    let (start, end) = match gpu {
        false => (&raw const warprace_embedded_inject, &raw const warprace_embedded_inject_end),
        true => (&raw const warprace_embedded_gpu, &raw const warprace_embedded_gpu_end),
    };
    // SAFETY: the assembler puts both symbols around the bytes of one read-only section.
    unsafe { std::slice::from_raw_parts(start, end.addr() - start.addr()) }
}

/// Returns the path of the library called `name`, and unpacks it if it is missing.
pub(super) fn unpack(name: &str, gpu: bool) -> Result<PathBuf, String> {
    let folder = super::cache().ok_or("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set")?;
    unpack_into(&folder.join("warprace"), name, content(gpu))
}

fn unpack_into(folder: &Path, name: &str, content: &[u8]) -> Result<PathBuf, String> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "so"));
    let path = folder.join(format!("{stem}-{BUILT_AT}.{extension}"));
    // A file gets this name after its whole content has reached the disk. The length detects a file that
    // lost its end later. Comparing all bytes would take longer than the rest of a short run.
    if std::fs::metadata(&path).is_ok_and(|there| there.is_file() && there.len() == content.len() as u64) {
        return Ok(path);
    }
    let write = || -> io::Result<()> {
        // The folder is private, so that no other user can place a library in it.
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let beside = folder.join(format!(".{name}.{}", std::process::id()));
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        });
        // A rename makes the file appear as a whole to other processes.
        let done = written.and_then(|()| std::fs::rename(&beside, &path));
        if done.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        done
    };
    match write() {
        Ok(()) => Ok(path),
        Err(e) => Err(format!("cannot unpack {name} into {}: {e}", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_a_library_and_is_mended_if_it_is_not_whole() {
        for gpu in [false, true] {
            assert!(content(gpu).starts_with(b"\x7fELF"));
        }
        let folder = std::env::temp_dir().join(format!("warprace-unpacked-{}", std::process::id()));
        let path = unpack_into(&folder, "libinject.so", b"whole").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        std::fs::write(&path, b"who").unwrap();
        assert_eq!(unpack_into(&folder, "libinject.so", b"whole"), Ok(path.clone()));
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(unpack_into(&folder, "libinject.so", b"whole"), Ok(path));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
        let refused = unpack_into(Path::new("/proc/no-such"), "libinject.so", b"").unwrap_err();
        assert!(refused.starts_with("cannot unpack libinject.so into /proc/no-such: "), "{refused}");
    }
}
