//! The interface of the engine that executes kernels.
//!
//! The runtime API and the executor use a [`Backend`] in terms of plain values: regions of memory, modules,
//! launches, copies. The back end reports its kernels' actions to its listener, in the terms of crate
//! `events`. A new back end is one file that implements [`Backend`], [`Module`] and [`Running`], and a line
//! in [`build`].
//!
//! * [`virtual_gpu`]: the virtual GPU, and the only part of this crate that uses `simt`.
//! * `unchecked` (tests): runs nothing and reports so.
//!
//! # How to add one
//!
//! `unchecked` is the smallest: it runs nothing and reports every launch as unchecked, and its test runs a
//! host program with it. In one file:
//!
//! 1. A type that implements [`Module`]: the kernels of linked PTX (`kernels::link`), and the registers that
//!    each needs.
//! 2. A type that implements [`Running`]: a launch that continues in portions until it has finished, failed
//!    or stalled.
//! 3. A type that implements [`Backend`]: it maps memory, loads modules, copies, begins launches, and reports
//!    kernels' actions to its listener, in the terms of crate `events`. `engine` names it in findings,
//!    `is_heard` says whether a launch counts as checked, and `Listener::account` says what was not checked.
//!
//! A line in [`build`] then selects it. Nothing else changes: streams, events, graphs, the host's accesses
//! and results are independent of the back end.

pub(crate) mod copy;
mod launch;
mod objects;
#[cfg(test)]
mod unchecked;
mod virtual_gpu;

pub(crate) use copy::{Copy, Fill};
pub(crate) use launch::{
    Child, ChildWork, Heap, KernelWork, Ledger, Progress, Refused, Running, Stats, Terms,
};
pub(crate) use objects::{Addressing, ChannelKind, Surface, Texture};

use crate::output::Output;
use events::{AllocKind, Listener, ObservedMemory, Proof, SiteId, SiteTable, TaskInfo};
use kernels::{GlobalVariable, Kernel, LoadError, Source, VariableInfo};
use names::Engine;
use protocol::RunOptions;
use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Memory that kernels may access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    /// The address in this process, which stays valid.
    pub(crate) host: usize,
    pub(crate) kind: AllocKind,
    pub(crate) device: u32,
    /// Devices whose kernels may access it, bit `i` for device `i`.
    pub(crate) accessible_from: u64,
}

/// The error for a region that cannot be mapped, and for memory that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmapped;

/// Returns the address of a variable's storage, which is already mapped.
pub(crate) type Place<'a> = dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError> + 'a;

/// Implements devices, virtual or real, all of one kind.
pub(crate) trait Backend: Send + Sync {
    /// The engine's name in findings.
    fn engine(&self) -> Engine;

    /// Returns whether the listener receives kernels' actions. If not, no launch counts as checked.
    fn is_heard(&self) -> bool;

    /// Returns the listener. Callers that submit work report the host's actions to it.
    fn listener(&self) -> &dyn Listener;

    fn map(&self, region: Region) -> Result<(), Unmapped>;

    /// Unmaps a region. No submitted work accesses it any more.
    fn unmap(&self, base: u64);

    /// Changes which devices' kernels may access the region at `base`.
    fn set_access(&self, base: u64, devices: u64);

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Unmapped>;

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Unmapped>;

    /// Makes a module of PTX texts, with initial values in the storage that `place` returns. Adds its sites
    /// to the table.
    fn load(
        &self,
        sources: &[Source<'_>],
        sites: &mut SiteTable,
        place: &mut Place<'_>,
    ) -> Result<Arc<dyn Module>, LoadError>;

    /// Returns the contents of memory at a texture object's handle.
    fn texture(&self, texture: &Texture) -> Vec<u8>;

    /// Returns the contents of memory at a surface object's handle.
    fn surface(&self, surface: &Surface) -> Vec<u8>;

    /// Maps handles of textures and surfaces to the addresses of their descriptions, and handles of conditional nodes
    /// to those of their cells, for a saved launch or a session, before it runs.
    fn name_objects(&self, objects: HashMap<u64, u64>, cells: HashMap<u64, u64>);

    /// Returns the contents of memory at a conditional graph node's handle with this value.
    fn condition(&self, value: u32) -> Vec<u8>;

    /// Returns the offset of the value, a `u32`, in a conditional node's `cell`; `None` for other contents.
    fn condition_at(&self, cell: &[u8]) -> Option<usize>;

    /// Performs a copy.
    ///
    /// # Safety
    /// Both sides are valid for the shape at their pitches, and stay so during the call.
    unsafe fn copy(&self, copy: &Copy);

    /// Performs a memset.
    ///
    /// # Safety
    /// The memory is valid for the shape at its pitch, and stays so during the call.
    unsafe fn fill(&self, fill: &Fill);

    /// Explores a launch in advance from the same memory, if the run's options ask for it. `alone` means that
    /// no other kernel is in flight.
    fn rehearse(&self, work: &KernelWork, terms: &Terms<'_>, alone: bool, ledger: &dyn Ledger);

    /// Returns what a proof says of a launch's instructions; `None` if this may be known later. `executed` is the
    /// number of instructions that the launch has executed, 0 before it begins. `memory` returns the memory that
    /// kernels may access, without contents.
    fn apart(
        &self,
        _work: &KernelWork,
        _task: &TaskInfo,
        _executed: u64,
        _memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Option<Arc<[(SiteId, Proof)]>> {
        Some(Arc::new([]))
    }

    /// Begins a launch.
    fn launch(&self, work: &KernelWork, terms: &Terms<'_>) -> Result<Box<dyn Running>, Refused>;
}

/// The 32-bit registers and the bytes of local memory that each thread of a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) registers: u32,
    /// The bytes without recursion.
    pub(crate) local_bytes: u32,
}

/// A loaded module.
pub(crate) trait Module: Any + Debug + Send + Sync {
    fn kernels(&self) -> &[Kernel];

    fn variable(&self, name: &str) -> Option<VariableInfo>;

    /// Returns the resources of the kernel with this index.
    fn resources(&self, kernel: usize) -> Resources;

    /// Returns how many blocks of this size fit on one multiprocessor.
    fn resident_blocks(&self, kernel: usize, threads: u32, dynamic_shared: u32) -> u32 {
        let registers = self.resources(kernel).registers;
        let device = crate::device::device();
        kernels::limits::resident_blocks(device, &self.kernels()[kernel], registers, threads, dynamic_shared)
    }

    /// Returns the index of a kernel by its mangled name.
    fn kernel(&self, name: &str) -> Option<usize> {
        self.kernels().iter().position(|k| k.name == name)
    }
}

/// Returns the back end that the options select. Kernels print to `output`.
#[cfg(not(test))]
pub(crate) fn build(options: &RunOptions, output: Arc<Output>) -> Box<dyn Backend> {
    Box::new(virtual_gpu::VirtualGpu::new(options, output))
}

/// Returns a back end for unit tests, which run no kernels.
#[cfg(test)]
pub(crate) fn build(options: &RunOptions, output: Arc<Output>) -> Box<dyn Backend> {
    if options.trace.is_some() {
        return Box::new(virtual_gpu::VirtualGpu::new(options, output));
    }
    Box::new(unchecked::Unchecked::default())
}
