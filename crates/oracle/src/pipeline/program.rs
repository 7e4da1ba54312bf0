//! Programs of a few threads with asynchronous operations.

use events::sync::ProxySpace;
use events::task::SyncUse;
use events::{BlockId, Scope, Sem, Space};
use std::fmt;

/// Bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub space: Space,
    pub start: u64,
    pub bytes: u64,
}

/// An mbarrier object by its block and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    pub block: u32,
    pub number: u64,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A weak load or store.
    Access {
        at: Range,
        writes: bool,
    },
    /// `red.relaxed.gpu`.
    Reduce {
        at: Range,
    },
    /// A strong load or store of a flag, which no other instruction accesses.
    Flag {
        number: u64,
        writes: bool,
        sem: Sem,
        scope: Scope,
    },
    Fence {
        sem: Sem,
        scope: Scope,
    },
    /// `fence.proxy.async`.
    ProxyFence {
        space: Option<ProxySpace>,
    },
    /// `bar.sync 0`.
    Barrier,
    ClusterArrive,
    ClusterWait,
    /// `cp.async`, its groups, and `cp.async.mbarrier.arrive`.
    Copy {
        from: Range,
        to: Range,
    },
    Commit,
    Wait {
        keep: usize,
    },
    ArriveCopies {
        object: Object,
        noinc: bool,
    },
    /// `cp.async.bulk` or, if it `reduces`, `cp.reduce.async.bulk`. It signals an object, or is part of a bulk group.
    /// A tensor copy makes the same accesses.
    Bulk {
        from: Range,
        to: Range,
        signals: Option<Object>,
        reduces: bool,
    },
    /// `cp.async.bulk` with `.multicast::cluster` to the same range of the first `blocks` blocks, each of which is
    /// signalled.
    Multicast {
        from: Range,
        to: Range,
        object: u64,
        blocks: u32,
    },
    BulkCommit,
    BulkWait {
        keep: usize,
        reads: bool,
    },
    /// `st.async` or, if it `reduces`, `red.async`.
    Remote {
        to: Range,
        object: Object,
        reduces: bool,
    },
    Init {
        object: Object,
        count: u32,
    },
    Inval {
        object: Object,
    },
    Expect {
        object: Object,
        bytes: u64,
    },
    /// `mbarrier.arrive` with `.expect_tx` of some bytes, which may be none.
    Arrive {
        object: Object,
        bytes: u64,
        sem: Sem,
        scope: Scope,
    },
    /// `mbarrier.try_wait.parity`, repeated until it returns true.
    Await {
        object: Object,
        parity: u64,
        sem: Sem,
        scope: Scope,
    },
    /// One thread's part of `wgmma.mma_async`, which reads shared memory. The threads of a block that contain
    /// products are its warpgroup.
    Product {
        reads: Range,
    },
    ProductCommit,
    ProductWait {
        keep: usize,
    },
    /// An instruction that only another lane of the warp executes.
    Skip,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    pub block: u32,
    pub warp: u16,
    pub code: Vec<Op>,
    /// The thread of the warp whose instructions this one executes, too, at other addresses.
    pub follows: Option<usize>,
}

/// Threads of the blocks of one cluster, each of which is a lane of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    pub threads: Vec<Thread>,
}

impl Range {
    pub fn overlaps(&self, other: &Range) -> bool {
        self.space == other.space
            && self.start < other.start + other.bytes
            && other.start < self.start + self.bytes
    }

    /// Returns the bytes that both have; none of them if they do not overlap.
    pub fn common(&self, other: &Range) -> Range {
        let start = self.start.max(other.start);
        let end = (self.start + self.bytes).min(other.start + other.bytes);
        Range { space: self.space, start, bytes: end.saturating_sub(start) }
    }
}

impl Object {
    /// Returns the bytes of the object.
    pub fn range(self) -> Range {
        Range { space: Space::Shared(BlockId(self.block)), start: 8 * self.number, bytes: 8 }
    }
}

impl Op {
    /// Returns the mbarrier object on which the instruction operates, if there is one only.
    pub fn object(&self) -> Option<Object> {
        match *self {
            Op::ArriveCopies { object, .. }
            | Op::Remote { object, .. }
            | Op::Init { object, .. }
            | Op::Inval { object }
            | Op::Expect { object, .. }
            | Op::Arrive { object, .. }
            | Op::Await { object, .. } => Some(object),
            Op::Bulk { signals, .. } => signals,
            _ => None,
        }
    }
}

impl Program {
    pub fn blocks(&self) -> u32 {
        self.threads.iter().map(|thread| thread.block + 1).max().unwrap_or(1)
    }

    /// Returns the thread whose instructions a thread executes.
    pub fn leader(&self, thread: usize) -> usize {
        self.threads[thread].follows.unwrap_or(thread)
    }

    /// Returns the lane of each thread: threads of one warp have adjacent ones.
    pub fn lanes(&self) -> Vec<u32> {
        let place = |t: &Thread| (t.block, t.warp);
        let before = |n: usize| self.threads[..n].iter().filter(move |t| place(t) == place(&self.threads[n]));
        (0..self.threads.len()).map(|n| before(n).count() as u32).collect()
    }

    /// Returns the kinds of synchronisation that the program contains.
    pub fn uses(&self) -> SyncUse {
        let any = |is: &dyn Fn(&Op) -> bool| self.threads.iter().flat_map(|thread| &thread.code).any(is);
        let groups = |op: &Op| matches!(op, Op::Copy { .. } | Op::Commit | Op::Wait { .. });
        let plain = |op: &Op| {
            matches!(
                op,
                Op::Access { .. }
                    | Op::Reduce { .. }
                    | Op::Flag { .. }
                    | Op::Fence { .. }
                    | Op::Barrier
                    | Op::ClusterArrive
                    | Op::ClusterWait
                    | Op::Skip
            )
        };
        let narrow = |op: &Op| matches!(op, Op::Fence { sem: Sem::Sc, scope: Scope::Cta | Scope::Cluster });
        let asynchronous = any(&|op| !plain(op));
        let barriers = |thread: &Thread| thread.code.iter().filter(|op| matches!(op, Op::Barrier)).count();
        let alike = |a: &Thread, b: &Thread| a.block != b.block || barriers(a) == barriers(b);
        SyncUse {
            partial_barriers: !self.threads.iter().all(|a| self.threads.iter().all(|b| alike(a, b))),
            fences_or_strong: any(&|op| matches!(op, Op::Flag { .. } | Op::Fence { .. })),
            atomics: any(&|op| matches!(op, Op::Reduce { .. } | Op::Remote { .. })),
            asynchronous,
            groups_only: asynchronous && !any(&|op| !plain(op) && !groups(op)),
            cluster: self.blocks() > 1,
            narrow_fences: any(&narrow),
            blocks_communicate: true,
            ..SyncUse::default()
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Thread { block, warp, code, follows }) in self.threads.iter().enumerate() {
            let as_which = follows.map_or_else(String::new, |leader| format!(" as T{leader}"));
            writeln!(f, "T{i} (block {block}, warp {warp}){as_which}:")?;
            for (at, op) in code.iter().enumerate() {
                writeln!(f, "    {at}: {op:?}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}[{}..{}]", self.space, self.start, self.start + self.bytes)
    }
}
