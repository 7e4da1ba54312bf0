//! The interpreter: runs one group of lanes at a time until an event stops it.

pub(crate) mod async_copy;
mod atomic;
pub(crate) mod barrier;
pub(crate) mod block;
mod builtin;
mod call;
mod cluster;
mod collective;
mod constant;
mod copied;
mod copies;
mod data;
mod device_runtime;
mod flow;
mod found;
mod fragments;
pub(crate) mod frame;
mod generation;
pub(crate) mod grid;
mod lanes;
mod lap;
pub(crate) mod late;
mod matrix;
pub(crate) mod mbarrier;
mod memory;
mod mma;
mod moved;
mod objects;
mod one;
pub(crate) mod outlet;
mod place;
pub(crate) mod products;
mod rare;
mod resident;
mod run;
mod scattered;
mod shuffle;
pub(crate) mod spin;
pub(crate) mod sreg;
mod surface;
mod sync;
mod tcgen05;
mod texture;
mod touches;
mod turns;
pub(crate) mod warp;
mod warpgroup;
mod weakly;
mod whole;
mod words;

use crate::alu::row::Lanes;
use crate::builtin::printf::Printer;
use crate::exec::block::Block;
use crate::exec::frame::Frame;
use crate::exec::warp::{Pause, Warp};
use crate::failure::{Failure, FailureKind};
use crate::launch::{Host, Launch, Options, Stats};
use crate::memory::AddressSpace;
use crate::nested::Nested;
use crate::program::{FILE_64, FILE_CONST, FILE_MASK, FILE_PRED, Program, Row};
use crate::schedule::Policy;
use events::access::Warp as WarpName;
use events::{BlockId, Dim3, LaneMask, Observer, SiteId, WarpId};
use found::{Strides, Tlb};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

pub(crate) use crate::alu::FULL;

/// A nanosecond in units of the worker's time; an instruction takes one unit.
const NANOSECOND: u64 = 256;

/// The state that all blocks of a launch share.
pub(crate) struct Context {
    pub units: grid::Units,
    pub launch: Launch,
    pub options: Options,
    pub memory: Arc<AddressSpace>,
    pub host: Arc<dyn Host>,
    /// The kernel's function index.
    pub entry: u32,
    /// The number of threads in a block.
    pub threads: u32,
    /// The start of dynamic shared memory; `shared_bytes` is the end of all shared memory.
    pub dynamic_base: u32,
    pub shared_bytes: u32,
    /// The start of the system's part of shared memory, at its end.
    pub reserved_base: u32,
    /// The address of a cooperative launch's grid workspace.
    pub workspace: u64,
    /// The receiver of heap events.
    pub heap_events: Box<dyn HeapEvents>,
}

/// Reports device-side `malloc` and `free` to the monitor.
pub(crate) trait HeapEvents: Send + Sync {
    fn alloc(&self, base: u64, bytes: u64);
    fn free(&self, base: u64, bytes: u64);
}

impl Context {
    pub(crate) fn program(&self) -> &Program {
        &self.launch.module.program
    }
}

/// The state of one worker across portions of a run, on cache lines of its own (processors fetch them in
/// pairs).
#[repr(align(128))]
pub(crate) struct State<O> {
    pub observer: outlet::Outlet<O>,
    /// The scheduling policy; `None` for converged first.
    pub policy: Option<Box<dyn Policy>>,
    /// The instructions before which groups stop.
    pub stops: Vec<SiteId>,
    pub blocks: Vec<Option<Box<Block>>>,
    /// Slots without a block; the heap returns the lowest first.
    pub free: BinaryHeap<Reverse<u32>>,
    /// The slots of blocks with running threads, in the order of their turns.
    pub resident: Vec<u32>,
    pub tlb: Tlb,
    /// The address of the last access of each load and store, for prefetching.
    pub strides: Strides,
    /// The coordinates of a block's threads, by warp.
    pub coordinates: Vec<[[u32; 32]; 3]>,
    pub stats: Stats,
    /// The state of a watched turn, which decides whether the running group's loop changes anything.
    pub watch: Option<Box<spin::Watch>>,
    /// Locations that loops poll, used when groups run converged first; empty under other policies, which
    /// interleave the groups anyway.
    pub awaited: spin::Awaited,
    pub converged_first: bool,
    /// The running group changed an awaited location, so other groups run next.
    pub gives_way: bool,
    /// Whether `nanosleep` suspends a group until its time has come.
    pub sleeps: bool,
    /// The current time, for sleeping groups.
    pub now: u64,
    /// The number of asynchronous operations so far.
    pub async_ops: u64,
    /// The elements that each load of constant memory has read.
    pub constants: Vec<constant::Heard>,
    /// Bulk copies whose mbarrier has not been examined yet.
    pub signalled: Vec<async_copy::Signalled>,
    #[expect(clippy::vec_box, reason = "they are handed on as boxes")]
    pub spare_warps: Vec<Box<Warp>>,
    #[expect(clippy::vec_box, reason = "they are handed on as boxes")]
    pub spare_blocks: Vec<Box<Block>>,
    pub clusters: rustc_hash::FxHashMap<u32, cluster::ClusterState>,
    /// The barriers of the running block that must be checked for completion.
    pub check: u32,
    /// The number of turns that ended because blocks looped for long, since a block ended or was admitted.
    pub turns: u64,
    /// The number of blocks admitted for that reason since a block ended.
    pub called: u32,
    pub printer: Printer,
    /// What the threads have launched.
    pub nested: Nested,
}

pub(crate) struct Worker<'a, O> {
    pub ctx: &'a Context,
    pub s: &'a mut State<O>,
}

pub(crate) type Failed = Box<Failure>;

/// The reason why a group stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Its quantum of instructions is used up.
    Quantum,
    /// It met or passed another group of its warp, or the set of groups changed.
    Groups,
    /// It waits.
    Wait,
    /// Its patience is used up: it has looped for long.
    Patience,
    /// A watched loop completed a turn.
    Lap,
    /// All its lanes exited.
    Gone,
}

/// The running group, with direct pointers to its registers.
pub(crate) struct Run<'w> {
    pub warp: &'w mut Warp,
    /// The group's index in the warp.
    pub group: usize,
    pub slot: u32,
    pub block: BlockId,
    /// The base addresses of the register files, in the order of their numbers.
    pub files: [*mut u8; 4],
    pub frame: Frame,
    pub local: *mut u8,
    pub stride: u32,
    pub shared: *mut u8,
    pub shared_bytes: u32,
    pub pc: u32,
    /// Whether it has read memory that others may write since its last turn of a loop.
    pub polled: bool,
    pub pause: Pause,
}

impl Run<'_> {
    #[inline(always)]
    pub(crate) fn row(&self, row: Row) -> *mut u8 {
        self.files[(row >> 30) as usize].wrapping_add((row & !FILE_MASK) as usize)
    }

    /// Recomputes the file pointers after the current frame changed or the files moved.
    pub(crate) fn refresh(&mut self) {
        let [r32, r64, preds] = self.warp.bases(&self.frame);
        self.files = [r32, r64, self.files[2], preds];
        (self.local, self.stride) = self.warp.local();
    }

    /// Reads one lane of a row. A constant row has 64 bits if `wide`.
    #[inline(always)]
    pub(crate) fn get(&self, row: Row, wide: bool, lane: usize) -> u64 {
        let p = self.row(row);
        // SAFETY: rows of lowered programs lie inside their files, which `Warp::reserve` sized; lowering sets
        // the width of a constant row.
        unsafe {
            match row & FILE_MASK {
                FILE_64 => p.cast::<u64>().add(lane).read(),
                FILE_PRED => u64::from(p.cast::<u32>().read() >> lane & 1),
                FILE_CONST if wide => p.cast::<u64>().add(lane).read(),
                _ => p.cast::<u32>().add(lane).read().into(),
            }
        }
    }

    /// Writes one lane of a row.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: Row, lane: usize, value: u64) {
        let p = self.row(row);
        // SAFETY: rows of lowered programs lie inside their files; lowering makes no constant row a
        // destination.
        unsafe {
            match row & FILE_MASK {
                FILE_64 => p.cast::<u64>().add(lane).write(value),
                FILE_PRED => {
                    let old = p.cast::<u32>().read();
                    p.cast::<u32>().write(old & !(1 << lane) | ((value as u32 & 1) << lane));
                }
                FILE_CONST => {}
                _ => p.cast::<u32>().add(lane).write(value as u32),
            }
        }
    }

    /// Reads a predicate, negated if `negated`.
    #[inline(always)]
    pub(crate) fn predicate(&self, row: Row, negated: bool) -> u32 {
        // SAFETY: as in `get`.
        let mask = unsafe { self.row(row).cast::<u32>().read() };
        if negated { !mask } else { mask }
    }

    pub(crate) fn name<O>(&self, worker: &Worker<'_, O>) -> WarpName {
        WarpName { task: worker.ctx.launch.task, block: self.block, warp: WarpId(self.warp.index) }
    }
}

impl<O: Observer> Worker<'_, O> {
    pub(crate) fn site(&self, pc: u32) -> Option<SiteId> {
        self.ctx.program().sites.get(pc as usize).copied().flatten()
    }

    /// Returns the site for an event; every instruction that emits events has one.
    pub(crate) fn event_site(&self, pc: u32) -> SiteId {
        self.site(pc).unwrap_or_default()
    }

    /// Creates a failure of the lowest of some lanes at the current instruction.
    #[cold]
    pub(crate) fn fail(&self, run: &Run<'_>, lanes: LaneMask, kind: FailureKind) -> Failed {
        let thread = Lanes(lanes).next().map(|lane| {
            let [x, y, z] = &run.warp.tid;
            Dim3::new(x[lane], y[lane], z[lane])
        });
        Box::new(Failure {
            kind,
            site: self.site(run.pc),
            block: Some(self.ctx.launch.grid.coordinates(u64::from(run.block.0))),
            thread,
        })
    }

    pub(crate) fn block(&mut self, slot: u32) -> Option<&mut Block> {
        self.s.blocks.get_mut(slot as usize).and_then(|b| b.as_deref_mut())
    }
}
