//! A warp: 32 lanes, their registers, and the groups in which they run.

use crate::exec::async_copy::AsyncState;
use crate::exec::frame::{Frame, Registers, Return};
use crate::exec::spin::Spin;
use crate::program::{FunctionInfo, Line};
use events::LaneMask;
use smallvec::SmallVec;

/// Lanes that execute together. A warp begins with one group; branches split groups, and groups with the same
/// program counter and call stack merge again.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub mask: LaneMask,
    pub pc: u32,
    pub frame: Frame,
    pub stack: SmallVec<[Return; 2]>,
    pub wait: Wait,
    /// The remaining patience: how much longer the group may loop before others run.
    pub patience: i32,
    /// Whether it has read memory that others may write, or waited for time, since its last turn of a loop.
    pub polled: bool,
    /// Whether it has had its turn and lets others run first.
    pub tired: bool,
    /// The number of consecutive watched turns that have polled the same memory in vain.
    pub futile: u32,
    /// The hash of the locations polled in those turns.
    pub polls: u64,
    /// Whether it has polled in vain: it reads the polled memory again, and lets other such groups do so,
    /// before it continues.
    pub looks: bool,
    pub pause: Pause,
    /// The worker's time until which it sleeps.
    pub asleep: u64,
}

/// Detects loops that wait for time to pass: repeated reads of the clock with little work between them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pause {
    /// The number of consecutive reads.
    reads: u32,
    /// The clock at the first read; `last` is the clock at the last one.
    since: u64,
    last: u64,
    /// Whether memory was accessed, or other threads waited for, since the last read.
    pub busy: bool,
}

impl Pause {
    /// The number of consecutive reads after which a loop counts as waiting for time.
    const READS: u32 = 16;
    /// The cycles between two reads beyond which the loop does more than wait.
    const APART: u64 = 128;

    /// Records a read of the clock at `now`. Returns the number of cycles to skip, in which only such reads
    /// would happen. It is a quarter of the time waited so far, so the loop ends at most that much after its
    /// deadline.
    pub(crate) fn read(&mut self, now: u64) -> u64 {
        let waits = !self.busy && now.wrapping_sub(self.last) <= Pause::APART;
        if !waits {
            *self = Pause { reads: 0, since: now, last: now, busy: false };
            return 0;
        }
        self.reads += 1;
        let skipped = if self.reads > Pause::READS { (now - self.since) / 4 } else { 0 };
        self.last = now + skipped;
        skipped
    }
}

/// The reason why a group does not run.
#[derive(Clone, Debug)]
pub(crate) enum Wait {
    No,
    /// It waits at `bar` number `id`.
    Barrier(u8),
    /// It waits for these lanes at a warp-wide instruction at its program counter.
    Lanes {
        member: LaneMask,
    },
    /// It waits for these lanes at a `bar.warp.sync`.
    WarpSync {
        member: LaneMask,
    },
    ClusterBarrier {
        phase: u64,
    },
    /// It waits for the initialisation of an mbarrier: a block's slot, and the offset in its shared memory.
    Object {
        slot: u32,
        offset: u32,
    },
    /// It waits for other warps of its warpgroup to commit so many groups of products.
    Warpgroup {
        groups: u32,
    },
    /// It waits for a change of its block's tensor memory, of which so many had happened.
    Tensor {
        changes: u64,
    },
    /// It polls memory that does not change.
    Spin(Box<Spin>),
}

pub(crate) const PATIENCE: i32 = 4096;
/// The patience that a turn of a loop costs if it reads memory that others may write.
pub(crate) const POLL_COST: i32 = 64;

impl Group {
    pub(crate) fn runnable(&self) -> bool {
        matches!(self.wait, Wait::No)
    }

    /// Returns whether `other` can merge into this group.
    pub(crate) fn joins(&self, other: &Group) -> bool {
        self.pc == other.pc && self.frame == other.frame && self.stack == other.stack
    }
}

#[derive(Debug)]
pub(crate) struct Warp {
    pub index: u16,
    /// The lanes that exist and have not exited.
    pub alive: LaneMask,
    pub groups: SmallVec<[Group; 2]>,
    r32: Vec<Line>,
    r64: Vec<Line>,
    preds: Vec<Line>,
    /// Local memory, lane by lane, `stride` bytes each.
    local: Vec<Line>,
    stride: u32,
    /// The thread coordinates, by axis.
    pub tid: [[u32; 32]; 3],
    pub asynchronous: Option<Box<AsyncState>>,
    /// For each lane, the generation of the cluster barrier at which it arrived last.
    pub cluster_phase: [u64; 32],
    /// The lanes that ran last, to report divergence.
    pub last_active: LaneMask,
}

const LINE: u32 = size_of::<Line>() as u32;

fn lines(bytes: u32) -> usize {
    bytes.div_ceil(LINE) as usize
}

impl Warp {
    pub(crate) fn new() -> Warp {
        Warp {
            index: 0,
            alive: 0,
            groups: SmallVec::new(),
            r32: Vec::new(),
            r64: Vec::new(),
            preds: Vec::new(),
            local: Vec::new(),
            stride: 0,
            tid: [[0; 32]; 3],
            asynchronous: None,
            cluster_phase: [0; 32],
            last_active: 0,
        }
    }

    /// Initialises the warp at the start of a kernel; old register contents remain, which is harmless.
    pub(crate) fn start(&mut self, index: u16, alive: LaneMask, entry: &FunctionInfo, function: u32) {
        self.index = index;
        self.alive = alive;
        self.last_active = alive;
        self.asynchronous = None;
        self.groups.clear();
        let frame = Frame { r32: 0, r64: 0, pred: 0, local: 0, local_top: entry.frame_bytes, function };
        self.groups.push(Group {
            mask: alive,
            pc: entry.entry,
            frame,
            stack: SmallVec::new(),
            wait: Wait::No,
            patience: PATIENCE,
            polled: false,
            tired: false,
            futile: 0,
            polls: 0,
            looks: false,
            pause: Pause::default(),
            asleep: 0,
        });
        self.reserve(&frame, entry);
        self.preds.fill(Line([0; 16]));
        self.local.fill(Line([0; 16]));
    }

    /// Allocates registers and local memory for a function's activation.
    pub(crate) fn reserve(&mut self, frame: &Frame, function: &FunctionInfo) {
        let grow = |file: &mut Vec<Line>, bytes: u32| {
            let n = lines(bytes);
            if file.len() < n {
                file.resize(n.next_power_of_two(), Line([0; 16]));
            }
        };
        grow(&mut self.r32, frame.r32 + function.bytes_32);
        grow(&mut self.r64, frame.r64 + function.bytes_64);
        grow(&mut self.preds, frame.pred + function.bytes_pred + 4);
        self.reserve_local(frame.local_top);
    }

    /// Grows the local memory of every lane to at least `bytes`.
    pub(crate) fn reserve_local(&mut self, bytes: u32) {
        if bytes <= self.stride {
            return;
        }
        let stride = bytes.next_multiple_of(LINE).max(self.stride * 2);
        let mut local = vec![Line([0; 16]); 32 * lines(stride)];
        let old = lines(self.stride);
        if old > 0 {
            for (lane, from) in self.local.chunks_exact(old).enumerate() {
                let at = lane * lines(stride);
                local[at..at + old].copy_from_slice(from);
            }
        }
        self.local = local;
        self.stride = stride;
    }

    /// Returns the base addresses of the two register files and the predicates for a frame.
    pub(crate) fn bases(&mut self, frame: &Frame) -> [*mut u8; 3] {
        [
            self.r32.as_mut_ptr().cast::<u8>().wrapping_add(frame.r32 as usize),
            self.r64.as_mut_ptr().cast::<u8>().wrapping_add(frame.r64 as usize),
            self.preds.as_mut_ptr().cast::<u8>().wrapping_add(frame.pred as usize),
        ]
    }

    /// Returns the start of lane 0's local memory, and the bytes per lane.
    pub(crate) fn local(&mut self) -> (*mut u8, u32) {
        (self.local.as_mut_ptr().cast(), self.stride)
    }

    /// Returns a copy of a frame's registers.
    pub(crate) fn registers(&self, frame: &Frame, function: &FunctionInfo) -> Registers {
        let words = |file: &[Line], from: u32, bytes: u32| {
            let (from, to) = (from as usize / 4, (from + bytes) as usize / 4);
            (from..to).map(|w| file[w / 16].0[w % 16]).collect::<Vec<u32>>()
        };
        Registers {
            r32: words(&self.r32, frame.r32, function.bytes_32),
            r64: words(&self.r64, frame.r64, function.bytes_64),
            preds: words(&self.preds, frame.pred, function.bytes_pred),
        }
    }

    /// Merges every runnable group that can join an earlier one. Returns whether the number of groups
    /// decreased.
    pub(crate) fn merge(&mut self) -> bool {
        let before = self.groups.len();
        // A filter of program counters seen, by their low bits: most groups match no earlier one and need no
        // comparison with each.
        let mut seen = [0u64; 4];
        let mut j = 0;
        while j < self.groups.len() {
            let group = &self.groups[j];
            if group.runnable() {
                let (word, bit) = (group.pc as usize / 64 % seen.len(), 1 << (group.pc % 64));
                let earlier = if seen[word] & bit == 0 { 0 } else { j };
                seen[word] |= bit;
                let joins = |other: &Group| other.runnable() && other.joins(group);
                if let Some(i) = self.groups[..earlier].iter().position(joins) {
                    let other = self.groups.remove(j);
                    let group = &mut self.groups[i];
                    group.mask |= other.mask;
                    // The merged group inherits the lesser patience.
                    group.patience = group.patience.min(other.patience);
                    group.polled |= other.polled;
                    group.asleep = group.asleep.max(other.asleep);
                    continue;
                }
            }
            j += 1;
        }
        self.groups.len() < before
    }
}
