//! Programs of Python frameworks and of NVRTC, each with its race and without, on the virtual GPU.
//!
//! What they need comes as pinned wheels: `target/frameworks/NAME` has each framework's own.

mod bench;
mod flashinfer;
mod jupyter;
mod known;
mod llama;
mod suites;

use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in `examples/frameworks`.
struct Program {
    file: &'static str,
    /// The source line that the report of the race must name.
    line: &'static str,
    /// How the report must name the memory.
    memory: &'static str,
    /// Other arguments that the program is run with, too.
    also: &'static [&'static str],
}

/// A framework and its programs.
struct Framework {
    name: &'static str,
    wheels: &'static [&'static str],
    programs: &'static [Program],
    /// Why the framework is tried only if it is named.
    heavy: Option<&'static str>,
}

const FRAMEWORKS: [Framework; 5] = [
    Framework {
        name: "nvrtc",
        wheels: &["nvidia-cuda-nvrtc==13.0.88"],
        programs: &[Program {
            file: "nvrtc_reverse.c",
            line: "reverse.cu:8",
            memory: "shared memory",
            also: &["--cubin"],
        }],
        heavy: None,
    },
    Framework {
        name: "numba",
        wheels: &["numba-cuda[cu13]==0.30.4", "numba==0.68.1", "numpy==2.4.6"],
        programs: &[Program {
            file: "numba_smooth.py",
            line: "numba_smooth.py:19",
            memory: "shared memory",
            also: &[],
        }],
        heavy: None,
    },
    Framework {
        name: "cupy",
        wheels: &["cupy-cuda13x==14.2.0", "nvidia-cuda-nvrtc==13.0.88", "nvidia-cuda-runtime==13.0.96"],
        programs: &[Program {
            file: "cupy_softmax.py",
            line: ".cu:20",
            memory: "shared memory `part`",
            also: &[],
        }],
        heavy: None,
    },
    Framework {
        name: "triton",
        wheels: &["triton==3.9.0"],
        programs: &[Program {
            file: "triton_total.py",
            line: "triton_total.py:21",
            memory: "`total` (i32)",
            also: &[],
        }],
        heavy: None,
    },
    Framework {
        name: "torch",
        wheels: &["torch==2.15.0", "numpy==2.4.6", "setuptools==84.2.1"],
        programs: &[
            Program {
                file: "torch_streams.py",
                line: "torch_streams.py:24",
                memory: "`x` (float32[4096])",
                also: &["--compile"],
            },
            Program {
                file: "triton_histogram.py",
                line: "triton_histogram.py:20",
                memory: "`bins` (int32[128])",
                also: &[],
            },
        ],
        heavy: Some("its wheels have 3 GB"),
    },
];

/// Runs the programs of the named frameworks, or of all; or `jupyter` or `bench`; after `suites` tests of their own, after `llama` and
/// `flashinfer` kernels of these projects.
pub(crate) fn run(names: &[&str]) -> Outcome {
    match names {
        ["jupyter"] => return jupyter::run(),
        ["bench"] => return bench::run(),
        ["suites", rest @ ..] => return suites::run(rest),
        ["llama", rest @ ..] => return llama::run(rest),
        ["flashinfer", rest @ ..] => return flashinfer::run(rest),
        _ => {}
    }
    if let Some(unknown) = names.iter().find(|name| FRAMEWORKS.iter().all(|f| f.name != **name)) {
        let known: Vec<_> = FRAMEWORKS.iter().map(|f| f.name).collect();
        return Err(format!("there is no framework `{unknown}` here, only {}", known.join(", ")));
    }
    let warprace = shell::build_release()?;
    for framework in FRAMEWORKS.iter().filter(|f| names.is_empty() || names.contains(&f.name)) {
        if let (Some(why), true) = (framework.heavy, names.is_empty()) {
            println!("{}: only if it is named, since {why}", framework.name);
            continue;
        }
        let folder = target().join("frameworks").join(framework.name);
        install(framework, &folder)?;
        for program in framework.programs {
            shell::step(&format!("{}: {}", framework.name, program.file));
            let command = program.command(&warprace, &folder)?;
            for other in std::iter::once(None).chain(program.also.iter().map(Some)) {
                for fixed in [false, true] {
                    program.check(&warprace, &command, &folder, fixed, other.copied())?;
                }
            }
            println!("{}: the race is found, and the fixed program is clean", program.file);
        }
    }
    Ok(())
}

/// Installs a framework's wheels, if they are not there.
fn install(framework: &Framework, folder: &Path) -> Outcome {
    let (stamp, wanted) = (folder.join("wheels.txt"), framework.wheels.join("\n"));
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
    }
    shell::make_dir(folder)?;
    let mut venv = Command::new("python3");
    shell::run(venv.args(["-m", "venv"]).arg(folder.join("venv")))?;
    let mut pip = Command::new(folder.join("venv/bin/pip"));
    pip.args(["install", "--quiet", "--no-input", "--disable-pip-version-check", "--only-binary=:all:"]);
    shell::run(pip.args(framework.wheels))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("cannot write {}: {e}", stamp.display()))
}

/// The folder of a virtual environment's packages.
fn packages(folder: &Path) -> Outcome<PathBuf> {
    let lib = folder.join("venv/lib");
    let python = std::fs::read_dir(&lib).map_err(|e| format!("cannot read {}: {e}", lib.display()))?;
    let found = python.flatten().map(|entry| entry.path().join("site-packages")).find(|place| place.exists());
    found.ok_or_else(|| format!("there are no packages under {}", lib.display()))
}

/// The folder of NVRTC in a virtual environment.
fn nvrtc(folder: &Path) -> Outcome<PathBuf> {
    let found = packages(folder)?.join("nvidia/cu13");
    match found.join("include/nvrtc.h").exists() {
        true => Ok(found),
        false => Err(format!("there is no nvrtc.h under {}", found.display())),
    }
}

impl Program {
    /// What is run under warprace.
    fn command(&self, warprace: &Path, folder: &Path) -> Outcome<Vec<PathBuf>> {
        let source = root().join("examples/frameworks").join(self.file);
        if !self.file.ends_with(".c") {
            return Ok(vec![folder.join("venv/bin/python"), source]);
        }
        let (headers, nvrtc) = (cuda::ensure()?.root.join("include"), nvrtc(folder)?);
        let built = folder.join("program");
        let library = nvrtc.join("lib/libnvrtc.so.13");
        // Any run leaves the library under the driver's name there.
        let mut any = Command::new(warprace);
        let _ = any.args(["run", "--", "true"]).env("XDG_CACHE_HOME", folder.join("cache")).output();
        let driver = folder.join("cache/warprace/driver");
        let mut gcc = Command::new("gcc");
        gcc.arg("-g")
            .arg(source)
            .arg("-o")
            .arg(&built)
            .arg("-I")
            .arg(headers)
            .arg("-I")
            .arg(nvrtc.join("include"));
        gcc.arg(&library).arg("-L").arg(driver).arg("-lcuda");
        // NVRTC loads another library of its folder and has no path to it: the program's is to count for that, too.
        gcc.arg("-Wl,--disable-new-dtags");
        gcc.arg(format!("-Wl,-rpath,{}", nvrtc.join("lib").display()));
        shell::run(&mut gcc)?;
        Ok(vec![built])
    }

    fn check(
        &self,
        warprace: &Path,
        command: &[PathBuf],
        folder: &Path,
        fixed: bool,
        other: Option<&str>,
    ) -> Outcome {
        let mut run = Command::new(warprace);
        run.args(["run", "--"]).args(command).args(fixed.then_some("--fixed")).args(other);
        let ran = run
            .current_dir(folder)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .output()
            .map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
        let told = String::from_utf8_lossy(&ran.stderr);
        let right = match fixed {
            true => ran.status.code() == Some(0) && told.contains("warprace: clean"),
            false => {
                ran.status.code() == Some(66)
                    && [self.line, self.memory, "race["].iter().all(|part| told.contains(part))
            }
        };
        if right {
            Ok(())
        } else {
            Err(format!("`{}` ended with {}:\n{told}", shell::display(&run), ran.status))
        }
    }
}
