//! The stages of pipelines: mbarriers with their phases and transaction counts, and groups of matrix products. For explanations
//! only.

use super::Place;
use crate::ptx::access::thread::index;
use clocks::compressed::WarpIndex;
use events::pipeline::{BARRIERS, Barrier, Handover, Party, Phase, Pipeline};
use events::sync::NO_PHASE;
use events::{AsyncOpId, BlockId, Location, Space, Sync, WarpId};
use rustc_hash::FxHashMap;

/// Entries kept in each table.
const BOUND: usize = 1 << 16;

/// The number of phases, and of warps in each part, that are kept of an mbarrier.
const KEPT: usize = 8;

/// One side of a race: its warp, and its asynchronous operation if it is one.
pub(crate) type Accessor = (WarpIndex, Option<AsyncOpId>);

#[derive(Debug, Default)]
pub(crate) struct Stages {
    objects: FxHashMap<Place, Barrier>,
    /// The mbarrier at which an operation completes, and the phase in which it did.
    completions: FxHashMap<AsyncOpId, (Place, Option<u64>)>,
    groups: FxHashMap<AsyncOpId, u32>,
    /// The number of groups that each warp has committed, and of those that it has waited for.
    products: FxHashMap<WarpIndex, (u32, u32)>,
}

impl Stages {
    /// Returns whether the event says something of stages.
    pub(crate) const fn concerns(sync: &Sync<'_>) -> bool {
        matches!(
            sync,
            Sync::MbarrierInit { .. }
                | Sync::MbarrierInval { .. }
                | Sync::MbarrierTouch { op: Some(_), .. }
                | Sync::MbarrierBytes { .. }
                | Sync::MbarrierArrive { .. }
                | Sync::MbarrierWait { .. }
                | Sync::MbarrierCompleteTx { .. }
                | Sync::AsyncArrive { .. }
                | Sync::ProductCommitted { .. }
                | Sync::AsyncWaited { together: true, .. }
        )
    }

    /// Bytes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        self.objects.capacity() * (size_of::<(Place, Barrier)>() + 4 * KEPT * size_of::<Party>())
            + self.completions.capacity() * size_of::<(AsyncOpId, (Place, Option<u64>))>()
            + self.groups.capacity() * size_of::<(AsyncOpId, u32)>()
    }

    /// Forgets the objects of a block that has ended.
    pub(crate) fn end_block(&mut self, block: u32) {
        if !self.objects.is_empty() {
            self.objects.retain(|(space, _), _| *space != Space::Shared(BlockId(block)));
        }
        if !self.products.is_empty() {
            self.products.retain(|warp, _| warp.block != block);
        }
    }

    pub(crate) fn hear(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::MbarrierInit { space, address, expected, .. } => {
                self.objects.remove(&(space, address));
                self.object((space, address)).count = expected;
            }
            Sync::MbarrierInval { space, address, .. } => {
                self.objects.remove(&(space, address));
            }
            Sync::MbarrierTouch { warp, space, address, op: Some(op), .. } => {
                let object = self.object((space, address));
                let phase = object.phases.last().map_or(0, |phase| phase.number);
                put(&mut object.issuers, party(index(warp), phase));
                bounded(&mut self.completions).insert(op, ((space, address), None));
            }
            Sync::MbarrierBytes { space, address, phase, bytes, received, .. } => {
                let counts = phase_of(self.object((space, address)), phase);
                let count = if received { &mut counts.received } else { &mut counts.expected };
                *count += u64::from(bytes);
            }
            Sync::MbarrierArrive { warp, space, address, phase, .. } => {
                let object = self.object((space, address));
                phase_of(object, phase);
                put(&mut object.arrivals, party(index(warp), phase));
            }
            Sync::MbarrierWait { warp, space, address, phase, .. } => {
                put(&mut self.object((space, address)).waits, party(index(warp), phase));
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                self.completes((space, address), phase, op);
            }
            Sync::AsyncArrive { warp, ops, space, address, phase, .. } if !ops.is_empty() => {
                let object = self.object((space, address));
                put(&mut object.issuers, party(index(warp), phase));
                ops.iter().for_each(|&op| self.completes((space, address), phase, op));
            }
            Sync::ProductCommitted { warp, op, group, .. } => {
                bounded(&mut self.groups).insert(op, group);
                self.products.entry(index(warp)).or_default().0 = group + 1;
            }
            Sync::AsyncWaited { warp, ops, together: true, .. } => {
                let last = ops.iter().filter_map(|op| self.groups.get(op)).max();
                if let Some(&last) = last {
                    let waited = &mut self.products.entry(index(warp)).or_default().1;
                    *waited = (*waited).max(last + 1);
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, at: Place) -> &mut Barrier {
        let location = Location { space: at.0, address: at.1 };
        bounded(&mut self.objects).entry(at).or_insert_with(|| Barrier {
            at: location,
            count: 0,
            phases: Vec::new(),
            issuers: Vec::new(),
            arrivals: Vec::new(),
            waits: Vec::new(),
        })
    }

    fn completes(&mut self, at: Place, phase: u64, op: AsyncOpId) {
        phase_of(self.object(at), phase);
        bounded(&mut self.completions).insert(op, (at, Some(phase)));
    }

    /// Returns the state of the block's pipeline beside a race of its memory; `None` if the block has none.
    pub(crate) fn pipeline(&self, space: Space, first: Accessor, second: Accessor) -> Option<Pipeline> {
        let block = match space {
            Space::Shared(block) | Space::Tensor(block) => block,
            Space::Global => BlockId(second.0.block),
        };
        let handover =
            self.by_operation(first, second.0).unwrap_or_else(|| self.by_arrival(first.0, second.0));
        let mut barriers: Vec<Barrier> =
            self.objects.values().filter(|object| object.at.space == Space::Shared(block)).cloned().collect();
        barriers.sort_unstable_by_key(|barrier| barrier.at.address);
        if let Handover::Phase { barrier, .. } = handover
            && let Some(place) = barriers.iter().position(|of| of.at == barrier)
        {
            barriers.drain(..place.saturating_sub(BARRIERS / 2));
        }
        barriers.truncate(BARRIERS);
        (handover != Handover::Unknown || !barriers.is_empty()).then_some(Pipeline { handover, barriers })
    }

    /// Returns the groups of matrix products of a warp; `None` if it has not committed one.
    pub(crate) fn products(&self, warp: WarpIndex) -> Option<Pipeline> {
        let &(committed, waited) = self.products.get(&warp)?;
        let handover = Handover::Group { group: None, committed, waited };
        Some(Pipeline { handover, barriers: Vec::new() })
    }

    /// Returns what tells of the completion of the first side's asynchronous operation.
    fn by_operation(&self, (by, op): Accessor, to: WarpIndex) -> Option<Handover> {
        let op = op?;
        if let Some(&(at, phase)) = self.completions.get(&op) {
            let object = self.objects.get(&at)?;
            let phase = phase.or_else(|| object.phases.last().map(|phase| phase.number)).or(Some(0));
            return Some(Handover::Phase { barrier: object.at, phase, waited: waited(object, to) });
        }
        let &(committed, own) = self.products.get(&by)?;
        let waited = self.products.get(&to).map_or(own, |of| of.1);
        Some(Handover::Group { group: self.groups.get(&op).copied(), committed, waited })
    }

    /// Returns the mbarrier at which the first side's warp arrives and for which the second side's waits: of several, the one
    /// with the latest phase for which that has waited.
    fn by_arrival(&self, from: WarpIndex, to: WarpIndex) -> Handover {
        let arrived = |object: &Barrier| last(&object.arrivals, from);
        let mut both: Vec<&Barrier> =
            self.objects.values().filter(|o| arrived(o).is_some() && last(&o.waits, to).is_some()).collect();
        both.sort_unstable_by_key(|object| object.at.address);
        let behind =
            |object: &&&Barrier| waited(object, to).filter(|phase| *phase != NO_PHASE).map(|phase| phase + 1);
        let alone = || {
            let mut all: Vec<&Barrier> = self
                .objects
                .values()
                .filter(|o| o.issuers.is_empty() && (arrived(o).is_some() || last(&o.waits, to).is_some()))
                .collect();
            all.sort_unstable_by_key(|object| object.at.address);
            all.first().copied()
        };
        match both.iter().max_by_key(behind).copied().or_else(alone) {
            Some(object) => {
                Handover::Phase { barrier: object.at, phase: arrived(object), waited: waited(object, to) }
            }
            None => Handover::Unknown,
        }
    }
}

fn party(warp: WarpIndex, phase: u64) -> Party {
    Party { block: BlockId(warp.block), warp: WarpId(warp.warp), phase }
}

fn is(party: &Party, warp: WarpIndex) -> bool {
    (party.block.0, party.warp.0) == (warp.block, warp.warp)
}

fn last(parties: &[Party], warp: WarpIndex) -> Option<u64> {
    parties.iter().find(|party| is(party, warp)).map(|party| party.phase)
}

fn waited(object: &Barrier, warp: WarpIndex) -> Option<u64> {
    last(&object.waits, warp)
}

/// Replaces the warp's entry, or adds one if there is room.
fn put(parties: &mut Vec<Party>, new: Party) {
    match parties.iter().position(|old| (old.block, old.warp) == (new.block, new.warp)) {
        Some(at) => parties[at] = new,
        None if parties.len() < KEPT => parties.push(new),
        None => {}
    }
}

/// Returns the counts of a phase; the oldest of many is forgotten.
fn phase_of(object: &mut Barrier, number: u64) -> &mut Phase {
    let at = object.phases.iter().position(|phase| phase.number == number).unwrap_or_else(|| {
        if object.phases.len() >= KEPT {
            object.phases.remove(0);
        }
        object.phases.push(Phase { number, ..Phase::default() });
        object.phases.len() - 1
    });
    &mut object.phases[at]
}

fn bounded<K, V>(table: &mut FxHashMap<K, V>) -> &mut FxHashMap<K, V> {
    if table.len() > BOUND {
        table.clear();
    }
    table
}
