//! Tensor memory: allocations, fences, and operations, each judged against those before it (PTX §9.7.17.6).
//!
//! Two operations are ordered if the first one's completion is known where the second one is issued, or if the two
//! form a pipeline and the first one's issue is known there. Completion is known by a wait of the warp (`ld`, `st`)
//! or by the phase of an mbarrier at which a commit arrived (`mma`, `cp`, `shift`).

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::lanes;
use crate::ptx::history::tensor::{Columns, Operation};
use crate::ptx::order::async_ops::Ops;
use crate::ptx::order::knowledge::WarpState;
use crate::ptx::report::sink::Race;
use crate::shadow::lock;
use clocks::Shared;
use events::access::Warp;
use events::{
    Access, AccessKind, AsyncOpId, BlockId, Class, LaneMask, Level, Proxy, Scope, SiteId, Space, Strength,
    SyncNote, Tensor, TensorAction, TensorCells, TensorGap, Written,
};
use rustc_hash::FxHashMap;

/// The tensor memory of the blocks that an observer hears of.
#[derive(Debug, Default)]
pub(super) struct TensorMemory {
    blocks: FxHashMap<u32, Columns>,
    /// The number of operations so far.
    turn: u64,
    /// The turn of each thread's last product.
    products: FxHashMap<(u32, u16, u8), u64>,
    /// Each thread's last operation that commits track, and what the thread knew when it issued that.
    issued: FxHashMap<(u32, u16, u8), (AsyncOpId, Shared)>,
}

impl TensorMemory {
    pub(super) fn end_block(&mut self, block: u32) {
        self.blocks.remove(&block);
        self.products.retain(|(of, ..), _| *of != block);
        self.issued.retain(|(of, ..), _| *of != block);
    }

    /// Returns whether two operations are executed in the order in which they were issued.
    fn pipelined(&self, old: &Operation, new: &Operation) -> bool {
        if old.pair != new.pair {
            return false;
        }
        match (old.action, new.action) {
            (TensorAction::Product(a), TensorAction::Product(b)) => a == b,
            (TensorAction::Copy { .. } | TensorAction::Shift, TensorAction::Product(_))
            | (TensorAction::Product(_), TensorAction::Shift)
            | (TensorAction::Shift, TensorAction::Copy { quarter: true }) => true,
            // A product reads its scale factors before a later copy replaces them, see docs/assumptions.md.
            (TensorAction::Product(_), TensorAction::Copy { .. }) => !old.writes,
            (TensorAction::Copy { .. }, TensorAction::Copy { .. }) => {
                let by = (new.by.block, new.by.warp, new.by.lane);
                old.by == new.by && self.products.get(&by).is_some_and(|turn| *turn > old.turn)
            }
            _ => false,
        }
    }
}

/// Returns whether an operation's completion is known to at least one of the threads that issue another one
/// together.
fn completed(ops: &Ops, warp: &WarpState, old: &Operation, new: &Operation) -> bool {
    let mut threads = lanes(new.lanes).map(|lane| Who { lane: lane as u8, ..new.by });
    threads.any(|who| ops.known_for_tensor_memory(warp, who, old.number))
}

impl LaunchState {
    pub(super) fn tensor(&mut self, warp: Warp, site: SiteId, mask: LaneMask, what: Tensor) {
        let by = (warp.block.0, warp.warp.0);
        match what {
            Tensor::Fence { after } => {
                let state = self.block(by.0);
                let Some(own) = state.warps.get_mut(usize::from(by.1)) else { return };
                if after {
                    own.acquire_for_tensor_memory(mask);
                } else {
                    own.record_tensor_fence(by.0, by.1, mask);
                    state.advance(by.1);
                }
            }
            Tensor::Alloc { address, .. } => self.stores_tensor_address(warp, site, address),
            Tensor::Dealloc { column, columns } => {
                let cells = TensorCells { block: warp.block, lanes: u128::MAX, column, columns };
                let Some(new) = self.operation((warp, site, mask), None, u128::MAX) else { return };
                self.judge_tensor(&new, cells);
                let of_block = self.tensor.blocks.entry(by.0).or_default();
                of_block.of(column, columns).for_each(|(_, column)| column.clear());
            }
            Tensor::Access { op, action, pair, cells, writes } => {
                let how = Some((op, action, pair, writes));
                let Some(new) = self.operation((warp, site, mask), how, cells.lanes) else { return };
                self.judge_tensor(&new, cells);
                self.keep_tensor(&new, cells);
                if !action.moves() {
                    self.remember_issue(new.by, op);
                }
            }
        }
    }

    /// Keeps what a thread knows as it issues an operation that its commits track. What it does afterwards is not
    /// part of that.
    fn remember_issue(&mut self, by: Who, op: AsyncOpId) {
        let key = (by.block, by.warp, by.lane);
        if self.tensor.issued.get(&key).is_some_and(|(last, _)| *last == op) {
            return;
        }
        let state = self.block(by.block);
        let Some(warp) = state.warps.get(usize::from(by.warp)) else { return };
        let known = Shared::from(warp.snapshot(by));
        state.advance(by.warp);
        self.tensor.issued.insert(key, (op, known));
    }

    /// A commit of operations on tensor memory arrives at an mbarrier when they are complete, and carries what
    /// precedes them in causality order.
    pub(super) fn commits(&mut self, warp: Warp, lane: u8, ops: &[AsyncOpId], at: (Space, u64), phase: u64) {
        let key = (warp.block.0, warp.warp.0, lane);
        let Some((last, known)) = self.tensor.issued.get(&key) else { return };
        if ops.contains(last) {
            let cluster = self.launch.cluster_of(key.0);
            self.objects.carry(at, phase, (key.0, cluster), known);
        }
    }

    /// Returns the operation of an event; a deallocation, without an operation of its own, is a store.
    fn operation(
        &mut self,
        (warp, site, mask): (Warp, SiteId, LaneMask),
        how: Option<(AsyncOpId, TensorAction, bool, bool)>,
        cells: u128,
    ) -> Option<Operation> {
        let by = Who { block: warp.block.0, warp: warp.warp.0, lane: mask.trailing_zeros() as u8 & 31 };
        let tick = self.block(by.block).warps.get(usize::from(by.warp))?.tick;
        let (op, action, pair, writes) = how
            .map_or((None, TensorAction::Store, false, true), |(op, action, pair, writes)| {
                (Some(op), action, pair, writes)
            });
        let number = op.map_or(u32::MAX, |op| lock(&self.launch.ops).number(op));
        self.tensor.turn += 1;
        let turn = self.tensor.turn;
        if matches!(action, TensorAction::Product(_)) {
            self.tensor.products.insert((by.block, by.warp, by.lane), turn);
        }
        Some(Operation { number, action, pair, writes, cells, by, lanes: mask, tick, site, turn })
    }

    /// Reports the operations before that race with a new one.
    fn judge_tensor(&mut self, new: &Operation, cells: TensorCells) {
        let mut raced: Vec<(Operation, u16)> = Vec::new();
        let Some(own) = self.blocks.get(new.by.block) else { return };
        let Some(warp) = own.warps.get(usize::from(new.by.warp)) else { return };
        let ops = lock(&self.launch.ops);
        // An operation is in many columns, and is judged once.
        let mut judged: Vec<(u32, u64, bool)> = Vec::new();
        let mut history = self.tensor.blocks.remove(&cells.block.0).unwrap_or_default();
        for (column, kept) in history.of(cells.column, cells.columns) {
            for old in kept.iter().filter(|old| old.conflicts(new)) {
                let key = (old.number, old.turn);
                if judged.iter().any(|&(number, turn, _)| (number, turn) == key) {
                    continue;
                }
                let ordered = self.tensor.pipelined(old, new) && warp.knows_issue(new.by, old.by, old.tick)
                    || completed(&ops, warp, old, new);
                judged.push((old.number, old.turn, ordered));
                if !ordered {
                    raced.push((*old, column));
                }
            }
        }
        // The new operation stands for older ones that it is ordered behind and whose cells it covers.
        for (_, kept) in history.of(cells.column, cells.columns).filter(|_| new.writes) {
            kept.retain(|old| {
                let ordered = judged
                    .iter()
                    .any(|&(number, turn, ordered)| ordered && (number, turn) == (old.number, old.turn));
                !ordered || old.cells & !new.cells != 0
            });
        }
        drop(ops);
        self.tensor.blocks.insert(cells.block.0, history);
        for (old, column) in raced {
            self.report_tensor(&old, new, cells.block, column);
        }
    }

    fn keep_tensor(&mut self, new: &Operation, cells: TensorCells) {
        let history = self.tensor.blocks.entry(cells.block.0).or_default();
        for (_, kept) in history.of(cells.column, cells.columns) {
            kept.retain(|old| !old.is_repeated_by(new));
            kept.push(*new);
        }
    }

    fn report_tensor(&mut self, old: &Operation, new: &Operation, block: BlockId, column: u16) {
        let gap = self.gap(old, new);
        let lane = (old.cells & new.cells).trailing_zeros();
        let entry = |of: &Operation| {
            let kind = match (of.number, of.writes) {
                (u32::MAX, _) => AccessKind::Write,
                (_, true) => AccessKind::AsyncWrite { op: AsyncOpId(0) },
                (_, false) => AccessKind::AsyncRead { op: AsyncOpId(0) },
            };
            Entry {
                block: of.by.block,
                tick: of.number,
                lanes: 1 << of.by.lane,
                site: of.site,
                warp: of.by.warp,
                bytes: 0xf,
                class: AccessClass::with(kind, Strength::Weak),
                chain: 0,
                place: 0,
            }
        };
        let id =
            |of: &Operation| if of.number == u32::MAX { 0 } else { lock(&self.launch.ops).id(of.number) };
        let (first, second) = (entry(old), entry(new));
        let race = Race {
            task: self.launch.task,
            space: Space::Tensor(block),
            cell: u64::from(lane) << 16 | u64::from(column),
            old: &first,
            lanes: first.lanes,
            new: &second,
            me: new.by,
            either_first: false,
            ops: [id(old), id(new)],
            level: Level::Race,
        };
        let mut notes: Vec<SyncNote> = self.narrow_handover(gap, new).into_iter().collect();
        notes.push(SyncNote::Tensor(gap));
        let side = |of: &Operation, op: u64| (of.by.at(), (of.number != u32::MAX).then_some(AsyncOpId(op)));
        let sides = [side(old, race.ops[0]), side(new, race.ops[1])];
        let state = self.clues.hear(|clues| clues.stages.pipeline(race.space, sides[0], sides[1]));
        notes.extend(state.map(|state| SyncNote::Pipeline(Box::new(state))));
        self.launch.sink.race(&race, (Class::TensorMemory, notes).into());
    }

    /// Returns the arrival or wait by which a peer handed tensor memory over to a thread that did not wait for the operation itself, if
    /// its scope does not reach the other block.
    fn narrow_handover(&mut self, gap: TensorGap, new: &Operation) -> Option<SyncNote> {
        if !matches!(gap, TensorGap::Phase | TensorGap::Threads) || !self.is_clustered() {
            return None;
        }
        let (site, scope, _) = self.clues.hear(|clues| clues.narrow_handover(new.by.at()))?;
        let needed = Scope::Cluster;
        (scope < needed).then_some(SyncNote::ScopeTooNarrow { site, scope, needed })
    }

    /// Returns what is missing between two operations.
    fn gap(&mut self, old: &Operation, new: &Operation) -> TensorGap {
        let pipelined = self.tensor.pipelined(old, new);
        let ops = lock(&self.launch.ops);
        if !pipelined && !ops.is_awaited(old.number) {
            return match old.action {
                TensorAction::Load => TensorGap::Load,
                TensorAction::Store => TensorGap::Store,
                _ => TensorGap::Commit,
            };
        }
        let state = self.blocks.get_mut(new.by.block);
        let warp = state.and_then(|state| state.warps.get_mut(usize::from(new.by.warp)));
        let observed = warp.is_some_and(|warp| ops.is_in(&warp.observed(new.lanes), old.number));
        match (observed, pipelined, old.action.moves()) {
            (true, ..) => TensorGap::After,
            (_, true, _) => TensorGap::Before,
            (.., true) => TensorGap::Threads,
            _ => TensorGap::Phase,
        }
    }

    /// `tcgen05.alloc` stores an address in shared memory, which all threads of the warp may read at once.
    fn stores_tensor_address(&mut self, warp: Warp, site: SiteId, address: u64) {
        let access = Access {
            warp,
            site,
            space: Space::Shared(warp.block),
            kind: AccessKind::Write,
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size: 4,
            elements: 1,
            mask: 1,
            addresses: &[address; 32],
            stride: None,
            stored: 1,
            values: None,
            written: Written::Unknown,
        };
        if let Some(initial) = &mut self.initial {
            initial.access(&access, &self.launch.sink);
        }
        self.access_as(&access, AccessClass::MALLOC);
    }
}
