//! Racy programs that are mended and shrunk: fixtures of `tests/ui` and the corpus of real bugs.

use crate::{toolkit, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A racy program, in a folder of its own.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The text that is built, with its includes found from anywhere.
    pub(crate) text: String,
    pub(crate) nvcc: Vec<String>,
    pub(crate) run: Vec<String>,
    pub(crate) arguments: Vec<String>,
}

impl Case {
    /// Reads a fixture of `tests/ui`.
    pub(crate) fn fixture(name: &str) -> Case {
        let folder = workspace().join("tests/ui");
        let text = std::fs::read_to_string(folder.join(name)).expect("the fixture is there");
        let words = |key: &str| -> Vec<String> {
            let line = text.lines().find_map(|l| l.strip_prefix(&format!("//@ {key}: ")));
            line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let beside = folder.join(name).parent().expect("a fixture has a folder").to_path_buf();
        let others = words("aux").into_iter().map(|aux| beside.join(aux).to_string_lossy().into_owned());
        Case {
            name: name.to_owned(),
            nvcc: words("nvcc").into_iter().chain(others).collect(),
            run: words("run"),
            arguments: words("args"),
            text: text.replace("\"../support/", &format!("\"{}/support/", folder.display())),
        }
    }

    /// Reads a miniature of `tests/bugs`, with a `main` that runs the racy variant.
    pub(crate) fn bug(name: &str) -> Case {
        let folder = workspace().join("tests/bugs");
        let text = std::fs::read_to_string(folder.join(format!("{name}.cu"))).expect("the bug is there");
        let run = text.lines().find_map(|l| l.strip_prefix("//@ run: ")).unwrap_or_default();
        Case {
            name: name.to_owned(),
            nvcc: vec![format!("-I{}", folder.display())],
            run: run.split_whitespace().map(str::to_owned).collect(),
            arguments: vec![],
            text: format!("{text}\n#include <cuda/barrier>\nint main() {{ run<false>(); return 0; }}\n"),
        }
    }

    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        let name = self.name.replace(['/', '.'], "-");
        folder.join(format!("{name}.cu"))
    }
}

/// The compiler, and a folder for what it makes.
pub(crate) struct Builder {
    nvcc: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Builder {
    pub(crate) fn new(name: &str) -> Option<Builder> {
        let nvcc = toolkit::toolkit()?.join("bin/nvcc");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Some(Builder { nvcc, folder })
    }

    fn flags(&self, case: &Case) -> Vec<String> {
        let mut flags = vec!["-lineinfo".to_owned(), "-g".to_owned()];
        if !case.nvcc.iter().any(|f| f.starts_with("-std")) {
            flags.push("-std=c++17".into());
        }
        if !case.nvcc.iter().any(|f| f.starts_with("-arch") || f.starts_with("-gencode")) {
            flags.extend(["-gencode".into(), "arch=compute_90,code=compute_90".into()]);
        }
        flags.extend(case.nvcc.iter().cloned());
        flags
    }

    pub(crate) fn build(&self, case: &Case, source: &Path) -> Result<PathBuf, String> {
        let program = source.with_extension("");
        let mut command = Command::new(&self.nvcc);
        command.current_dir(workspace().join("tests/ui")).args(self.flags(case));
        let done = command.arg(source).arg("-o").arg(&program).output().expect("nvcc runs");
        match done.status.success() {
            true => Ok(program),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
        }
    }

    /// Returns the command by which `warprace fix` builds changed sources.
    pub(crate) fn command(&self, case: &Case) -> String {
        let flags = self.flags(case).join(" ");
        let folder = workspace().join("tests/ui");
        format!("cd {} && {} {flags} {{source}} -o {{program}}", folder.display(), self.nvcc.display())
    }
}

/// Returns the racy fixtures and, if `bugs`, the corpus, whose names `wanted` accepts, by name.
pub(crate) fn cases(bugs: bool, wanted: impl Fn(&str) -> bool) -> Vec<Case> {
    let (ui, corpus) = (workspace().join("tests/ui"), workspace().join("tests/bugs"));
    let mut names = Vec::new();
    racy(&ui, &mut names, &ui);
    let mut cases: Vec<Case> = names.iter().filter(|n| wanted(n)).map(|n| Case::fixture(n)).collect();
    for entry in std::fs::read_dir(&corpus).expect("the corpus can be listed").flatten().filter(|_| bugs) {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "cu") && wanted(&name) {
            cases.push(Case::bug(&name));
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn racy(folder: &Path, into: &mut Vec<String>, root: &Path) {
    for entry in std::fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            racy(&path, into, root);
        } else if path.to_string_lossy().ends_with(".race.cu") {
            into.push(path.strip_prefix(root).expect("it is inside").to_string_lossy().into_owned());
        }
    }
}
