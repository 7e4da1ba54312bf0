//! A kernel launch, its options, and the outcome of running a portion of it.

use crate::failure::{Failure, Waiting};
use crate::heap::DeviceHeap;
use crate::module::Module;
use crate::nested::Nesting;
use crate::schedule::path::Log;
use events::{Dim3, TaskId};
use kernels::limits::Device;
use names::Schedule;
use std::sync::{Arc, Mutex};

/// A kernel launch: kernel, geometry, arguments.
#[derive(Clone, Debug)]
pub struct Launch {
    pub module: Arc<Module>,
    /// The index in [`Module::kernels`].
    pub kernel: usize,
    pub grid: Dim3,
    pub block: Dim3,
    /// The cluster's extents; `Dim3::ONE` without clusters.
    pub cluster: Dim3,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    pub cooperative: bool,
    /// The parameters' bytes, laid out by [`crate::Kernel::params`].
    pub params: Vec<u8>,
    pub task: TaskId,
    pub device: u32,
}

/// The options of running a launch.
#[derive(Clone, Debug)]
pub struct Options {
    pub schedule: Schedule,
    pub seed: u64,
    /// The largest number of worker threads. More than one is used only for kernels whose blocks cannot
    /// communicate.
    pub jobs: usize,
    /// The device whose limits hold.
    pub device: &'static Device,
    /// The largest number of resident blocks; `None` for as many as fit on the device's multiprocessors.
    pub resident_blocks: Option<u32>,
    /// The heap of device-side `malloc`, which returns null without one.
    pub heap: Option<Arc<DeviceHeap>>,
    /// The largest number of bytes of local memory per thread.
    pub stack_limit: u32,
    /// The largest number of warp instructions that a block runs without a thread exiting or a barrier
    /// completing. The bound counts no wall-clock time, so the same run always ends in the same way.
    pub max_instructions: u64,
    /// Runs a sample of about this many blocks, chosen by the seed, if the blocks cannot communicate: their
    /// effects are independent, so the sample's effects occur in the whole launch, too.
    pub blocks: Option<u64>,
    /// The log of a schedule of turns ([`crate::schedule::path`]) for its decisions.
    pub log: Option<Arc<Mutex<Log>>>,
    /// The terms on which kernels launch kernels; without, launches are not supported.
    pub nesting: Option<Nesting>,
}

impl Options {
    /// The default of `max_instructions`: minutes to an hour of the virtual GPU, seconds of a GPU.
    pub const MAX_INSTRUCTIONS: u64 = 1 << 34;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            schedule: Schedule::default(),
            seed: 1,
            jobs: 1,
            device: Device::DEFAULT,
            resident_blocks: None,
            heap: None,
            stack_limit: 512 << 10,
            max_instructions: Options::MAX_INSTRUCTIONS,
            blocks: None,
            log: None,
            nesting: None,
        }
    }
}

/// The services of the host that a kernel uses.
pub trait Host: Send + Sync {
    /// Prints `printf` and assertion text, in whole messages.
    fn print(&self, bytes: &[u8]);

    /// Returns nanoseconds for `%globaltimer`, independent of real time if runs are to be repeatable.
    fn global_timer_ns(&self) -> u64;

    /// Returns the value of `cudaDeviceGetAttribute`.
    fn device_attribute(&self, _attribute: i32, _device: u32) -> Option<i32> {
        None
    }
}

/// The outcome of a portion of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    Finished,
    /// The fuel is used up.
    Running,
    /// Every resident group of threads waits or polls memory; only other tasks or the host can end that. A
    /// further run checks whether they have.
    Stalled(Stall),
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    pub waiting: Vec<Waiting>,
    /// Whether some loops may end on their own after further attempts. If not, only other tasks can end the
    /// stall, or time ([`Grid::pass_time`](crate::Grid::pass_time)).
    pub may_end: bool,
}

/// Counts of the work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub warp_instructions: u64,
    /// The warp instructions of loops that had already polled the same memory in vain.
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
