//! `cargo xtask surroundings`: programs that say what they are doing, by NVTX and by their test frameworks, and what reports make
//! of it.
//!
//! Needs pip and a g++ with GoogleTest (Debian's libgtest-dev). The headers of NVTX, its package for Python and pytest are wheels,
//! installed under `target/surroundings`.

use crate::cuda::{self, Toolkit};
use crate::shell::{self, Outcome, root, target};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const WHEELS: [&str; 3] = ["nvidia-nvtx==13.5.25", "nvtx==0.2.17", "pytest==8.4.2"];

/// Programs under warprace.
struct Bench {
    folder: PathBuf,
    warprace: PathBuf,
    python: PathBuf,
}

pub(crate) fn run() -> Outcome {
    let (toolkit, warprace) = (cuda::ensure()?, shell::build_release()?);
    let folder = target().join("surroundings");
    shell::make_dir(&folder)?;
    let environment = folder.join("env");
    let python = environment.join("bin/python");
    if !python.exists() {
        shell::step("installing NVTX and pytest under target/surroundings");
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    shell::run(pip.args(WHEELS))?;
    let warprace = warprace.canonicalize().map_err(|e| e.to_string())?;
    let bench = Bench { folder, warprace, python };
    bench.build(&toolkit)?;
    bench.ranges()?;
    bench.googletest()?;
    bench.pytest()
}

impl Bench {
    fn build(&self, toolkit: &Toolkit) -> Outcome {
        let sources = root().join("tests/surroundings");
        let headers = self.headers()?;
        let nvcc = |name: &str, rest: &[&str]| {
            let mut nvcc = toolkit.nvcc();
            nvcc.args(["-g", "-lineinfo", "-I"]).arg(&headers).arg(sources.join(format!("{name}.cu")));
            shell::run(nvcc.args(rest).current_dir(&self.folder))
        };
        nvcc("ranges", &["-o", "ranges", "-ldl"])?;
        nvcc("googletest", &["-o", "googletest", "-lgtest"])?;
        nvcc("library", &["-shared", "-Xcompiler", "-fPIC", "-o", "liblibrary.so"])?;
        shell::run(Command::new("cp").arg(sources.join("test_library.py")).arg(&self.folder))
    }

    /// Returns the folder of NVTX's headers.
    fn headers(&self) -> Outcome<PathBuf> {
        let where_from = "import nvidia, glob, sys; print(glob.glob(nvidia.__path__[0] + '/*/include')[0])";
        let output =
            Command::new(&self.python).args(["-c", where_from]).output().map_err(|e| e.to_string())?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        match path.join("nvtx3/nvToolsExt.h").is_file() {
            true => Ok(path),
            false => Err("the wheel nvidia-nvtx has no headers where they are looked for".into()),
        }
    }

    /// Runs a program, and returns its report and what was printed.
    fn report(&self, options: &[&str], program: &[&str]) -> Outcome<(Value, String)> {
        let json = self.folder.join("report.json");
        let _ = std::fs::remove_file(&json);
        let mut run = Command::new(&self.warprace);
        run.arg("run").args(options).arg("--json").arg(&json).arg("--").args(program);
        run.current_dir(&self.folder).env_remove("PYTEST_CURRENT_TEST").env("NO_COLOR", "1");
        let output = run.output().map_err(|e| e.to_string())?;
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let text = shell::read(&json).map_err(|e| format!("{e}\n{printed}"))?;
        Ok((serde_json::from_str(&text).map_err(|e| e.to_string())?, printed.into_owned()))
    }

    fn ranges(&self) -> Outcome {
        shell::step("NVTX ranges choose launches");
        let (report, printed) = self.report(&[], &["./ranges"])?;
        expect(&report, "race", [4, 4])?;
        contains(&printed, &["= nvtx: epoch 1 > step > solver@sweep", "passed"])?;
        let only = |given: &[&str], verdict, launches| {
            let (report, printed) = self.report(given, &["./ranges"])?;
            expect(&report, verdict, launches).map_err(|e| format!("{given:?}: {e}\n{printed}"))
        };
        let include = "--nvtx-include";
        for (ranges, verdict, checked) in [
            ("step/", "race", 1),
            ("[step]", "race", 1),
            ("warm up/", "clean", 1),
            ("epoch 1", "race", 3),
            ("epoch 1,warm up/", "clean", 1),
            ("regex:^epoch [0-9]$", "race", 3),
            ("solver@sweep/", "race", 1),
            ("regex:sol@regex:eep/", "race", 1),
            ("sweep/", "inconclusive", 0),
            ("solver@sweep", "inconclusive", 0),
        ] {
            only(&[include, ranges], verdict, [checked, 4])?;
        }
        only(&["--nvtx-exclude", "step/"], "clean", [3, 4])?;
        only(&[include, "epoch 1", "--nvtx-exclude", "solver@sweep/"], "clean", [2, 4])?;
        let (_, printed) = self.report(&["--nvtx-exclude", "step/"], &["./ranges"])?;
        contains(&printed, &["1 of 4 launches were left out by the filters", "clean of what was checked"])
    }

    fn googletest(&self) -> Outcome {
        shell::step("tests of GoogleTest");
        let junit = self.folder.join("junit.xml");
        let html = self.folder.join("report.html");
        let paths = [junit.display().to_string(), html.display().to_string()];
        let (report, printed) =
            self.report(&["--junit", &paths[0], "--html", &paths[1]], &["./googletest"])?;
        let tests: Vec<&str> = report["races"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|race| [&race["accesses"][0]["test"], &race["accesses"][1]["test"]])
            .filter_map(Value::as_str)
            .collect();
        let each = "Each/Stride.Sums/1";
        if tests != ["Reverse.WithoutBarrier", "Reverse.WithoutBarrier", each, each] {
            return Err(format!("the races are said to be of {tests:?}\n{printed}"));
        }
        contains(
            &printed,
            &["= test: Reverse.WithoutBarrier", "= test: Each/Stride.Sums/1", "1 FAILED TEST"],
        )?;
        contains(&shell::read(&junit)?, &["test: Reverse.WithoutBarrier"])?;
        contains(&shell::read(&html)?, &["Reverse.WithoutBarrier"])?;
        let (report, printed) = self.report(&[], &["./googletest", "--gtest_filter=Reverse.WithBarrier"])?;
        expect(&report, "clean", [1, 1]).map_err(|e| format!("{e}\n{printed}"))
    }

    fn pytest(&self) -> Outcome {
        shell::step("tests of pytest, and NVTX from Python");
        let python = self.python.display().to_string();
        let program = [&*python, "-m", "pytest", "-q", "test_library.py"];
        let (report, printed) = self.report(&[], &program)?;
        expect(&report, "race", [3, 3]).map_err(|e| format!("{e}\n{printed}"))?;
        contains(&printed, &["= test: test_library.py::test_racy", "= nvtx: solver@sweep > step"])?;
        let (report, printed) = self.report(&["--nvtx-exclude", "solver@sweep/"], &program)?;
        expect(&report, "clean", [2, 3]).map_err(|e| format!("{e}\n{printed}"))
    }
}

/// Compares a report's verdict, and the numbers of checked launches and of all.
fn expect(report: &Value, verdict: &str, launches: [u64; 2]) -> Outcome {
    let summary = &report["summary"];
    let found = [&summary["checked"], &summary["launches"]].map(|n| n.as_u64().unwrap_or(u64::MAX));
    match report["verdict"] == verdict && found == launches {
        true => Ok(()),
        false => Err(format!("{}, {found:?} launches; expected {verdict}, {launches:?}", report["verdict"])),
    }
}

fn contains(text: &str, parts: &[&str]) -> Outcome {
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("`{part}` is not in this:\n{text}")),
    }
}
