//! `cargo xtask install PREFIX`.

use crate::shell::{self, Outcome, target};
use std::path::Path;

pub(crate) fn run(args: &[&str]) -> Outcome {
    let [prefix] = args else { return Err("usage: cargo xtask install PREFIX".into()) };
    let prefix = Path::new(prefix);
    let warprace = shell::build_release()?;
    let library = |name: &str| target().join("release").join(name);
    let files = [
        (warprace, "bin", "warprace"),
        (library("libinject.so"), "lib/warprace", "libinject.so"),
        (library("libwarprace_gpu.so"), "lib/warprace", "libwarprace_gpu.so"),
    ];
    for (from, folder, name) in files {
        let folder = prefix.join(folder);
        shell::make_dir(&folder)?;
        let to = folder.join(name);
        // A program that is being run cannot be overwritten, but it can be replaced.
        let beside = folder.join(format!(".{name}.new"));
        std::fs::copy(&from, &beside)
            .and_then(|_| std::fs::rename(&beside, &to))
            .map_err(|e| format!("cannot install {}: {e}", to.display()))?;
        println!("{}", to.display());
    }
    Ok(())
}
