//! Builds a folder with a fake driver and a program that uses it, with gcc.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Place(pub(crate) PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds `app` and `driver/libcuda.so.1` in a folder named after the test and this process.
#[allow(dead_code, reason = "tests with another driver use `of` alone")]
pub(crate) fn build(name: &str) -> Place {
    let library = &["-shared", "-fPIC"][..];
    of(
        name,
        &[
            ("driver.c", library, "driver/libcuda.so.1"),
            ("library.c", library, "libcublasLt.so.13"),
            ("nvrtc.c", &["-shared", "-fPIC", "-Wl,-soname,libnvrtc.so.13"], "libnvrtc.so.13"),
            ("app.c", &["-Wl,-rpath,$ORIGIN", "libnvrtc.so.13"], "app"),
        ],
    )
}

/// A source, what gcc is told about it, and the file that it makes.
pub(crate) type Built<'a> = (&'a str, &'a [&'a str], &'a str);

/// Builds these files in a folder named after the test and this process.
pub(crate) fn of(name: &str, files: &[Built<'_>]) -> Place {
    let place = Place(std::env::temp_dir().join(format!("warprace-{name}-{}", std::process::id())));
    std::fs::create_dir_all(place.0.join("driver")).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/tests/programs");
    for &(source, flags, to) in files {
        // Libraries follow the files that need them on the command line.
        let done = Command::new("gcc")
            .arg(sources.join(source))
            .args(flags)
            .args(["-ldl", "-o", to])
            .current_dir(&place.0)
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    place
}
