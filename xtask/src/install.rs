//! `cargo xtask install PREFIX`, and a test of `cargo install`.

use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use std::path::Path;
use std::process::Command;

pub(crate) fn run(args: &[&str]) -> Outcome {
    match args {
        ["test"] => test(),
        [prefix] => install(Path::new(prefix)),
        _ => Err("usage: cargo xtask install PREFIX|test".into()),
    }
}

/// Tests that `cargo install`, which installs programs only, suffices in an empty folder with an empty cache.
/// The program is built as the tests are, so that little is built again.
fn test() -> Outcome {
    let folder = target().join("install-test");
    let _ = std::fs::remove_dir_all(&folder);
    shell::make_dir(&folder)?;
    shell::step("cargo install --path crates/warprace");
    let program = root().join("crates/warprace");
    let mut install = shell::cargo(&["install", "--quiet", "--debug", "--locked", "--no-track", "--path"]);
    // Its own warning: the folder is not in PATH.
    install.arg(program).arg("--root").arg(&folder).stderr(std::process::Stdio::null());
    shell::run(&mut install)?;
    let toolkit = cuda::ensure()?;
    for (source, code, says) in
        [("last_block_sum", 66, "race[missing-fence]"), ("last_block_sum_fixed", 0, "clean: no race")]
    {
        let built = folder.join(source);
        let file = root().join("examples").join(source).with_extension("cu");
        shell::run(toolkit.nvcc().arg("-lineinfo").arg(file).arg("-o").arg(&built))?;
        // Once to unpack the library, and once to find it there.
        for _ in 0..2 {
            let ran = Command::new(folder.join("bin/warprace"))
                .args(["run", "--"])
                .arg(&built)
                .env_remove("WARPRACE_LIBRARY")
                .env("XDG_CACHE_HOME", folder.join("cache"))
                .current_dir(&folder)
                .output()
                .map_err(|e| format!("cannot run what was installed: {e}"))?;
            let told = String::from_utf8_lossy(&ran.stderr);
            if ran.status.code() != Some(code) || !told.contains(says) {
                return Err(format!("the installed warprace ended with {}:\n{told}", ran.status));
            }
        }
    }
    let unpacked = std::fs::read_dir(folder.join("cache/warprace")).map_err(|e| e.to_string())?;
    let unpacked = unpacked.flatten().filter(|entry| entry.path().is_file()).count();
    if unpacked != 1 {
        return Err(format!("{unpacked} libraries were unpacked in place of one"));
    }
    println!("{}: it works alone", folder.join("bin/warprace").display());
    Ok(())
}

fn install(prefix: &Path) -> Outcome {
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
