//! A described run: what the text report prints, and the JSON document of `--json`.
//!
//! The JSON has a version. Fields may be added within a version; none are renamed or removed.

pub mod completeness;
pub mod history;
pub mod interleaving;
pub mod pipeline;
pub mod suppressed;

use crate::advice::Way;
use crate::proof::{Proof, Proved};
use completeness::Completeness;
use events::{Class, Evidence, Level};
use history::{Campaign, History};
use interleaving::Interleaving;
use names::Engine;
use pipeline::Pipeline;
use protocol::word::Word;
use serde::{Deserialize, Serialize};
use suppressed::{Compared, Suppressed, Use};

pub const JSON_VERSION: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Clean,
    /// No launch of a kernel has a race, under assumptions that are listed.
    Proved,
    /// Some kernel is proved for a part of the launches that the host code can make, and none has a race.
    ProvedInPart,
    /// A launch has a race, and no known host code makes it.
    RaceInUnseenLaunch,
    /// The prover knows neither about some kernel.
    Unknown,
    /// No race was seen by an engine that looks at a sample of what happens: some may be there.
    Unseen,
    /// Something kept part of the program from being checked; the reasons are listed.
    Inconclusive,
    /// No race by the lens, but something that smells.
    Hazard,
    Race,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Proved => "proved",
            Verdict::ProvedInPart => "proved-in-part",
            Verdict::RaceInUnseenLaunch => "race-in-unseen-launch",
            Verdict::Unknown => "unknown",
            Verdict::Unseen => "unseen",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Hazard => "hazard",
            Verdict::Race => "race",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub version: u32,
    pub verdict: Verdict,
    pub races: Vec<Described>,
    pub hazards: Vec<Described>,
    /// Races of launches that no known host code makes: a prover's, of kernels without host code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_launches: Vec<Described>,
    pub kernels: Vec<Kernel>,
    /// Why the verdict is not `clean` although no race was found: each tells of something that was not checked.
    pub inconclusive: Vec<String>,
    /// Kernels that failed, and device code that could not be run.
    pub errors: Vec<Failure>,
    /// Values of executions with weak memory that no interleaving explains; no part of the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weak: Vec<WeakExecution>,
    /// Accesses that were left out by request or by the lens's definition, and schedules that were not tried.
    pub limits: Vec<String>,
    /// Findings that are no part of the verdict, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// The entries of suppressions files, and how many findings each matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<Use>,
    /// Faults of the suppressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The result of the comparison with an earlier run, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Compared>,
    /// Answers of a prover, one for each kernel: nothing was run then but what shows a race.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<Proof>,
    pub program: Program,
    pub summary: Summary,
    /// How much of what there was to check was checked.
    #[serde(default)]
    pub completeness: Completeness,
    /// The runs of a campaign that are described together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<Campaign>,
}

impl Document {
    /// All findings that nothing suppresses, in the order in which reports have them.
    pub fn findings(&self) -> impl Iterator<Item = &Described> {
        self.races.iter().chain(&self.hazards).chain(&self.unseen_launches)
    }

    /// Returns the verdict that follows from findings and doubts.
    pub fn judged(&self) -> Verdict {
        if !self.races.is_empty() {
            Verdict::Race
        } else if !self.hazards.is_empty() {
            Verdict::Hazard
        } else if self.proofs.iter().any(|proof| proof.verdict == Proved::Unknown) {
            Verdict::Unknown
        } else if !self.inconclusive.is_empty() {
            Verdict::Inconclusive
        } else if self.proofs.iter().any(Proof::is_in_part) {
            Verdict::ProvedInPart
        } else if !self.unseen_launches.is_empty() {
            Verdict::RaceInUnseenLaunch
        } else if !self.proofs.is_empty() && self.proofs.iter().all(|proof| proof.verdict == Proved::Proved) {
            Verdict::Proved
        } else if self.summary.proved_whole {
            Verdict::Clean
        } else if self.summary.engine.parse().is_ok_and(Engine::samples) || self.summary.sampled_of > 0 {
            Verdict::Unseen
        } else {
            Verdict::Clean
        }
    }
}

/// A finding, in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// Names the pair of statements: the same as long as their functions have the same lines that access memory
    /// in the same order, wherever these are in their files and wherever the memory lies.
    #[serde(default)]
    pub id: String,
    #[serde(skip)]
    pub level: LevelField,
    pub class: Class,
    /// The engine that executed the kernel, or deduced the finding.
    #[serde(default)]
    pub engine: Engine,
    pub evidence: Evidence,
    /// `shared`, `global`, `managed`, `host`: where the memory is.
    pub space: String,
    pub memory: Memory,
    /// One line: what happened.
    pub title: String,
    pub count: u64,
    /// Earlier and later in this run.
    pub accesses: [Access; 2],
    pub why: String,
    /// The advice in words: made from `advice`.
    pub fix: String,
    /// The advice for programs: ways of which any one is enough, the best first.
    #[serde(default)]
    pub advice: Vec<Way>,
    /// The address of the book's page on its class; empty if the book's address is not given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub page: String,
    /// The pipeline of stages that the memory is a part of, if the detector knew one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
    /// The command that shows it again.
    pub replay: String,
    /// The replay string of that command; empty of what was read from a trace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub replay_string: String,
    /// The explored schedules that showed it, besides the run's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<String>,
    /// The other pairs of instructions of the same statements, counted above: of unrolled loops, of other memory,
    /// or of threads that are to each other what another class says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Member>,
    /// The threads' actions, if the run was recorded up to there (`--html`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleaving: Option<Interleaving>,
    /// The runs that showed it, if a campaign's are described together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
}

impl Described {
    /// Returns the place where the class is explained further.
    pub fn more(&self) -> String {
        match self.page.as_str() {
            "" => format!("warprace help {}", self.class.name()),
            page => page.to_owned(),
        }
    }
}

/// A pair of instructions of a finding, beside the one that it shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub class: Class,
    pub count: u64,
    /// In words, such as ``shared memory `partial` ``.
    pub memory: String,
    pub accesses: [Access; 2],
}

/// A value that an execution with weak memory showed and no interleaving of instructions explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeakExecution {
    /// `stale-read`, `early-read` if a read returned the value of a later write, or `overtaken-write` if a
    /// write was placed before an earlier one.
    pub kind: String,
    /// One line: what happened.
    pub title: String,
    /// In words, such as ``memory from `cudaMalloc` ``.
    pub memory: String,
    /// The write that was not respected, or that an early read returned; and the other access.
    pub accesses: [Access; 2],
    /// The values of the two, in words.
    pub values: [String; 2],
    pub why: String,
    pub help: String,
    /// The number of executions that showed it.
    pub executions: u32,
    /// The command that shows it again.
    pub replay: String,
    pub replay_string: String,
}

/// [`Level`] with a default, so that it can be left out of the JSON, where the list a finding
/// is in says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelField(pub Level);

impl Default for LevelField {
    fn default() -> Self {
        LevelField(Level::Race)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The variable's name, if it has one.
    pub variable: Option<String>,
    /// The host call that allocated it, such as `cudaMalloc`.
    pub allocated_by: Option<Place>,
    /// The first address of the allocation: findings in one allocation have the same. Only for global memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
    /// Bytes from the start of the variable or allocation (of the block's shared memory) to the raced-on element.
    pub offset: u64,
    /// Bytes of the variable or allocation, if known.
    pub bytes: Option<u64>,
    /// In words, such as ``shared memory `partial` ``.
    pub text: String,
}

/// One of the two accesses. `file` and `line` are of the frame attributed to the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Empty without line information.
    pub file: String,
    /// 0 if unknown.
    pub line: u32,
    /// 0 if unknown.
    pub column: u32,
    /// The function that the line is in.
    pub function: String,
    /// The kernel, or the host API call.
    pub kernel: String,
    /// `read`, `write`, `atomic`, `async-read`, `async-write`.
    pub kind: String,
    /// Bytes.
    pub size: u32,
    /// Its first byte, counted as [`Memory::offset`] is; below 0 if it begins before the variable or allocation.
    #[serde(default)]
    pub offset: i64,
    /// `None` for the host's and the copy engines' accesses.
    pub block: Option<[u32; 3]>,
    pub thread: Option<[u32; 3]>,
    /// The host call that launched its kernel, where the two are of different launches, or of a library's kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launched_by: Option<Place>,
    /// A number of the stream that it was launched in, where the two are of different launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<u32>,
    /// The test in which it was seen, as its framework names it; empty if none ran.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub test: String,
    /// The NVTX ranges that were open, outermost first; one of a named domain is `DOMAIN@RANGE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nvtx: Vec<String>,
    /// Blocks of the grid, and threads of each block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<[u32; 3]>,
    /// Whether the kernel has any source lines. Single instructions may still have none.
    #[serde(default)]
    pub line_info: bool,
    /// The whole inline chain, innermost first.
    pub inlined: Vec<Place>,
    /// The actor in words: `thread (3, 0, 0) of block (1, 0, 0)`, `` `cudaMemcpyAsync` ``.
    pub who: String,
    /// The access in words: `write of 4 bytes`, `atomic add of 4 bytes (gpu scope)`.
    pub what: String,
    /// The PTX instruction and its line; empty for host calls.
    pub instruction: String,
    pub ptx_line: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub function: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Demangled, with parameters.
    pub name: String,
    pub mangled: String,
    pub launches: u64,
    /// The launches among them that the detector listened to.
    pub checked: u64,
    /// The launches among those that had not ended when the program did.
    #[serde(default)]
    pub unfinished: u64,
    pub threads: u64,
    pub instructions: u64,
    pub accesses: u64,
    /// Wall time spent executing it, nanoseconds; 0 if that is not known.
    #[serde(default)]
    pub ns: u64,
    pub line_info: bool,
}

/// A kernel that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `illegal-address`, `deadlock`, `no-ptx`, …
    pub class: String,
    pub title: String,
    /// CUDA's name of the error that the program saw; empty if it saw none.
    pub error: String,
    pub kernel: String,
    /// The place of the failure: `kind`, `size` are empty.
    pub at: Option<Access>,
    /// For deadlocks: the waiting threads and their places.
    pub waiting: Vec<Access>,
    pub notes: Vec<String>,
    pub help: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub path: String,
    /// The program's name in its project.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The program and its arguments; empty of what was read from a trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<Word>,
    /// `None` if a signal ended it.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// Processes that used CUDA.
    pub processes: u64,
    /// Programs that were started and did not load warprace's library, and processes that still ran at the end.
    #[serde(default)]
    pub unwatched: u64,
}

/// Counts of what was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The lens that judged, with its options; empty if none did.
    pub lens: String,
    /// The engine that executed the kernels.
    #[serde(default)]
    pub engine: String,
    /// The order of the run's threads.
    #[serde(default)]
    pub schedule: String,
    pub kernels: u64,
    pub launches: u64,
    pub checked: u64,
    /// Those among the checked launches that were proved free of races, and ran without checks on a GPU.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved: u64,
    /// The other checked launches that left out checks of accesses that were proved free of races.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved_in_part: u64,
    pub threads: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub accesses: u64,
    pub copies: u64,
    pub memsets: u64,
    pub allocations: u64,
    /// Wall time spent in kernels, nanoseconds.
    pub kernel_ns: u64,
    pub shadow_bytes: u64,
    pub touched_bytes: u64,
    /// Blocks that were run of launches of which not all were, and all blocks of these launches (`sampled_of`).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sampled: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sampled_of: u64,
    /// Kinds of accesses that the program may have made and that were not looked at. Each is named in the limits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unchecked: u64,
    /// The accesses that the lens checked.
    #[serde(default)]
    pub checked_accesses: u64,
    /// The lens does not look at all that can race, by its definition.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Every launch on a GPU was proved free of races, and nothing else could race with one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proved_whole: bool,
    pub replay: String,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
