//! The options of a run.

use crate::pick::Pick;
use crate::word::as_path;
use crate::{OPTIONS_VARIABLE, PROTOCOL_VERSION, RunResult};
use names::lens::Choice;
use names::schedule::Plan;
use names::{
    Checks, Engine, EqualValues, Filter, LaunchShape, Laws, RangeFilter, Replay, Strategy, Volatile,
};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, c_char};
use std::path::{Path, PathBuf};

/// When the prover is asked which accesses of a launch race with nothing, so that they need not be checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Prune {
    #[default]
    Never,
    /// In a thread beside the launches of a kernel, once these have executed so many instructions of threads; before
    /// each launch, which waits for the answer, if that is 0.
    Beside { after: u64 },
    /// Before each launch, which waits for the answer.
    Before,
}

impl Prune {
    /// Returns whether each launch waits for the answer.
    pub fn waits(self) -> bool {
        matches!(self, Prune::Before | Prune::Beside { after: 0 })
    }
}

/// Where and how much a session is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOptions {
    /// The folder, for a file `PID.session` of each process.
    #[serde(with = "as_path")]
    pub folder: PathBuf,
    /// The bytes after which the session ends.
    pub bytes: u64,
    /// The launches after which it ends.
    pub launches: u64,
}

/// All that the command line asks of the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    pub version: u32,
    /// An existing folder for result files.
    #[serde(with = "as_path")]
    pub results: PathBuf,
    /// Whether the command line locks that folder as long as it lives.
    pub owned: bool,
    /// Check only kernels whose (mangled or demangled) name matches one of these; all if empty.
    /// [`names::filter`] documents the forms.
    pub kernel_names: Vec<Filter>,
    /// Never check kernels that match one of these. The same forms.
    pub kernel_names_exclude: Vec<Filter>,
    /// Check only launches inside of NVTX ranges that one of these describes; all if empty.
    pub nvtx_include: Vec<RangeFilter>,
    /// Never check launches inside of NVTX ranges that one of these describes.
    pub nvtx_exclude: Vec<RangeFilter>,
    /// Libraries whose kernels without PTX are accepted, by names such as `cublas`: in lower case, without `lib`.
    pub trust: Vec<String>,
    /// The number of matching launches to skip before checking.
    pub launch_skip: u64,
    /// The greatest number of matching launches to check.
    pub launch_count: Option<u64>,
    /// The order in which threads run.
    #[serde(with = "names::as_text")]
    pub plan: Plan,
    /// Run each checked launch under so many schedules, its own included, from the same memory.
    pub explore: u32,
    /// Which schedules `explore` means.
    #[serde(with = "names::as_text")]
    pub strategy: Strategy,
    /// Drive predicted races to happen, with at most so many runs of each launch; 0 predicts none.
    pub predict: u32,
    /// Virtual devices.
    pub devices: u32,
    /// Their compute capability, such as 90; `None` if the program's code decides.
    pub arch: Option<u32>,
    pub volatile: Volatile,
    pub equal_values: EqualValues,
    #[serde(with = "names::as_text")]
    pub checks: Checks,
    /// Worker threads; at least 1.
    pub jobs: usize,
    /// False runs the program on the virtual GPU without a detector.
    pub detect: bool,
    /// Cap on the detector's shadow state, bytes.
    pub max_memory: Option<u64>,
    /// Warp instructions that a block may run while no thread of it ends and no barrier is completed.
    pub max_instructions: Option<u64>,
    /// Run a sample of about so many blocks of launches whose blocks cannot communicate.
    #[serde(default)]
    pub blocks: Option<u64>,
    /// Which definition of a race.
    #[serde(with = "names::as_text")]
    pub lens: Choice,
    #[serde(with = "names::as_text")]
    pub engine: Engine,
    /// Record the calls of the process, with all that they were given.
    #[serde(default)]
    pub session: Option<SessionOptions>,
    /// Record events to this file instead of checking them (`warprace trace`). The first
    /// process that uses CUDA writes to it, others to the same path with `.PID` added.
    #[serde(with = "as_path::optional")]
    pub trace: Option<PathBuf>,
    /// Record the run for its report, too, as far as that is not too much: beside the results, as `PID.trace`.
    #[serde(default)]
    pub record: bool,
    /// Append to this file what each launch that is checked was given: an [`events::ObservedLaunch`] as JSON in each line.
    #[serde(with = "as_path::optional")]
    pub facts: Option<PathBuf>,
    /// When the prover is asked which accesses of a launch need not be checked.
    #[serde(default)]
    pub prune: Prune,
    /// The folder in which proofs are kept for later runs, which may not be there yet; `None` keeps none.
    #[serde(default, with = "as_path::optional")]
    pub proof_cache: Option<PathBuf>,
    /// The program that answers [`crate::proofs`], on a real GPU.
    #[serde(default, with = "as_path::optional")]
    pub prover: Option<PathBuf>,
    /// Save the first launch that is checked to this file.
    #[serde(with = "as_path::optional")]
    pub save_launch: Option<PathBuf>,
    /// Save launches in this folder.
    #[serde(with = "as_path::optional")]
    pub capture: Option<PathBuf>,
    /// Which of them.
    pub capture_pick: Pick,
    /// The largest shapes that the launches of kernels may have.
    pub shapes: Vec<LaunchShape>,
    /// Write the PTX texts of loaded modules to this folder, and load edited ones in their place: see [`crate::texts`].
    #[serde(default, with = "as_path::optional")]
    pub texts: Option<PathBuf>,
    /// Whether the library may print progress of long kernels to stderr.
    pub progress: bool,
}

impl RunOptions {
    /// The laws by which the run is judged.
    pub const fn laws(&self) -> Laws {
        Laws { volatile: self.volatile, equal_values: self.equal_values, checks: self.checks }
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            version: PROTOCOL_VERSION,
            results: PathBuf::new(),
            owned: false,
            kernel_names: Vec::new(),
            kernel_names_exclude: Vec::new(),
            nvtx_include: Vec::new(),
            nvtx_exclude: Vec::new(),
            trust: Vec::new(),
            launch_skip: 0,
            launch_count: None,
            plan: Plan::default(),
            explore: 1,
            strategy: Strategy::Mixed,
            predict: 0,
            devices: 1,
            arch: None,
            volatile: Volatile::Strong,
            equal_values: EqualValues::Hazard,
            checks: Checks::default(),
            jobs: 1,
            detect: true,
            max_memory: None,
            max_instructions: None,
            blocks: None,
            lens: Choice::default(),
            engine: Engine::default(),
            trace: None,
            record: false,
            facts: None,
            prune: Prune::Never,
            proof_cache: None,
            prover: None,
            save_launch: None,
            session: None,
            capture: None,
            capture_pick: Pick::default(),
            shapes: Vec::new(),
            texts: None,
            progress: false,
        }
    }
}

/// Why a library cannot read what the command line has asked for.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    #[error("not UTF-8")]
    NotText,
    #[error(transparent)]
    Form(#[from] serde_json::Error),
    /// They were not built together.
    #[error("the command line speaks protocol version {0}, the library {PROTOCOL_VERSION}")]
    Version(u32),
}

impl RunOptions {
    /// Returns whether the name filters let the kernel with this mangled name through.
    pub fn lets_through(&self, mangled: &str) -> bool {
        let hits = |filters: &[Filter]| filters.iter().any(|f| f.matches(mangled));
        (self.kernel_names.is_empty() || hits(&self.kernel_names)) && !hits(&self.kernel_names_exclude)
    }

    /// The value of [`OPTIONS_VARIABLE`](crate::OPTIONS_VARIABLE).
    pub fn to_variable(&self) -> String {
        serde_json::to_string(self).expect("options are plain data")
    }

    /// Reads the options of this process; `None` if the command line did not start it. If they cannot be read, the
    /// process ends after a result that says so, and after `complain`.
    ///
    /// # Safety
    /// `environment` is null or a null-terminated array of C strings.
    pub unsafe fn of_process(
        environment: *mut *mut c_char,
        complain: impl FnOnce(&str),
    ) -> Option<RunOptions> {
        // SAFETY: the caller's promise.
        let value = unsafe { processes::life::variable(environment, OPTIONS_VARIABLE) }?;
        match RunOptions::from_variable(value) {
            Ok(options) => Some(options),
            Err(error) => {
                let what = format!("{OPTIONS_VARIABLE}: {error}");
                complain(&what);
                RunResult::refusal(value, what);
                std::process::exit(125);
            }
        }
    }

    /// Reads the value of [`OPTIONS_VARIABLE`](crate::OPTIONS_VARIABLE).
    pub fn from_variable(value: &OsStr) -> Result<Self, OptionsError> {
        let text = value.to_str().ok_or(OptionsError::NotText)?;
        let options: RunOptions = serde_json::from_str(text)?;
        if options.version != PROTOCOL_VERSION {
            return Err(OptionsError::Version(options.version));
        }
        Ok(options)
    }

    /// Returns the file in which the process with this id records the run for its report.
    pub fn record_of(results: &Path, pid: u32) -> PathBuf {
        results.join(format!("{pid}.trace"))
    }

    /// Returns the identity that repeats the run.
    pub fn replay(&self) -> Replay {
        Replay {
            lens: self.lens.clone(),
            engine: self.engine,
            volatile: self.volatile,
            equal_values: self.equal_values,
            checks: self.checks,
            devices: self.devices,
            arch: self.arch,
            plan: self.plan.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(names: &[&str], exclude: &[&str]) -> RunOptions {
        let own = |list: &[&str]| list.iter().map(|s| Filter::parse(s).unwrap()).collect();
        RunOptions { kernel_names: own(names), kernel_names_exclude: own(exclude), ..RunOptions::default() }
    }

    #[test]
    fn names_match_in_every_form() {
        let mangled = "_ZN3foo6reduceEPfi"; // foo::reduce(float*, int)
        for filter in [
            "reduce",
            "kns=foo::red",
            "kernel_substring=reduce",
            "kne=foo::reduce",
            "kernel_name=foo::reduce(float*, int)",
            "kre=^foo::.*duce$",
            "kernel_regex=re(d|t)uce",
            mangled,
        ] {
            assert!(options(&[filter], &[]).lets_through(mangled), "{filter}");
            assert!(!options(&[], &[filter]).lets_through(mangled), "{filter}");
        }
        for filter in ["kne=reduce", "other", "kre=^reduce", "kns=foo=reduce"] {
            assert!(!options(&[filter], &[]).lets_through(mangled), "{filter}");
        }
        assert!(options(&["other", "reduce"], &["another"]).lets_through(mangled));
        assert!(!options(&["reduce"], &["foo"]).lets_through(mangled));
    }

    #[test]
    fn options_survive_the_environment() {
        let options = RunOptions {
            kernel_names: vec![Filter::parse("a \"quoted\" name").unwrap()],
            plan: "round-robin/3:seed=7+random:seed=2:launch=4".parse().unwrap(),
            strategy: "dfs/2".parse().unwrap(),
            lens: "scord:cached".parse().unwrap(),
            launch_count: Some(3),
            shapes: vec!["_Z1kPi=2,1,1/64,1,1".parse().unwrap()],
            volatile: Volatile::Weak,
            ..RunOptions::default()
        };
        let value = options.to_variable();
        assert_eq!(RunOptions::from_variable(OsStr::new(&value)).unwrap(), options);
    }

    /// Identities fail closed: nothing that cannot be read becomes the default.
    #[test]
    fn identities_that_cannot_be_read_are_errors() {
        let good = RunOptions::default().to_variable();
        for (field, bad, expected) in [
            ("lens", "\"tsan\"", "expected one of ptx"),
            ("plan", "\"fifo:seed=1\"", "unknown schedule `fifo`"),
            ("plan", "\"random\"", "random:seed=3"),
            ("strategy", "\"bfs\"", "mixed, dfs"),
            ("kernel_names_exclude", "[\"kre=(\"]", "not a regular expression"),
            ("nvtx_include", "[\"a,\"]", "no name"),
        ] {
            let mut options: serde_json::Value = serde_json::from_str(&good).unwrap();
            options[field] = serde_json::from_str(bad).unwrap();
            let error = RunOptions::from_variable(OsStr::new(&options.to_string())).unwrap_err().to_string();
            assert!(error.contains(expected), "{field}: {error}");
        }
    }

    #[test]
    fn another_protocol_version_is_named() {
        let value = RunOptions { version: 99, ..RunOptions::default() }.to_variable();
        let error = RunOptions::from_variable(OsStr::new(&value)).unwrap_err();
        assert!(matches!(error, OptionsError::Version(99)), "{error}");
    }
}
