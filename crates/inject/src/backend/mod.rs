//! What executes kernels, as the rest of this library sees it.
//!
//! The runtime API and the executor know a [`Backend`] and speak to it in plain values: regions of memory, modules,
//! launches, copies. What its kernels do it tells its listener in the words of crate `events`. A back end of its own is
//! one file that implements [`Backend`], [`Module`] and [`Running`], and a line in [`build`].
//!
//! * [`virtual_gpu`]: the virtual GPU, and the only place in this crate that knows `simt`.
//! * `unchecked` (tests): runs nothing, and says so.
//!
//! # How to add one
//!
//! `unchecked` is the smallest: it runs nothing and reports every launch as unchecked, and its test takes a host program
//! through it. In one file:
//!
//! 1. A type that implements [`Module`]: the kernels of linked PTX (`kernels::link`), and what each needs of registers.
//! 2. A type that implements [`Running`]: a launch that goes on in portions until it has finished, failed or stalled.
//! 3. A type that implements [`Backend`]: it maps memory, loads modules, copies, begins launches, and tells its listener what
//!    kernels do, in the words of crate `events`. `engine` names it in findings, `is_heard` says whether a launch counts as
//!    checked, `Listener::account` why something was not.
//!
//! Then a line in [`build`] selects it. Nothing else changes: streams, events, graphs, the host's accesses and results do not
//! know which back end runs.

pub(crate) mod copy;
mod launch;
mod objects;
#[cfg(test)]
mod unchecked;
mod virtual_gpu;

pub(crate) use copy::{Copy, Fill};
pub(crate) use launch::{Heap, KernelWork, Ledger, Progress, Refused, Running, Stats, Terms};
pub(crate) use objects::{Addressing, ChannelKind, Surface, Texture};

use crate::output::Output;
use events::{AllocKind, Engine, Listener, ObservedMemory, SiteId, SiteTable, TaskInfo};
use kernels::{GlobalVariable, Kernel, LoadError, Source, VariableInfo};
use protocol::RunOptions;
use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Memory that kernels may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    /// Where this process has it, for good.
    pub(crate) host: usize,
    pub(crate) kind: AllocKind,
    pub(crate) device: u32,
    /// Devices whose kernels may touch it, bit `i` for device `i`.
    pub(crate) accessible_from: u64,
}

/// A region that cannot be had, or memory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmapped;

/// Gives a variable of a module its storage: already mapped, its address.
pub(crate) type Place<'a> = dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError> + 'a;

/// A maker of virtual or real devices, all of one kind.
pub(crate) trait Backend: Send + Sync {
    /// As findings name it.
    fn engine(&self) -> Engine;

    /// Does the listener hear what kernels do? If not, no launch is called checked.
    fn is_heard(&self) -> bool;

    /// Whom it tells what happens; the host's side is told by whoever submits work.
    fn listener(&self) -> &dyn Listener;

    fn map(&self, region: Region) -> Result<(), Unmapped>;

    /// Nothing that was submitted touches the memory any more.
    fn unmap(&self, base: u64);

    /// Changes which devices' kernels may touch the region at `base`.
    fn set_access(&self, base: u64, devices: u64);

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Unmapped>;

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Unmapped>;

    /// Makes a module of PTX texts, with initial values in the storage that `place` gives. Its sites are added to
    /// the table.
    fn load(
        &self,
        sources: &[Source<'_>],
        sites: &mut SiteTable,
        place: &mut Place<'_>,
    ) -> Result<Arc<dyn Module>, LoadError>;

    /// What stands in memory at a texture object's handle.
    fn texture(&self, texture: &Texture) -> Vec<u8>;

    /// What stands in memory at a surface object's handle.
    fn surface(&self, surface: &Surface) -> Vec<u8>;

    /// Handles of textures and surfaces that stand elsewhere in memory, each with the address: of a saved launch, before it runs.
    fn name_objects(&self, objects: HashMap<u64, u64>);

    /// What stands in memory at a conditional graph node's handle, with this value.
    fn condition(&self, value: u32) -> Vec<u8>;

    /// The opposite: where in `cell` the value, a `u32`, stands; `None` if that is no such thing.
    fn condition_at(&self, cell: &[u8]) -> Option<usize>;

    /// # Safety
    /// Both sides are valid for the shape at their pitches, and stay so during the call.
    unsafe fn copy(&self, copy: &Copy);

    /// # Safety
    /// The memory is valid for the shape at its pitch, and stays so during the call.
    unsafe fn fill(&self, fill: &Fill);

    /// Runs a launch beforehand in other ways, from the same memory, if the run's options ask for it. `alone` tells
    /// that no other kernel is in flight.
    fn rehearse(&self, work: &KernelWork, terms: &Terms<'_>, alone: bool, ledger: &dyn Ledger);

    /// Instructions of a launch whose plain accesses race with none, as far as that is asked for and proved;
    /// `memory` says what kernels may touch, without contents.
    fn apart(
        &self,
        _work: &KernelWork,
        _task: &TaskInfo,
        _memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Arc<[SiteId]> {
        Arc::new([])
    }

    /// Begins a launch.
    fn launch(&self, work: &KernelWork, terms: &Terms<'_>) -> Result<Box<dyn Running>, Refused>;
}

/// 32-bit registers and bytes of local memory that each thread of a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) registers: u32,
    /// Not counting recursion.
    pub(crate) local_bytes: u32,
}

/// A loaded module.
pub(crate) trait Module: Any + Debug + Send + Sync {
    fn kernels(&self) -> &[Kernel];

    fn variable(&self, name: &str) -> Option<VariableInfo>;

    /// Of the kernel with that index.
    fn resources(&self, kernel: usize) -> Resources;

    /// Blocks of so many threads that fit on one multiprocessor.
    fn resident_blocks(&self, kernel: usize, threads: u32, dynamic_shared: u32) -> u32 {
        let registers = self.resources(kernel).registers;
        kernels::limits::resident_blocks(&self.kernels()[kernel], registers, threads, dynamic_shared)
    }

    /// The index of a kernel by its mangled name.
    fn kernel(&self, name: &str) -> Option<usize> {
        self.kernels().iter().position(|k| k.name == name)
    }
}

/// The back end that the options ask for; what kernels print goes to `output`.
#[cfg(not(test))]
pub(crate) fn build(options: &RunOptions, output: Arc<Output>) -> Box<dyn Backend> {
    Box::new(virtual_gpu::VirtualGpu::new(options, output))
}

/// Unit tests run no kernels.
#[cfg(test)]
pub(crate) fn build(options: &RunOptions, output: Arc<Output>) -> Box<dyn Backend> {
    if options.trace.is_some() {
        return Box::new(virtual_gpu::VirtualGpu::new(options, output));
    }
    Box::new(unchecked::Unchecked::default())
}
