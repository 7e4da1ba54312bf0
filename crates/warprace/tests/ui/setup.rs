//! Tools and options, from the environment and the command line.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arch::{self, Arch};
use crate::fixture::Fixture;

pub(crate) struct Setup {
    nvcc: PathBuf,
    pub(crate) warprace: PathBuf,
    /// The fixtures' folder.
    pub(crate) folder: PathBuf,
    pub(crate) workspace: PathBuf,
    /// The folder of compiled fixtures.
    pub(crate) out: PathBuf,
    pub(crate) filters: Vec<String>,
    pub(crate) bless: bool,
    pub(crate) quiet: bool,
    /// Whether each racy fixture is changed as its report advises, to see whether that removes the race.
    pub(crate) apply: bool,
    /// Whether each fixture is also run with accesses skipped that a proof covers; else a few are.
    pub(crate) proofs: bool,
    /// Whether every fixture has the checks that others than some do without ([`crate::sample`]).
    pub(crate) every: bool,
    /// The number of schedules for clean fixtures.
    pub(crate) seeds: u32,
    /// The architecture for all fixtures, if the user names one.
    pub(crate) arch: Option<Arch>,
    pub(crate) workers: usize,
    /// A hash of the headers that all fixtures include.
    support: u64,
    /// The fixtures' outputs on a real GPU.
    recorded: BTreeMap<String, String>,
}

impl Setup {
    /// Returns the setup for a folder of fixtures; `None` if there is no nvcc and it is not required.
    pub(crate) fn from_environment(fixtures: &str) -> Result<Option<Self>, String> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let workspace = workspace.canonicalize().map_err(|e| format!("{}: {e}", workspace.display()))?;
        let root = std::env::var_os("WARPRACE_CUDA")
            .map_or_else(|| workspace.join("target/cuda/nvidia/cu13"), PathBuf::from);
        let nvcc = root.join("bin/nvcc");
        if !nvcc.exists() {
            return match std::env::var_os("WARPRACE_REQUIRE_CUDA") {
                Some(_) => Err(format!("there is no {}", nvcc.display())),
                None => Ok(None),
            };
        }
        let folder = workspace.join(fixtures);
        let mut setup = Setup {
            nvcc,
            warprace: std::env::var_os("WARPRACE_BIN")
                .map_or_else(|| env!("CARGO_BIN_EXE_warprace").into(), PathBuf::from),
            support: hash_folder(&folder.join("support")),
            // Only the fixtures in `tests/ui` were recorded on a real GPU.
            recorded: match fixtures {
                "tests/ui" => recorded(&folder.join("gpu.json"))?,
                _ => BTreeMap::new(),
            },
            folder,
            workspace,
            out: Path::new(env!("CARGO_TARGET_TMPDIR")).join(fixtures.rsplit('/').next().unwrap_or("ui")),
            filters: vec![],
            bless: false,
            quiet: false,
            apply: false,
            proofs: false,
            every: std::env::var_os("WARPRACE_EVERY").is_some(),
            seeds: 4,
            arch: None,
            workers: std::thread::available_parallelism().map_or(2, usize::from),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number =
                || args.next().and_then(|v| v.parse().ok()).ok_or(format!("{arg} needs a number"));
            match arg.as_str() {
                "--bless" => setup.bless = true,
                "--apply" => setup.apply = true,
                "--proofs" => setup.proofs = true,
                "--quiet" | "-q" => setup.quiet = true,
                "--arch" => {
                    let word = args.next().unwrap_or_default();
                    let arch = Arch::parse(&word);
                    setup.arch = Some(
                        arch.ok_or(format!("no such architecture: `{word}`; try default or compute_90"))?,
                    );
                }
                "--seeds" => setup.seeds = number()?,
                "--test-threads" => setup.workers = number()? as usize,
                // `cargo test` passes these on to every harness.
                "--nocapture" | "--no-capture" => {}
                a if a.starts_with('-') => return Err(format!("no such option: {a}")),
                _ => setup.filters.push(arg),
            }
        }
        setup.every |= !setup.filters.is_empty();
        Ok(Some(setup))
    }

    /// Returns the fixture's output on a real GPU, if it was recorded (`tests/ui/record_gpu.py`).
    pub(crate) fn recorded(&self, fixture: &Fixture) -> Option<&str> {
        self.recorded.get(&fixture.name).map(String::as_str)
    }

    /// Returns the fixture's architecture; `None` if its own flags choose one.
    pub(crate) fn arch(&self, fixture: &Fixture) -> Option<Arch> {
        let chosen = |flag: &str| fixture.nvcc.iter().any(|f| f.starts_with(flag));
        let chosen = chosen("-arch") || chosen("-gencode");
        (!chosen).then(|| self.arch.unwrap_or_else(|| arch::usual(fixture)))
    }

    /// Returns the path of the compiled fixture, which depends on its text and flags.
    pub(crate) fn program(&self, fixture: &Fixture) -> Result<PathBuf, String> {
        let mut hasher = DefaultHasher::new();
        (&fixture.text, &fixture.nvcc, &self.nvcc, self.support, self.arch(fixture)).hash(&mut hasher);
        // A change between separate and joint compilation forces a new build.
        fixture.suits_others().hash(&mut hasher);
        for path in Self::aux(fixture) {
            std::fs::read(&path).map_err(|e| format!("  {}: {e}", path.display()))?.hash(&mut hasher);
        }
        let name = fixture.name.replace(['/', '.'], "-");
        Ok(self.out.join(format!("{name}-{:016x}", hasher.finish())))
    }

    fn aux(fixture: &Fixture) -> Vec<PathBuf> {
        fixture.aux.iter().map(|name| fixture.path.with_file_name(name)).collect()
    }

    /// Compiles the fixture, unless the same text was compiled with the same flags before.
    pub(crate) fn compile(&self, fixture: &Fixture) -> Result<PathBuf, String> {
        let program = self.program(fixture)?;
        if program.exists() {
            return Ok(program);
        }
        // The output is renamed when it is complete, so an interrupted compilation leaves no file that looks
        // complete.
        let partial = program.with_extension(format!("{}.partial", unique()));
        let aux = Self::aux(fixture);
        let sources: Vec<&Path> = std::iter::once(&fixture.path).chain(&aux).map(PathBuf::as_path).collect();
        self.nvcc(self.arch(fixture), &fixture.nvcc, &sources, &partial)?;
        std::fs::rename(&partial, &program).map_err(|e| format!("  {}: {e}", program.display()))?;
        Ok(program)
    }

    /// Compiles `sources` with a fixture's flags.
    pub(crate) fn nvcc(
        &self,
        arch: Option<Arch>,
        flags: &[String],
        sources: &[&Path],
        out: &Path,
    ) -> Result<(), String> {
        std::fs::create_dir_all(&self.out).map_err(|e| format!("  {}: {e}", self.out.display()))?;
        let mut command = Command::new(&self.nvcc);
        command.current_dir(&self.folder).arg("-lineinfo");
        if !flags.iter().any(|f| f.starts_with("-std")) {
            command.arg("-std=c++17");
        }
        command.args(arch.map(Arch::flags).unwrap_or_default());
        command.args(flags).args(sources).arg("-o").arg(out);
        let done = command.output().map_err(|e| format!("  cannot run {}: {e}", self.nvcc.display()))?;
        if done.status.success() {
            return Ok(());
        }
        let text =
            String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        Err(format!("  nvcc failed:\n{}", crate::normal::indent(&text)))
    }
}

/// Returns a number that is unique in this process.
pub(crate) fn unique() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns the outputs in a record of `record_gpu.py`, for programs that succeeded.
fn recorded(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| at(&e))?;
    let record: serde_json::Value = serde_json::from_str(&text).map_err(|e| at(&e))?;
    let fixtures = record["fixtures"].as_object().ok_or_else(|| at(&"no `fixtures`"))?;
    let ran = fixtures.iter().filter(|(_, what)| what["status"] == 0);
    Ok(ran.filter_map(|(name, what)| Some((name.clone(), what["stdout"].as_str()?.to_owned()))).collect())
}

fn hash_folder(folder: &Path) -> u64 {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        (&file, std::fs::read(&file).unwrap_or_default()).hash(&mut hasher);
    }
    hasher.finish()
}
