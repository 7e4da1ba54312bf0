//! A folder with something that speaks as the driver does, and a program that uses it, built by gcc.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Place(pub(crate) PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `app` and `driver/libcuda.so.1`, in a folder of that name and this process.
pub(crate) fn build(name: &str) -> Place {
    let place = Place(std::env::temp_dir().join(format!("warprace-{name}-{}", std::process::id())));
    std::fs::create_dir_all(place.0.join("driver")).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/tests/programs");
    let library = &["-shared", "-fPIC"][..];
    for (source, flags, to) in [
        ("driver.c", library, "driver/libcuda.so.1"),
        ("nvrtc.c", &["-shared", "-fPIC", "-Wl,-soname,libnvrtc.so.13"], "libnvrtc.so.13"),
        ("app.c", &["-Wl,-rpath,$ORIGIN", "libnvrtc.so.13"], "app"),
    ] {
        // Libraries go behind what needs them.
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
