//! The messages between the command line and the library inside the user's process.
//!
//! The command line starts the program with the library preloaded and one environment
//! variable, [`OPTIONS_VARIABLE`], that holds [`RunOptions`] as JSON. Every process that
//! uses CUDA (the program, its forks, its children) answers with one file of its own in
//! [`RunOptions::results`]: a [`RunResult`] as JSON, replaced atomically (written beside,
//! then renamed) whenever something worth keeping is learned, so that what was found
//! survives any kind of death. A file whose [`RunResult::finished`] is false belongs to a
//! process that was killed, or called `_exit` in a way that could not be seen.
//!
//! * [`options`]: what to run and how; [`pick`]: which launches are saved.
//! * [`result`]: what was found and what was not looked at; [`sink`]: where a real GPU's kernels write.
//! * [`proofs`]: what the library of a real GPU asks the prover.
//! * [`texts`]: the folder by which PTX of a running program is read and replaced.
//! * [`word`]: command lines and paths in JSON.
//!
//! A run's lens, engine, plan and replay string are types of `names`. A finding's identity is made in `report`
//! (`describe::group`): it stands on names of functions, variables and files, which only a description has.

pub mod options;
pub mod pick;
pub mod proofs;
pub mod result;
pub mod sink;
pub mod texts;
pub mod word;

pub use options::{OptionsError, RunOptions, SessionOptions};
pub use pick::{Pick, UnknownPick};
pub use result::{
    Counters, DeviceFailure, FailureKind, KernelSummary, Obstacle, Reported, Results, RunResult, Running,
    SavedLaunch, Tensor, UnsupportedCall, Waiting, WaitsAt, WeakAccess, WeakKind, WeakOutcome,
};
pub use sink::{Check, Sink};

/// The environment variable with [`RunOptions`].
pub const OPTIONS_VARIABLE: &str = "WARPRACE_OPTIONS";

/// Both sides must be of one build; the version says so clearly when they are not.
pub const PROTOCOL_VERSION: u32 = 1;

/// The extension of recorded sessions.
pub const SESSION_EXTENSION: &str = "session";

/// How the extension of a complete result file reads; others are being written.
pub const RESULT_EXTENSION: &str = "json";
