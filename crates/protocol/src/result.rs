//! The findings of one process, and what was checked in it.

use crate::sink::Sink;
use crate::word::{Word, as_path};
use crate::{PROTOCOL_VERSION, RESULT_EXTENSION};
use events::ids::ThreadId;
use events::task::HostCall;
use events::{Allocation, Dim3, Finding, SharedVariable, SiteId, SiteTable, TaskId, TaskInfo};
use names::{Engine, Replay};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// One process's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunResult {
    pub version: u32,
    pub pid: u32,
    pub parent: u32,
    /// Path of the executable.
    #[serde(with = "as_path")]
    pub program: PathBuf,
    /// The process ended in an orderly way, or by a signal the library saw; nothing is missing.
    pub finished: bool,
    /// Grows with each writing of it.
    pub serial: u64,
    /// Whether the process registered any device code, or called the runtime API at all.
    pub uses_cuda: bool,
    /// The compute capability of the devices, if the program asked for it.
    #[serde(default)]
    pub capability: Option<u32>,
    /// Whether the process looked for the CUDA driver's library.
    pub seeks_driver: bool,
    /// The obstacle that left the program unchecked, if there was one.
    pub obstacle: Option<Obstacle>,
    pub findings: Vec<Reported>,
    /// The records that its instrumented kernels wrote, if they were instrumented.
    pub sink: Option<Sink>,
    /// Launches that were saved.
    pub launches: Vec<SavedLaunch>,
    /// The saved launch that this is the run of, if it is one's.
    #[serde(with = "as_path::optional")]
    pub saved: Option<PathBuf>,
    /// The number of saved blocks, if not all of them.
    pub saved_blocks: Option<u64>,
    /// All sites that findings, failures and calls refer to by index.
    pub sites: SiteTable,
    /// Tasks that findings and failures name.
    pub tasks: Vec<TaskInfo>,
    pub kernels: Vec<KernelSummary>,
    /// Launches that had begun and not ended when this was written. They are in no sum.
    pub running: Vec<Running>,
    pub counters: Counters,
    pub failures: Vec<DeviceFailure>,
    /// Values of runs with weak memory that no interleaving explains.
    #[serde(default)]
    pub weak: Vec<WeakOutcome>,
    /// API calls the library does not serve; each returned `cudaErrorNotSupported`.
    pub unsupported_calls: Vec<UnsupportedCall>,
    /// Why an access may have gone unchecked. Each makes a verdict other than race or hazard inconclusive.
    pub inconclusive: Vec<String>,
    /// Limits of the check although all accesses were checked: the scope of the lens, schedules that were not
    /// tried.
    pub limits: Vec<String>,
    /// The identity that repeats this run; `None` if it was read from a trace.
    pub replay: Option<Replay>,
    /// Nanoseconds of wall time spent executing kernels.
    pub kernel_ns: u64,
    pub shadow_bytes: u64,
    pub touched_bytes: u64,
    /// The lens does not look at all that can race, by its definition.
    #[serde(default)]
    pub partial: bool,
    /// Every launch on a GPU was proved free of races, and nothing else could race with one.
    #[serde(default)]
    pub proved_whole: bool,
}

/// A launch in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedLaunch {
    /// Mangled.
    pub kernel: String,
    #[serde(with = "as_path")]
    pub file: PathBuf,
}

/// Memory that a variable of a Python program held when it submitted work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tensor {
    pub name: String,
    /// Its type and shape, such as `float32[64, 1000]`; empty if not known.
    pub form: String,
    pub base: u64,
    pub bytes: u64,
}

/// A finding with the allocation its addresses were in at that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The engine that the lens listened to, or that deduced the finding.
    pub engine: Engine,
    pub finding: Finding,
    /// `None` for shared memory.
    pub allocation: Option<Allocation>,
    /// The allocations of other places in global memory that its notes name.
    #[serde(default)]
    pub others: Vec<Allocation>,
    /// The tensor of a Python program that the address was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor: Option<Tensor>,
    /// The explored schedules that showed it, besides the run's own.
    #[serde(default)]
    pub schedules: Vec<String>,
}

/// The way in which a value contradicts every interleaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeakKind {
    /// A read returned an old value.
    StaleRead,
    /// A write was placed before an earlier one in coherence order.
    OvertakenWrite,
    /// A read returned the value of a later write.
    EarlyRead,
}

impl WeakKind {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            WeakKind::StaleRead => "stale-read",
            WeakKind::OvertakenWrite => "overtaken-write",
            WeakKind::EarlyRead => "early-read",
        }
    }
}

/// A value that a run with weak memory showed and no interleaving of the kernel's instructions explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeakOutcome {
    pub kind: WeakKind,
    /// Mangled.
    pub kernel: String,
    pub access: WeakAccess,
    /// The write that the access did not respect, or that an early read returned.
    pub missed: WeakAccess,
    /// Whether the location is in shared memory.
    pub shared: bool,
    pub address: u64,
    pub bytes: u8,
    /// Whether the two accesses use different proxies or virtual addresses.
    pub proxies: bool,
    /// `None` for shared memory.
    pub allocation: Option<Allocation>,
    /// The string that repeats it.
    pub replay: String,
    /// The number of executions that showed it.
    pub executions: u32,
}

/// One access of a [`WeakOutcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeakAccess {
    pub site: SiteId,
    pub block: Dim3,
    pub thread: Dim3,
    /// The value that was read or written.
    pub value: u64,
}

/// Why a program's device code could not be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Obstacle {
    /// A statically linked CUDA runtime, without the symbols that would let it be replaced.
    StrippedStatic {
        #[serde(with = "as_path")]
        object: PathBuf,
    },
    /// Device code without PTX; `images` says what is there (`sm_90a cubin`).
    NoPtx {
        #[serde(with = "as_path")]
        object: PathBuf,
        images: Vec<String>,
    },
    /// A fatbin that cannot be read.
    BadFatbin {
        #[serde(with = "as_path")]
        object: PathBuf,
        error: String,
    },
    /// PTX that cannot be parsed or lowered.
    BadPtx {
        #[serde(with = "as_path")]
        object: PathBuf,
        module: String,
        errors: Vec<String>,
    },
    /// The machine or the build is not one the library can work on.
    Unsupported { what: String },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSummary {
    /// Mangled.
    pub name: String,
    pub launches: u64,
    /// Launches the detector listened to (filters, skip and count leave some out).
    pub checked: u64,
    pub blocks: u64,
    pub threads: u64,
    pub thread_instructions: u64,
    pub accesses: u64,
    /// Nanoseconds of wall time spent executing it; 0 if that is not known.
    #[serde(default)]
    pub ns: u64,
    pub has_line_info: bool,
    /// The variables of its blocks' shared memory.
    #[serde(default)]
    pub shared: Vec<SharedVariable>,
}

/// A launch in progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Mangled.
    pub kernel: String,
    /// Whether the detector listens.
    pub checked: bool,
    pub has_line_info: bool,
    pub blocks: u64,
    pub blocks_done: u64,
    pub threads: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub accesses: u64,
    /// Nanoseconds of wall time spent executing it until now.
    #[serde(default)]
    pub ns: u64,
    /// The replay of the other schedule under which it was being run, if there was one.
    #[serde(default)]
    pub exploring: Option<String>,
}

/// Sums over the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Modules (PTX images) registered.
    pub modules: u64,
    pub launches: u64,
    pub checked: u64,
    /// Those among the checked launches that were proved free of races and ran without checks.
    #[serde(default)]
    pub proved: u64,
    /// The other checked launches that left out checks of accesses that were proved free of races.
    #[serde(default)]
    pub proved_in_part: u64,
    pub threads: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    /// Thread-level memory accesses.
    pub accesses: u64,
    pub copies: u64,
    pub memsets: u64,
    pub allocations: u64,
    /// Operators of a framework that the host computed on the virtual GPU's memory.
    #[serde(default)]
    pub operators: u64,
    /// Blocks that were run of launches of which not all were, and all blocks of these launches (`sampled_of`).
    #[serde(default)]
    pub sampled: u64,
    #[serde(default)]
    pub sampled_of: u64,
    /// Kinds of accesses that the program may have made and that were not looked at. Each is named in the limits.
    #[serde(default)]
    pub unchecked: u64,
    /// Accesses of launches that the detector listened to.
    #[serde(default)]
    pub checked_accesses: u64,
    /// Those among them that the lens does not check by its definition.
    #[serde(default)]
    pub overlooked: u64,
}

/// A kernel that ended as a faulty kernel ends on hardware, or that could not be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceFailure {
    pub task: TaskId,
    /// Mangled.
    pub kernel: String,
    pub what: FailureKind,
    pub site: Option<SiteId>,
    pub block: Option<Dim3>,
    pub thread: Option<Dim3>,
    /// The address of a faulting access.
    pub address: Option<u64>,
    /// The allocation that address is in or next to.
    pub allocation: Option<Allocation>,
    /// For deadlocks: every waiting group.
    pub waiting: Vec<Waiting>,
    /// CUDA's name of the error the program saw (`cudaErrorIllegalAddress`).
    pub error: String,
    pub text: String,
}

impl DeviceFailure {
    /// As a reason of [`RunResult::inconclusive`].
    pub fn doubt(&self) -> String {
        format!("kernel {}: {}", self.kernel, self.text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    IllegalAddress,
    Misaligned,
    Trap,
    Assert,
    /// Something the virtual GPU does not do; makes the verdict inconclusive.
    Unsupported,
    IllegalInstruction,
    Deadlock,
    /// A warp-wide instruction with a mask that does not name the executing lane.
    Membermask,
    /// Whether it ends is unknown; makes the verdict inconclusive.
    NoEnd,
    /// The launch itself was refused.
    Launch,
    Other,
}

/// A group of threads that can make no progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub site: Option<SiteId>,
    pub block: Dim3,
    pub first_thread: ThreadId,
    pub threads: u32,
    /// `barrier 0 (96 of 128 threads arrived)`, `spins on 0x7f…`.
    pub what: String,
    /// The place of its wait.
    #[serde(default)]
    pub at: WaitsAt,
}

/// The wait of threads that can make no progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsAt {
    /// `__syncthreads()`.
    Block,
    /// A barrier of a block with an id of its own, or for some of its warps.
    Named,
    Cluster,
    /// Lanes of its warp.
    Lanes,
    Mbarrier,
    /// A loop that reads memory.
    Spin,
    /// Nothing that is known.
    #[default]
    Other,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnsupportedCall {
    pub call: HostCall,
    pub count: u64,
    /// Whether its effect could have changed the behaviour of the program's kernels.
    pub matters: bool,
}

impl RunResult {
    /// Tells a command line whose options cannot be read, as far as it is known where.
    pub fn refusal(options: &OsStr, what: String) {
        let folder = options.to_str().and_then(|text| {
            let options: serde_json::Value = serde_json::from_str(text).ok()?;
            serde_json::from_value::<Word>(options.get("results")?.clone()).ok()
        });
        if let Some(folder) = folder {
            let pid = std::process::id();
            let result = RunResult {
                version: PROTOCOL_VERSION,
                pid,
                finished: true,
                obstacle: Some(Obstacle::Unsupported { what }),
                ..RunResult::default()
            };
            // A result that cannot be written has been printed on stderr.
            let path = Path::new(&OsString::from(folder)).join(format!("{pid}.{RESULT_EXTENSION}"));
            let _ = result.write(&path);
        }
    }

    /// Replaces `path` by this result, atomically. Where no file can be written, the command line is sent it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        let written = processes::post::guarded(|| replace(path, &text));
        written.or_else(|e| match path.file_name() {
            Some(name) => processes::post::send(name, &text).map_err(|_| e),
            None => Err(e),
        })
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        serde_json::from_slice(&std::fs::read(path)?).map_err(io::Error::other)
    }

    /// All results in a folder, and those that were sent because they could not be written there.
    pub fn read_all_and(folder: &Path, sent: &[(Vec<u8>, Vec<u8>)]) -> io::Result<Results> {
        let mut all = Self::read_all(folder)?;
        for (name, text) in sent {
            match serde_json::from_slice::<RunResult>(text) {
                Ok(result) => {
                    let path = folder.join(OsStr::from_bytes(name));
                    let known = Self::read(&path).ok();
                    all.unreadable.retain(|(unreadable, _)| *unreadable != path);
                    match all.processes.iter_mut().find(|known_result| known.as_ref() == Some(*known_result))
                    {
                        Some(older) if older.serial < result.serial => *older = result,
                        Some(_) => {}
                        None => all.processes.push(result),
                    }
                }
                Err(e) => all.unreadable.push((folder.join(OsStr::from_bytes(name)), io::Error::other(e))),
            }
        }
        all.processes.sort_by_key(|r| r.pid);
        Ok(all)
    }

    /// All results in a folder.
    pub fn read_all(folder: &Path) -> io::Result<Results> {
        let Results { mut processes, mut unreadable } = Results::default();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension() != Some(OsStr::new(RESULT_EXTENSION)) {
                continue;
            }
            match Self::read(&path) {
                Ok(result) => processes.push(result),
                Err(error) => unreadable.push((path, error)),
            }
        }
        processes.sort_by_key(|r| r.pid);
        Ok(Results { processes, unreadable })
    }
}

/// Replaces a file, or leaves it as it was.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("tmp");
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(text)?;
        drop(file);
        std::fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        // Others may have use for the room.
        let _ = std::fs::remove_file(&beside);
    })
}

/// The results that [`RunResult::read_all`] found.
#[derive(Debug, Default)]
pub struct Results {
    /// Ordered by process id.
    pub processes: Vec<RunResult>,
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_replaces_its_file_and_half_written_ones_are_not_read() {
        let folder = std::env::temp_dir().join(format!("warprace-protocol-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("7.json");
        let mut result = RunResult { version: PROTOCOL_VERSION, pid: 7, ..RunResult::default() };
        result.write(&path).unwrap();
        result.finished = true;
        result.obstacle = Some(Obstacle::StrippedStatic { object: "app".into() });
        result.write(&path).unwrap();
        std::fs::write(folder.join("8.tmp"), "{").unwrap();
        std::fs::write(folder.join("9.json"), "{").unwrap();
        let results = RunResult::read_all(&folder).unwrap();
        assert_eq!(results.processes, [result]);
        assert_eq!(results.unreadable.len(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
