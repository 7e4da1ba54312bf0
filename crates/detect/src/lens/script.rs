//! Event sequences for tests, written as the instructions of named threads.
//!
//! Memory has values, so that compare-and-swaps succeed or fail and flags are seen as in a
//! run. The site of each operation is the line of the test that made it.

use super::serial::Lens;
use events::access::Warp;
use events::sync::Member;
use events::task::{LaunchInfo, SyncUse};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Class, Dim3, Finding, LaneMask, Proxy,
    Scope, Sem, SiteId, Space, Strength, Sync, TaskId, ThreadId, WarpId,
};
use std::collections::HashMap;
use std::panic::Location;

/// A thread of the scripted launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct T(pub(crate) u32, pub(crate) u16);

impl T {
    fn warp(self) -> Warp {
        Warp { task: TASK, block: BlockId(self.0), warp: ThreadId(self.1).warp() }
    }

    fn lane(self) -> u32 {
        ThreadId(self.1).lane()
    }
}

pub(crate) const TASK: TaskId = TaskId(1);

pub(crate) fn strong(sem: Sem, scope: Scope) -> Strength {
    Strength::Strong { sem, scope }
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
        stored: if kind.writes() { u32::MAX } else { 0 },
        values: None,
    }
}

pub(crate) struct Script<L> {
    pub(crate) lens: L,
    threads: u16,
    memory: HashMap<(Space, u64), u64>,
}

impl<L: Lens> Script<L> {
    /// A launch of `blocks` blocks of `threads` threads.
    pub(crate) fn new(mut lens: L, blocks: u32, threads: u16) -> Self {
        let info = LaunchInfo {
            kernel: "script".to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(u32::from(threads), 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: SyncUse { fences_or_strong: true, atomics: true, ..SyncUse::default() },
        };
        lens.launch(TASK, &info);
        for block in 0..blocks {
            lens.sync(&Sync::BlockStart { task: TASK, block: BlockId(block) });
        }
        Script { lens, threads, memory: HashMap::new() }
    }

    /// One warp instruction: `lanes` with an address each, the same kind for all.
    #[allow(clippy::too_many_arguments)]
    fn emit(
        &mut self,
        at: &Location<'_>,
        warp: Warp,
        space: Space,
        kind: AccessKind,
        strength: Strength,
        mask: LaneMask,
        stored: LaneMask,
        addresses: [u64; 32],
        values: Option<&[(u64, u64); 32]>,
    ) {
        self.lens.access(&Access {
            warp,
            site: SiteId(at.line()),
            space,
            kind,
            strength,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask,
            addresses: &addresses,
            stored,
            values,
        });
    }

    #[track_caller]
    pub(crate) fn read_in(&mut self, t: T, space: Space, address: u64, strength: Strength) -> u64 {
        let value = self.memory.get(&(space, address)).copied().unwrap_or(0);
        let values = [(value, 0); 32];
        let values = matches!(strength, Strength::Strong { .. } | Strength::Volatile).then_some(&values);
        let at = Location::caller();
        self.emit(at, t.warp(), space, AccessKind::Read, strength, 1 << t.lane(), 0, [address; 32], values);
        value
    }

    #[track_caller]
    pub(crate) fn write_in(&mut self, t: T, space: Space, address: u64, value: u64, strength: Strength) {
        self.memory.insert((space, address), value);
        let values = [(0, value); 32];
        let values = matches!(strength, Strength::Strong { .. } | Strength::Volatile).then_some(&values);
        let at = Location::caller();
        let mask = 1 << t.lane();
        self.emit(at, t.warp(), space, AccessKind::Write, strength, mask, mask, [address; 32], values);
    }

    /// A weak load.
    #[track_caller]
    pub(crate) fn ld(&mut self, t: T, address: u64) -> u64 {
        self.read_in(t, Space::Global, address, Strength::Weak)
    }

    /// A weak store.
    #[track_caller]
    pub(crate) fn st(&mut self, t: T, address: u64) {
        self.write_in(t, Space::Global, address, 1, Strength::Weak)
    }

    /// A weak store of one byte.
    #[track_caller]
    pub(crate) fn st_byte(&mut self, t: T, address: u64) {
        let (addresses, mask) = ([address; 32], 1 << t.lane());
        let mut access = access_of(&addresses, AccessKind::Write, Strength::Weak);
        access.site = SiteId(Location::caller().line());
        (access.warp, access.size, access.mask, access.stored) = (t.warp(), 1, mask, mask);
        self.lens.access(&access);
    }

    /// `ld.volatile`.
    #[track_caller]
    pub(crate) fn ldv(&mut self, t: T, address: u64) -> u64 {
        self.read_in(t, Space::Global, address, Strength::Volatile)
    }

    /// `st.volatile`.
    #[track_caller]
    pub(crate) fn stv(&mut self, t: T, address: u64) {
        self.write_in(t, Space::Global, address, 1, Strength::Volatile)
    }

    /// A weak store of one instruction by several lanes of `t`'s warp.
    #[track_caller]
    pub(crate) fn st_warp(&mut self, t: T, mask: LaneMask, address: impl Fn(u32) -> u64) {
        let addresses = std::array::from_fn(|lane| address(lane as u32));
        let at = Location::caller();
        let (kind, strength) = (AccessKind::Write, Strength::Weak);
        self.emit(at, t.warp(), Space::Global, kind, strength, mask, mask, addresses, None);
    }

    #[track_caller]
    pub(crate) fn ld_warp(&mut self, t: T, mask: LaneMask, address: impl Fn(u32) -> u64) {
        let addresses = std::array::from_fn(|lane| address(lane as u32));
        let at = Location::caller();
        let (kind, strength) = (AccessKind::Read, Strength::Weak);
        self.emit(at, t.warp(), Space::Global, kind, strength, mask, 0, addresses, None);
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
        for lane in super::elements::lanes(mask) {
            let cell = self.memory.entry((Space::Global, addresses[lane as usize])).or_insert(0);
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
            values[lane as usize] = (old, new);
        }
        let kind = AccessKind::Atomic { op, returns: true };
        let at = Location::caller();
        let strength = strong(sem, scope);
        self.emit(at, t.warp(), Space::Global, kind, strength, mask, stored, addresses, Some(&values));
        values.map(|(old, _)| old)
    }

    #[track_caller]
    fn atom(
        &mut self,
        t: T,
        op: AtomicOp,
        operands: (u64, u64),
        sem: Sem,
        scope: Scope,
        address: u64,
    ) -> u64 {
        let old = self.atom_warp(t, 1 << t.lane(), op, operands, sem, scope, |_| address);
        old[t.lane() as usize]
    }

    /// `atomicCAS(address, 0, 1)`; true if it stored.
    #[track_caller]
    pub(crate) fn cas(&mut self, t: T, address: u64, scope: Scope) -> bool {
        self.atom(t, AtomicOp::Cas, (0, 1), Sem::Relaxed, scope, address) == 0
    }

    /// `atomicCAS(address, 0, 1)` with `.acquire`.
    #[track_caller]
    pub(crate) fn cas_acquire(&mut self, t: T, address: u64, scope: Scope) -> bool {
        self.atom(t, AtomicOp::Cas, (0, 1), Sem::Acquire, scope, address) == 0
    }

    #[track_caller]
    pub(crate) fn exch(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.atom(t, AtomicOp::Exch, (value, 0), Sem::Relaxed, scope, address)
    }

    #[track_caller]
    pub(crate) fn exch_release(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.atom(t, AtomicOp::Exch, (value, 0), Sem::Release, scope, address)
    }

    #[track_caller]
    pub(crate) fn add(&mut self, t: T, address: u64, value: u64, scope: Scope) -> u64 {
        self.atom(t, AtomicOp::Add, (value, 0), Sem::Relaxed, scope, address)
    }

    /// `membar` of the scope.
    #[track_caller]
    pub(crate) fn fence(&mut self, t: T, scope: Scope) {
        self.fence_warp(t, 1 << t.lane(), scope);
    }

    #[track_caller]
    pub(crate) fn fence_warp(&mut self, t: T, lanes: LaneMask, scope: Scope) {
        let site = SiteId(Location::caller().line());
        self.lens.sync(&Sync::Fence { warp: t.warp(), site, lanes, sem: Sem::Sc, scope });
    }

    /// Lock with a fence, as CUDA's guide has it.
    #[track_caller]
    pub(crate) fn lock(&mut self, t: T, address: u64, scope: Scope) {
        assert!(self.cas(t, address, scope), "the script's lock is taken");
        self.fence(t, scope);
    }

    /// Fence and unlock.
    #[track_caller]
    pub(crate) fn unlock(&mut self, t: T, address: u64, scope: Scope) {
        self.fence(t, scope);
        self.exch(t, address, 0, scope);
    }

    /// What global memory holds.
    pub(crate) fn value(&self, address: u64) -> u64 {
        self.memory.get(&(Space::Global, address)).copied().unwrap_or(0)
    }

    fn live(&self, warp: u16) -> LaneMask {
        let lanes = (self.threads - warp * 32).min(32);
        if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 }
    }

    /// `__syncthreads()` by the whole block.
    #[track_caller]
    pub(crate) fn barrier(&mut self, block: u32) {
        let site = SiteId(Location::caller().line());
        for warp in 0..self.threads.div_ceil(32) {
            let lanes = self.live(warp);
            let warp = Warp { task: TASK, block: BlockId(block), warp: WarpId(warp) };
            let (id, sem) = (BarrierId::Cta(0), Sem::AcqRel);
            self.lens.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: true, sem });
        }
        let (task, block, id) = (TASK, BlockId(block), BarrierId::Cta(0));
        self.lens.sync(&Sync::BarrierComplete { task, block, id, members: BarrierMembers::WholeBlock });
    }

    /// A named barrier among some warps of a block, all of whose lanes arrive and wait.
    #[track_caller]
    pub(crate) fn named_barrier(&mut self, block: u32, id: u8, warps: &[u16]) {
        let site = SiteId(Location::caller().line());
        let id = BarrierId::Cta(id);
        let mut members = Vec::new();
        for &warp in warps {
            let lanes = self.live(warp);
            members.push(Member { block: BlockId(block), warp: WarpId(warp), arrived: lanes, waited: lanes });
            let warp = Warp { task: TASK, block: BlockId(block), warp: WarpId(warp) };
            let sem = Sem::AcqRel;
            self.lens.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: true, sem });
        }
        let (task, block, members) = (TASK, BlockId(block), BarrierMembers::Some(&members));
        self.lens.sync(&Sync::BarrierComplete { task, block, id, members });
    }

    /// `__syncwarp(lanes)` by the warp of `t`.
    #[track_caller]
    pub(crate) fn syncwarp(&mut self, t: T, lanes: LaneMask) {
        let site = SiteId(Location::caller().line());
        self.lens.sync(&Sync::WarpSync { warp: t.warp(), site, lanes });
    }

    pub(crate) fn exit(&mut self, t: T) {
        self.lens.sync(&Sync::Exit { warp: t.warp(), lanes: 1 << t.lane() });
    }

    /// Ends the launch; what was found.
    pub(crate) fn end(mut self) -> Vec<Finding> {
        self.lens.finish(TASK);
        self.lens.take_findings()
    }

    /// Ends the launch; the classes found, sorted.
    pub(crate) fn classes(self) -> Vec<Class> {
        let mut classes: Vec<Class> = self.end().into_iter().map(|f| f.class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }
}
