//! `cargo xtask wheel`, `deb` and `release`: what people install, under `target/packages`.

use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn folder() -> Outcome<PathBuf> {
    let folder = target().join("packages");
    shell::make_dir(&folder)?;
    Ok(folder)
}

/// The libraries that are preloaded, on the virtual GPU and on a real one.
const LIBRARIES: [&str; 2] = ["libinject.so", "libwarprace_gpu.so"];

/// The program, which has its libraries beside it.
fn built() -> Outcome<PathBuf> {
    let program = shell::build_release()?;
    match LIBRARIES.iter().map(|name| program.with_file_name(name)).find(|library| !library.is_file()) {
        None => Ok(program),
        Some(library) => Err(format!("there is no {}", library.display())),
    }
}

/// The wheel; with `test`, installed into an empty environment and used there.
pub(crate) fn wheel(args: &[&str]) -> Outcome {
    let wheel = make_wheel()?;
    println!("{}", wheel.display());
    match args {
        [] => Ok(()),
        ["test"] => test_wheel(&wheel),
        _ => Err("usage: cargo xtask wheel [test]".into()),
    }
}

fn make_wheel() -> Outcome<PathBuf> {
    let program = built()?;
    let made = Command::new("python3")
        .arg(root().join("python/wheel.py"))
        .arg(VERSION)
        .args([&program, &folder()?])
        .output()
        .map_err(|e| format!("cannot run python3: {e}"))?;
    match made.status.success() {
        true => Ok(String::from_utf8_lossy(&made.stdout).trim().into()),
        false => Err(String::from_utf8_lossy(&made.stderr).into_owned()),
    }
}

/// The test that the plugin's test runs; pytest itself comes from the registry.
const TEST: &str = "\
def test_finds_a_race(warprace):
    report = warprace.report(['./racy'])
    assert report.verdict == 'race' and report.races[0]['class'] == 'missing-fence'


def test_fixed(warprace):
    assert 'passed' in warprace.run(['./fixed']).output
";

fn test_wheel(wheel: &Path) -> Outcome {
    let folder = target().join("wheel-test");
    let _ = std::fs::remove_dir_all(&folder);
    shell::make_dir(&folder)?;
    shell::run(Command::new("python3").args(["-m", "venv", "env"]).current_dir(&folder))?;
    let bin = folder.join("env/bin");
    let pip = |what: &Path| {
        let mut pip = Command::new(bin.join("pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check"]).arg(what);
        shell::run(&mut pip)
    };
    pip(wheel)?;
    pip(Path::new("pytest"))?;
    pip(Path::new("ipython"))?;
    let toolkit = cuda::ensure()?;
    for (name, source) in [("racy", "last_block_sum.cu"), ("fixed", "last_block_sum_fixed.cu")] {
        let source = root().join("examples").join(source);
        shell::run(toolkit.nvcc().arg("-lineinfo").arg(source).arg("-o").arg(folder.join(name)))?;
    }
    let tests = root().join("python/tests");
    for name in ["device.py", "test_kernels.py", "test_magic.py", "test_tensors.py"] {
        std::fs::copy(tests.join(name), folder.join(name)).map_err(|e| format!("cannot copy {name}: {e}"))?;
    }
    let kernels = ["-ptx", "-lineinfo", "-arch=sm_75"];
    shell::run(
        toolkit.nvcc().args(kernels).arg(tests.join("kernels.cu")).arg("-o").arg(folder.join("kernels.ptx")),
    )?;
    let project = "[[program]]\nname = \"racy\"\ncommand = [\"./racy\"]\n\n[[program]]\nname = \"fixed\"\ncommand = \
                   [\"./fixed\"]\n";
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write("warprace.toml", project)?;
    write("test_it.py", TEST)?;
    // The entry point, from another folder than its own.
    let ran =
        Command::new(bin.join("warprace")).args(["run", "-q", "--", "./fixed"]).current_dir(&folder).status();
    if !ran.is_ok_and(|status| status.success()) {
        return Err("the installed warprace does not find the fixed program clean".into());
    }
    let ran = Command::new(bin.join("pytest"))
        .args(["--warprace", "-q", "-p", "no:cacheprovider"])
        .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default()))
        .current_dir(&folder)
        .output()
        .map_err(|e| format!("cannot run pytest: {e}"))?;
    let told = String::from_utf8_lossy(&ran.stdout);
    print!("{told}");
    // The racy program's own test fails, and the test of the racy kernel.
    let races = ["race[missing-fence]", "race[missing-barrier]", "test_kernels.py::test_reversed[racy]"];
    match told.contains("2 failed, 6 passed") && races.iter().all(|race| told.contains(race)) {
        true => Ok(()),
        false => Err(format!(
            "pytest did not tell two races and six passed tests:\n{}",
            String::from_utf8_lossy(&ran.stderr)
        )),
    }
}

/// The Debian package.
pub(crate) fn deb() -> Outcome {
    println!("{}", make_deb()?.display());
    Ok(())
}

/// Writes the package's tree, below `/usr` or a prefix.
fn tree(at: &Path) -> Outcome {
    let program = built()?;
    let put = |from: &Path, to: &str| {
        let to = at.join(to);
        shell::make_dir(to.parent().unwrap_or(at))?;
        std::fs::copy(from, &to).map(|_| ()).map_err(|e| format!("cannot write {}: {e}", to.display()))
    };
    put(&program, "bin/warprace")?;
    for name in LIBRARIES {
        put(&program.with_file_name(name), &format!("lib/warprace/{name}"))?;
    }
    put(&root().join("integrations/ctest/warprace-memcheck"), "bin/warprace-memcheck")?;
    put(&root().join("integrations/cmake/Warprace.cmake"), "share/cmake/Warprace/Warprace.cmake")?;
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        put(&root().join(name), &format!("share/doc/warprace/{name}"))?;
    }
    let man = at.join("share/man/man1");
    shell::make_dir(&man)?;
    shell::run(Command::new(&program).arg("man").arg(&man))?;
    for (shell_name, to) in [
        ("bash", "share/bash-completion/completions/warprace"),
        ("zsh", "share/zsh/vendor-completions/_warprace"),
        ("fish", "share/fish/vendor_completions.d/warprace.fish"),
    ] {
        let made =
            Command::new(&program).args(["completions", shell_name]).output().map_err(|e| e.to_string())?;
        let to = at.join(to);
        shell::make_dir(to.parent().unwrap_or(at))?;
        std::fs::write(&to, made.stdout).map_err(|e| format!("cannot write {}: {e}", to.display()))?;
    }
    Ok(())
}

/// The glibc that a wheel's name says is needed: `2.34`.
fn glibc(wheel: &Path) -> Outcome<String> {
    let name = wheel.to_string_lossy();
    let version = name.split_once("manylinux_").and_then(|(_, rest)| rest.split_once("_x86_64"));
    version.map(|(version, _)| version.replace('_', ".")).ok_or_else(|| format!("{name} names no glibc"))
}

fn make_deb() -> Outcome<PathBuf> {
    let at = target().join("deb");
    let glibc = glibc(&make_wheel()?)?;
    let _ = std::fs::remove_dir_all(&at);
    tree(&at.join("usr"))?;
    shell::make_dir(&at.join("DEBIAN"))?;
    let control = format!(
        "Package: warprace\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: the warprace authors \
         <warprace@example.invalid>\nSection: devel\nPriority: optional\nDepends: libc6 (>= {glibc}), libgcc-s1\nDescription: data race \
         detector for CUDA programs\n warprace runs unmodified CUDA programs on a virtual GPU and reports their data races\n \
         by the PTX memory model. It needs no GPU.\n"
    );
    std::fs::write(at.join("DEBIAN/control"), control).map_err(|e| e.to_string())?;
    let out = folder()?.join(format!("warprace_{VERSION}_amd64.deb"));
    shell::run(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&at).arg(&out))?;
    Ok(out)
}

/// All packages, an archive, and their checksums.
pub(crate) fn release() -> Outcome {
    let name = format!("warprace-{VERSION}-x86_64-linux");
    let at = target().join(&name);
    let _ = std::fs::remove_dir_all(&at);
    tree(&at)?;
    let archive = folder()?.join(format!("{name}.tar.gz"));
    shell::run(
        Command::new("tar")
            .args(["--owner=0", "--group=0", "--numeric-owner", "--sort=name", "-czf"])
            .arg(&archive)
            .arg("-C")
            .arg(target())
            .arg(&name),
    )?;
    let files = [make_wheel()?, make_deb()?, archive];
    let names: Vec<&std::ffi::OsStr> = files.iter().filter_map(|file| file.file_name()).collect();
    let sums =
        Command::new("sha256sum").args(&names).current_dir(folder()?).output().map_err(|e| e.to_string())?;
    if !sums.status.success() {
        return Err(String::from_utf8_lossy(&sums.stderr).into_owned());
    }
    std::fs::write(folder()?.join("SHA256SUMS"), &sums.stdout).map_err(|e| e.to_string())?;
    print!("{}", String::from_utf8_lossy(&sums.stdout));
    Ok(())
}
