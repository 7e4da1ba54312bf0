//! The virtual GPU as a back end: the only part of this crate that uses `simt`.
//!
//! * [`machine`]: the listener that the options select, and grids that report to it.
//! * [`launch`]: a launch, begun under a schedule and run in portions.
//! * [`failure`]: failures of kernels, in the form of reports.
//! * [`explore`]: other schedules of a launch, from the same memory.
//! * [`apart`]: accesses that a proof lets the detector skip.
//! * [`weak`]: values of runs with weak memory, in the form of reports.
//! * [`objects`]: textures, surfaces and conditional handles in the layout that kernels read.

mod apart;
mod explore;
mod failure;
mod launch;
mod machine;
mod objects;
mod weak;

use super::{
    Backend, Copy, Fill, Heap, KernelWork, Ledger, Module, Place, Refused, Region, Resources, Running,
    Surface, Terms, Texture, Unmapped,
};
use crate::output::Output;
use apart::{Cache, Texts};
use events::{Listener, ObservedMemory, Proof, SiteId, SiteTable, TaskInfo, TaskKind};
use explore::predict::Searched;
use kernels::{Kernel, LoadError, Source, VariableInfo};
use launch::Grid;
use machine::Machine;
use names::lens::Choice;
use names::schedule::Explored;
use names::{Engine, Strategy, Volatile};
use protocol::RunOptions;
use protocol::options::Prune;
use simt::{AddressSpace, DeviceHeap};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct VirtualGpu {
    options: RunOptions,
    /// Additional schedules under which each checked launch runs.
    explored: Vec<Explored>,
    /// The state of the search for predicted races.
    searched: Mutex<Searched>,
    /// Proofs of earlier processes.
    cache: Option<Cache>,
    space: Arc<AddressSpace>,
    machine: Box<dyn Machine>,
    output: Arc<Output>,
    /// The heaps by their first address.
    heaps: Mutex<HashMap<u64, Arc<DeviceHeap>>>,
    /// The numbers of tasks that kernels make.
    numbers: Arc<simt::nested::Numbers>,
}

impl VirtualGpu {
    pub(crate) fn new(options: &RunOptions, output: Arc<Output>) -> VirtualGpu {
        let mut explored = match options.strategy {
            Strategy::Mixed => explore::schedules(options.explore, options.plan.run.seed),
            Strategy::Weak { window } => {
                explore::weakly::executions(options.explore, options.plan.run.seed, window)
            }
            Strategy::Dfs { .. } => Vec::new(),
        };
        explored.extend(options.plan.explored.clone());
        let space = Arc::new(AddressSpace::new());
        VirtualGpu {
            machine: explore::weakly::machine(options, space.clone()),
            options: options.clone(),
            explored,
            searched: Mutex::default(),
            cache: options.proof_cache.clone().and_then(Cache::new),
            space,
            output,
            heaps: Mutex::default(),
            numbers: Arc::default(),
        }
    }

    fn heap(&self, heap: Heap) -> Arc<DeviceHeap> {
        let mut heaps = self.heaps.lock().unwrap_or_else(PoisonError::into_inner);
        heaps.entry(heap.base).or_insert_with(|| Arc::new(DeviceHeap::new(heap.base, heap.bytes))).clone()
    }
}

/// A module that was lowered for the virtual GPU.
#[derive(Debug)]
struct Lowered {
    module: Arc<simt::Module>,
    /// The texts, for proofs about launches.
    texts: Option<Texts>,
}

impl Module for Lowered {
    fn kernels(&self) -> &[Kernel] {
        self.module.kernels()
    }

    fn variable(&self, name: &str) -> Option<VariableInfo> {
        self.module.variable(name)
    }

    fn resources(&self, kernel: usize) -> Resources {
        let simt::Resources { registers, local_bytes } = self.module.resources(kernel);
        Resources { registers, local_bytes }
    }
}

impl Backend for VirtualGpu {
    fn engine(&self) -> Engine {
        Engine::Virtual
    }

    fn is_heard(&self) -> bool {
        true
    }

    fn listener(&self) -> &dyn Listener {
        self.machine.listener()
    }

    fn map(&self, region: Region) -> Result<(), Unmapped> {
        let Region { base, bytes, host, kind, device, accessible_from } = region;
        let host = host as *mut u8;
        let region = simt::Region { base, bytes, host, kind, device, accessible_from, read_only: false };
        self.space.map(region).map_err(|_| Unmapped)
    }

    fn unmap(&self, base: u64) {
        self.space.unmap(base);
    }

    fn set_access(&self, base: u64, devices: u64) {
        self.space.set_access(base, devices);
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Unmapped> {
        self.space.read(address, into).map_err(|_| Unmapped)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        self.space.write(address, bytes).map_err(|_| Unmapped)
    }

    fn load(
        &self,
        sources: &[Source<'_>],
        sites: &mut SiteTable,
        place: &mut Place<'_>,
    ) -> Result<Arc<dyn Module>, LoadError> {
        let first = SiteId(sites.len() as u32);
        let module = Arc::new(simt::Module::load(sources, sites, &self.space, place)?);
        let asks = self.options.prune != Prune::Never
            && self.options.detect
            && self.options.lens == Choice::default();
        let texts = if asks { Texts::new(sources, sites, first) } else { None };
        Ok(Arc::new(Lowered { module, texts }))
    }

    fn apart(
        &self,
        work: &KernelWork,
        task: &TaskInfo,
        executed: u64,
        memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Option<Arc<[(SiteId, Proof)]>> {
        let module: &dyn Any = &*work.module;
        let texts = module.downcast_ref().and_then(|lowered: &Lowered| lowered.texts.as_ref());
        match (texts, &task.kind) {
            // A proof lets the detector forget accesses, which the kernels that a launch makes may race with.
            (Some(texts), TaskKind::Launch(info)) if work.checked && !info.uses.launches => {
                let volatile_weak = self.options.volatile == Volatile::Weak;
                texts.apart(
                    work,
                    info,
                    apart::Terms { prune: self.options.prune, volatile_weak, cache: self.cache.as_ref() },
                    executed,
                    memory,
                )
            }
            _ => Some(Arc::new([])),
        }
    }

    fn texture(&self, texture: &Texture) -> Vec<u8> {
        objects::texture(texture)
    }

    fn surface(&self, surface: &Surface) -> Vec<u8> {
        objects::surface(surface)
    }

    fn name_objects(&self, named: HashMap<u64, u64>, cells: HashMap<u64, u64>) {
        self.space.name_objects(named, cells);
    }

    fn condition(&self, value: u32) -> Vec<u8> {
        objects::condition(value)
    }

    fn condition_at(&self, cell: &[u8]) -> Option<usize> {
        objects::condition_at(cell)
    }

    unsafe fn copy(&self, copy: &Copy) {
        // SAFETY: the caller's promise; all memory is this process's own.
        unsafe { copy.run() }
    }

    unsafe fn fill(&self, fill: &Fill) {
        // SAFETY: the caller's promise; all memory is this process's own.
        unsafe { fill.run() }
    }

    fn rehearse(&self, work: &KernelWork, terms: &Terms<'_>, alone: bool, ledger: &dyn Ledger) {
        explore::explore(self, work, terms, alone, ledger);
    }

    fn launch(&self, work: &KernelWork, terms: &Terms<'_>) -> Result<Box<dyn Running>, Refused> {
        let how = explore::own_schedule(self, terms.number);
        let begun = launch::begin(self, &*self.machine, work, terms, self.output.clone(), how, None);
        let grid = begun.map_err(|error| failure::refused(&error))?;
        Ok(Box::new(Grid::new(grid, work, terms.task.id, self.options.replay().to_string())))
    }
}

impl simt::Host for Output {
    fn print(&self, bytes: &[u8]) {
        Output::print(self, bytes);
    }

    fn global_timer_ns(&self) -> u64 {
        self.tick()
    }

    fn device_attribute(&self, attribute: i32, device: u32) -> Option<i32> {
        crate::abi::properties::attribute(attribute, device)
    }
}
