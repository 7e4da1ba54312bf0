//! What a kernel launch is, how it is run, and where a portion of it ends.

use crate::failure::{Failure, Waiting};
use crate::heap::DeviceHeap;
use crate::module::Module;
use crate::schedule::Schedule;
use crate::schedule::path::Log;
use events::{Dim3, TaskId};
use std::sync::{Arc, Mutex};

/// What to run.
#[derive(Clone, Debug)]
pub struct Launch {
    pub module: Arc<Module>,
    /// Index into [`Module::kernels`].
    pub kernel: usize,
    pub grid: Dim3,
    pub block: Dim3,
    /// `Dim3::ONE` without clusters.
    pub cluster: Dim3,
    /// Bytes.
    pub dynamic_shared: u32,
    pub cooperative: bool,
    /// The parameters' bytes, laid out as [`crate::Kernel::params`] says.
    pub params: Vec<u8>,
    pub task: TaskId,
    pub device: u32,
}

/// How to run it.
#[derive(Clone, Debug)]
pub struct Options {
    pub schedule: Schedule,
    pub seed: u64,
    /// Worker threads at most. More than one are used only for kernels whose blocks cannot communicate.
    pub jobs: usize,
    /// Blocks resident at once, at most; `None`: as a large GPU would (132 times as many as fit).
    pub resident_blocks: Option<u32>,
    /// For device-side `malloc`, which returns null without one.
    pub heap: Option<Arc<DeviceHeap>>,
    /// Bytes of local memory per thread, at most.
    pub stack_limit: u32,
    /// Warp instructions that a block may run without one of its threads ending or a barrier being completed. No
    /// clock decides about this, so the same run always ends in the same way.
    pub max_instructions: u64,
    /// Run a sample of about so many blocks, by the seed, of a launch whose blocks cannot communicate: what one does depends
    /// on no other, so that what they do all blocks would have done, too.
    pub blocks: Option<u64>,
    /// Where a schedule of turns ([`crate::schedule::path`]) writes down its decisions, if anywhere.
    pub log: Option<Arc<Mutex<Log>>>,
}

impl Options {
    /// Minutes to an hour of this machine's, seconds of a GPU's.
    pub const MAX_INSTRUCTIONS: u64 = 1 << 34;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            schedule: Schedule::default(),
            seed: 1,
            jobs: 1,
            resident_blocks: None,
            heap: None,
            stack_limit: 512 << 10,
            max_instructions: Options::MAX_INSTRUCTIONS,
            blocks: None,
            log: None,
        }
    }
}

/// What a kernel needs of the world outside.
pub trait Host: Send + Sync {
    /// `printf` and assertion text, in whole messages.
    fn print(&self, bytes: &[u8]);

    /// Nanoseconds for `%globaltimer`; should not depend on real time if runs are to repeat.
    fn global_timer_ns(&self) -> u64;
}

/// Where a portion of a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    Finished,
    /// The fuel is used up.
    Running,
    /// Every resident group of threads waits or spins on memory: only other tasks or the
    /// host can help. May be run again, which looks whether they have.
    Stalled(Stall),
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    pub waiting: Vec<Waiting>,
    /// Some loops may give up by themselves if they are run on, after so many attempts. If not, only others can
    /// help, or the time ([`Grid::pass_time`](crate::Grid::pass_time)).
    pub may_end: bool,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub warp_instructions: u64,
    /// Those of loops that had polled the same memory in vain before.
    pub waiting_instructions: u64,
    pub thread_instructions: u64,
    /// Accesses to global and shared memory, one per thread and instruction.
    pub accesses: u64,
    /// Completed block barriers.
    pub barriers: u64,
    pub blocks_done: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.warp_instructions += other.warp_instructions;
        self.waiting_instructions += other.waiting_instructions;
        self.thread_instructions += other.thread_instructions;
        self.accesses += other.accesses;
        self.barriers += other.barriers;
        self.blocks_done += other.blocks_done;
    }
}
