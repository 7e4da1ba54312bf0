//! Event sequences for tests, written as the instructions of named threads.
//!
//! Memory has values, so that compare-and-swaps succeed or fail and flags are seen as in a run. The site of each operation
//! is the line of the test that made it, so that a test can say which lines race. Who listens is for others to say: the
//! tests of `ptx` give it a monitor, those of the serial lenses a lens.

#[path = "order.rs"]
mod order;

use events::access::Warp;
use events::task::SyncUse;
use events::{
    Access, AccessKind, AtomicOp, BlockId, LaneMask, Observer, Proxy, Scope, Sem, SiteId, Space, Strength,
    TaskId, ThreadId, WarpId,
};
use std::collections::HashMap;
use std::panic::Location;

/// Thread 1 of block 0: `T(0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct T(pub(crate) u32, pub(crate) u16);

impl T {
    fn warp(self) -> WarpId {
        ThreadId(self.1).warp()
    }

    fn lane(self) -> u32 {
        ThreadId(self.1).lane()
    }

    fn mask(self) -> LaneMask {
        1 << self.lane()
    }
}

pub(crate) const TASK: TaskId = TaskId(1);

pub(crate) fn strong(sem: Sem, scope: Scope) -> Strength {
    Strength::Strong { sem, scope }
}

/// Everything a kernel may use.
pub(crate) fn all_uses() -> SyncUse {
    SyncUse {
        partial_barriers: true,
        fences_or_strong: true,
        relaxed: false,
        fences_acquire: false,
        atomics: true,
        asynchronous: true,
        groups_only: false,
        cluster: true,
        narrow_fences: true,
        triggers: true,
        launches: true,
        blocks_communicate: true,
    }
}

/// A full warp's access of 4-byte words, for tests that need just one.
pub(crate) fn access_of(addresses: &[u64; 32], kind: AccessKind, strength: Strength) -> Access<'_> {
    Access {
        warp: Warp { task: TASK, block: BlockId(0), warp: WarpId(0) },
        site: SiteId(0),
        space: Space::Global,
        kind,
        strength,
        proxy: Proxy::Generic,
        size: 4,
        elements: 1,
        mask: u32::MAX,
        addresses,
        stride: None,
        stored: if kind.writes() { u32::MAX } else { 0 },
        values: None,
        written: Default::default(),
    }
}

#[track_caller]
fn line() -> SiteId {
    SiteId(Location::caller().line())
}

/// A launch, and who hears it.
pub(crate) struct Script<E> {
    pub(crate) ear: E,
    pub(crate) task: TaskId,
    /// Of each block.
    threads: u32,
    space: Space,
    memory: HashMap<(Space, u64), u64>,
}

/// One instruction of some lanes of a warp; its words are of 4 bytes.
struct Instruction {
    warp: Warp,
    site: SiteId,
    space: Space,
    kind: AccessKind,
    strength: Strength,
    mask: LaneMask,
    stored: LaneMask,
    addresses: [u64; 32],
    values: Option<[(u64, u64); 32]>,
}

impl<E: Observer> Script<E> {
    /// A launch of blocks of so many threads, which has been told of.
    pub(crate) fn of(ear: E, task: TaskId, threads: u32) -> Self {
        Script { ear, task, threads, space: Space::Global, memory: HashMap::new() }
    }

    /// Accesses from now on are to the shared memory of `block`, or global again.
    pub(crate) fn shared(&mut self, block: Option<u32>) -> &mut Self {
        self.space = block.map_or(Space::Global, |b| Space::Shared(BlockId(b)));
        self
    }

    pub(crate) fn warp(&self, t: T) -> Warp {
        self.warp_of(t.0, t.1 / 32)
    }

    fn warp_of(&self, block: u32, warp: u16) -> Warp {
        Warp { task: self.task, block: BlockId(block), warp: WarpId(warp) }
    }

    fn emit(&mut self, i: Instruction) {
        let Instruction { warp, site, space, kind, strength, mask, stored, addresses, values } = i;
        self.ear.access(&Access {
            warp,
            site,
            space,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &addresses,
            stride: None,
            stored,
            values: values.as_ref(),
            written: Default::default(),
        });
    }

    /// One instruction of the threads, which are of one warp, each with its address; what is in memory is not told.
    pub(crate) fn access(
        &mut self,
        site: SiteId,
        threads: &[(T, u64)],
        kind: AccessKind,
        strength: Strength,
        proxy: Proxy,
        (size, elements): (u32, u8),
    ) {
        let mut addresses = [0; 32];
        let mut mask = 0;
        for (t, address) in threads {
            addresses[t.lane() as usize] = *address;
            mask |= t.mask();
        }
        self.ear.access(&Access {
            warp: self.warp(threads[0].0),
            site,
            space: self.space,
            kind,
            strength,
            proxy,
            size,
            elements,
            mask,
            addresses: &addresses,
            stride: None,
            stored: if kind.writes() { mask } else { 0 },
            values: None,
            written: Default::default(),
        });
    }

    fn one(&mut self, site: SiteId, t: T, a: u64, kind: AccessKind, strength: Strength) {
        self.access(site, &[(t, a)], kind, strength, Proxy::Generic, (4, 1));
    }

    #[track_caller]
    pub(crate) fn read_in(&mut self, t: T, space: Space, address: u64, strength: Strength) -> u64 {
        let value = self.memory.get(&(space, address)).copied().unwrap_or(0);
        self.emit(Instruction {
            warp: self.warp(t),
            site: line(),
            space,
            kind: AccessKind::Read,
            strength,
            mask: t.mask(),
            stored: 0,
            addresses: [address; 32],
            values: (strength != Strength::Weak).then_some([(value, 0); 32]),
        });
        value
    }

    #[track_caller]
    pub(crate) fn write_in(&mut self, t: T, space: Space, address: u64, value: u64, strength: Strength) {
        self.memory.insert((space, address), value);
        self.emit(Instruction {
            warp: self.warp(t),
            site: line(),
            space,
            kind: AccessKind::Write,
            strength,
            mask: t.mask(),
            stored: t.mask(),
            addresses: [address; 32],
            values: (strength != Strength::Weak).then_some([(0, value); 32]),
        });
    }

    /// A weak load.
    #[track_caller]
    pub(crate) fn read(&mut self, t: T, address: u64) {
        self.read_in(t, self.space, address, Strength::Weak);
    }

    /// A weak store.
    #[track_caller]
    pub(crate) fn write(&mut self, t: T, address: u64) {
        self.write_in(t, self.space, address, 1, Strength::Weak);
    }

    /// A weak store of one byte.
    #[track_caller]
    pub(crate) fn write_byte(&mut self, t: T, address: u64) {
        self.access(line(), &[(t, address)], AccessKind::Write, Strength::Weak, Proxy::Generic, (1, 1));
    }

    /// `ld.volatile`.
    #[track_caller]
    pub(crate) fn ldv(&mut self, t: T, address: u64) -> u64 {
        self.read_in(t, self.space, address, Strength::Volatile)
    }

    /// `st.volatile`.
    #[track_caller]
    pub(crate) fn stv(&mut self, t: T, address: u64) {
        self.write_in(t, self.space, address, 1, Strength::Volatile);
    }

    /// A strong load, of whatever value.
    #[track_caller]
    pub(crate) fn load(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Read, strong(sem, scope));
    }

    /// A strong store, of whatever value.
    #[track_caller]
    pub(crate) fn store(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Write, strong(sem, scope));
    }

    /// A weak store of one instruction by several lanes of `t`'s warp.
    #[track_caller]
    pub(crate) fn write_warp(&mut self, t: T, mask: LaneMask, address: impl Fn(u32) -> u64) {
        self.weak_warp(line(), t, mask, AccessKind::Write, address);
    }

    /// A weak load of one instruction by several lanes of `t`'s warp.
    #[track_caller]
    pub(crate) fn read_warp(&mut self, t: T, mask: LaneMask, address: impl Fn(u32) -> u64) {
        self.weak_warp(line(), t, mask, AccessKind::Read, address);
    }

    fn weak_warp(
        &mut self,
        site: SiteId,
        t: T,
        mask: LaneMask,
        kind: AccessKind,
        address: impl Fn(u32) -> u64,
    ) {
        self.emit(Instruction {
            warp: self.warp(t),
            site,
            space: self.space,
            kind,
            strength: Strength::Weak,
            mask,
            stored: if kind.writes() { mask } else { 0 },
            addresses: std::array::from_fn(|lane| address(lane as u32)),
            values: None,
        });
    }

    /// An atomic by several lanes at once, one after the other in lane order.
    #[track_caller]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn atom_warp(
        &mut self,
        t: T,
        mask: LaneMask,
        op: AtomicOp,
        operands: (u64, u64),
        sem: Sem,
        scope: Scope,
        address: impl Fn(u32) -> u64,
    ) -> [u64; 32] {
        let addresses: [u64; 32] = std::array::from_fn(|lane| address(lane as u32));
        let mut values = [(0, 0); 32];
        let mut stored = 0;
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            let cell = self.memory.entry((self.space, addresses[lane])).or_insert(0);
            let old = *cell;
            let new = match op {
                AtomicOp::Cas if old == operands.0 => operands.1,
                AtomicOp::Cas => old,
                AtomicOp::Exch => operands.0,
                AtomicOp::Add => old.wrapping_add(operands.0),
                other => panic!("the script does not know {other:?}"),
            };
            *cell = new;
            if op != AtomicOp::Cas || old == operands.0 {
                stored |= 1 << lane;
            }
            values[lane] = (old, new);
        }
        self.emit(Instruction {
            warp: self.warp(t),
            site: line(),
            space: self.space,
            kind: AccessKind::Atomic { op, returns: true },
            strength: strong(sem, scope),
            mask,
            stored,
            addresses,
            values: Some(values),
        });
        values.map(|(old, _)| old)
    }

    #[track_caller]
    fn modify(
        &mut self,
        t: T,
        op: AtomicOp,
        operands: (u64, u64),
        sem: Sem,
        scope: Scope,
        address: u64,
    ) -> u64 {
        let old = self.atom_warp(t, t.mask(), op, operands, sem, scope, |_| address);
        old[t.lane() as usize]
    }

    /// `atomicCAS(address, 0, 1)`; true if it stored.
    #[track_caller]
    pub(crate) fn cas(&mut self, t: T, address: u64, scope: Scope) -> bool {
        self.modify(t, AtomicOp::Cas, (0, 1), Sem::Relaxed, scope, address) == 0
    }

    /// `atomicCAS(address, 0, 1)` with `.acquire`.
    #[track_caller]
    pub(crate) fn cas_acquire(&mut self, t: T, address: u64, scope: Scope) -> bool {
        self.modify(t, AtomicOp::Cas, (0, 1), Sem::Acquire, scope, address) == 0
    }

    #[track_caller]
    pub(crate) fn exch(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.modify(t, AtomicOp::Exch, (value, 0), Sem::Relaxed, scope, address)
    }

    #[track_caller]
    pub(crate) fn exch_release(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.modify(t, AtomicOp::Exch, (value, 0), Sem::Release, scope, address)
    }

    #[track_caller]
    pub(crate) fn add(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.modify(t, AtomicOp::Add, (value, 0), Sem::Relaxed, scope, address)
    }

    /// `atomicAdd`, of whatever value.
    #[track_caller]
    pub(crate) fn atom(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Atomic { op: AtomicOp::Add, returns: true }, strong(sem, scope));
    }

    /// The same without result.
    #[track_caller]
    pub(crate) fn red(&mut self, t: T, a: u64, sem: Sem, scope: Scope) {
        self.one(line(), t, a, AccessKind::Atomic { op: AtomicOp::Add, returns: false }, strong(sem, scope));
    }

    /// A relaxed compare-and-swap that finds and leaves these values.
    #[track_caller]
    pub(crate) fn swap(&mut self, t: T, a: u64, found_and_left: (u64, u64)) {
        self.emit(Instruction {
            warp: self.warp(t),
            site: line(),
            space: self.space,
            kind: AccessKind::Atomic { op: AtomicOp::Cas, returns: true },
            strength: strong(Sem::Relaxed, Scope::Gpu),
            mask: t.mask(),
            stored: t.mask(),
            addresses: [a; 32],
            values: Some([found_and_left; 32]),
        });
    }

    /// Lock with a fence, as CUDA's guide has it.
    #[track_caller]
    pub(crate) fn lock(&mut self, t: T, address: u64, scope: Scope) {
        assert!(self.cas(t, address, scope), "the script's lock is taken");
        self.membar(t, scope);
    }

    /// Fence and unlock.
    #[track_caller]
    pub(crate) fn unlock(&mut self, t: T, address: u64, scope: Scope) {
        self.membar(t, scope);
        self.exch(t, address, 0, scope);
    }

    /// What global memory holds.
    pub(crate) fn value(&self, address: u64) -> u64 {
        self.memory.get(&(Space::Global, address)).copied().unwrap_or(0)
    }
}
