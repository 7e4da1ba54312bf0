//! Lens `hirace`: a state machine for each datum, after *HiRace: Accurate and Fast Data Race
//! Checking for GPU Programs* (Jacobson, Burtscher, Gopalakrishnan; SC 2024).
//!
//! **Followed:** one 64-bit word for each datum ([`word`]), which names the last thread, its
//! barriers, and one of 25 states; the next state is looked up by state, operation, barriers
//! since, and how the two threads are related. The table is worked out from what the states
//! mean ([`states`]), not copied. Global and shared memory are checked; a datum is a word of
//! four bytes until one of its page's bytes is accessed by itself. A datum that raced is not
//! followed any further (state RACE), unless [`HiraceOptions::restart`] is set.
//!
//! **Deviations:** barriers of some of a warp's lanes are understood (the released code leaves
//! them out): a warp's barriers keep their masks, and the word's last field tells which lanes
//! the barrier behind it covered, or which lanes share the datum. Where an identifier or a counter does not fit its field,
//! the access is left out and the verdict says so; the released code stops silently. Strong
//! loads and stores with a scope count as atomics. Barriers of a part of the block count as
//! block barriers.
//!
//! **Guarantee:** on launches that synchronise by barriers of whole blocks and whole warps and
//! by atomics only, a datum is in state RACE exactly if two of its accesses race. With barriers
//! of some of a warp's lanes no race is missed, but an order that takes two of them, one for
//! each of two readers, is not seen. Fences, locks,
//! messages, and barriers of clusters and grids are unknown to HiRace: accesses that they
//! order are reported.

pub mod barriers;
mod pages;
pub mod states;
#[cfg(test)]
mod tests;
pub mod word;

use crate::lens::elements::elements;
use crate::lens::pairs::{Moment, Pairs};
use crate::lens::serial::{Lens, Overlooks};
use crate::lens::shard::Shard;
use crate::lens::witness::{OperationId, Operations, Witness};
use barriers::{Barriers, Counts, Lanes, Place};
use clocks::compressed::{Shape, WarpIndex};
use events::observer::Footprint;
use events::task::LaunchInfo;
use events::{
    Access, AccessKind, BarrierMembers, Class, Finding, Scope, Strength, Sync, SyncNote, TaskId, ThreadId,
};
use names::lens::HiraceOptions;
use pages::{Datum, PAGE, PAGE_SHIFT, Page, Pages};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use states::{Barrier, Extent, Operation, State, Table};
use word::{Fields, MAX_BLOCK, MAX_THREAD, Word};

/// The detector.
pub struct Hirace {
    options: HiraceOptions,
    table: Table,
    operations: Operations,
    pairs: Pairs,
    shard: Shard,
    launches: FxHashMap<TaskId, Launch>,
    /// The memory of a launch that has ended.
    spare: Pages,
    overflowed: bool,
    foreign: bool,
}

struct Launch {
    shape: Shape,
    barriers: Barriers,
    pages: Pages,
}

impl Hirace {
    pub fn new(options: HiraceOptions) -> Self {
        Hirace {
            options,
            table: Table::generate(),
            operations: Operations::default(),
            pairs: Pairs::new("hirace"),
            shard: Shard::WHOLE,
            launches: FxHashMap::default(),
            spare: Pages::default(),
            overflowed: false,
            foreign: false,
        }
    }

    fn launch_of(&mut self, task: TaskId) -> &mut Launch {
        self.launches.entry(task).or_insert_with(Launch::unknown)
    }

    /// Accesses to bytes of one page, which are the shard's.
    fn spans(&mut self, access: &Access<'_>, spans: &[Span], id: OperationId) {
        let (task, operation) = (access.warp.task, operation(access));
        let Launch { shape, barriers, pages } = self.launches.entry(task).or_insert_with(Launch::unknown);
        let place = (access.space, spans[0].page());
        let at = WarpIndex { block: access.warp.block.0, warp: access.warp.warp.0 };
        let now = Now { shape, at, counts: barriers.counts(at), place };
        let (step, data) = pages.data(place, spans[0].is_of_bytes());
        for &Span { thread, from, to } in spans {
            self.pairs.advance();
            if !now.fits(thread) {
                self.overflowed = true;
                continue;
            }
            let mut reported = false;
            for address in (from..to).step_by(step as usize) {
                let datum = &mut data[(address % PAGE / step) as usize];
                let witness = Witness::new(id, access.warp.block, thread, from, address);
                let (fields, barrier, relation) = barriers.judge(&now, datum, thread);
                let state = self.table.next(fields.state, operation, barrier, relation);
                let race = state == State::RACE && fields.state != State::RACE;
                if race && !reported {
                    reported = true;
                    let earlier = datum.earlier(&witness, fields.state, barrier);
                    let class = class(&self.operations, &earlier, &witness, operation, access);
                    let rule = format!(
                        "HiRace: {:?} × {operation:?} × barrier {barrier:?} × {relation:?}",
                        fields.state
                    );
                    let sides = [&earlier, &witness].map(|w| self.operations.side(task, address, w));
                    let note = || vec![SyncNote::Rule(rule)];
                    self.pairs.report(class, false, access.space, sides, note);
                }
                let state = if race && self.options.restart {
                    self.table.next(State::INIT, operation, Barrier::None, Extent::Thread)
                } else {
                    state
                };
                datum.word = barriers.record(&now, thread, state, &fields, barrier);
                if datum.last.thread() != thread || datum.last.block() != access.warp.block {
                    datum.other = datum.last;
                }
                datum.last = witness;
                if operation != Operation::Read {
                    datum.writer = witness;
                }
            }
        }
    }
}

/// One thread's access to the bytes `from..to`, which lie in one page.
#[derive(Clone, Copy)]
struct Span {
    thread: ThreadId,
    from: u64,
    to: u64,
}

impl Span {
    fn page(&self) -> u64 {
        self.from / PAGE
    }

    /// Returns whether the access needs a state for each byte.
    fn is_of_bytes(&self) -> bool {
        !self.from.is_multiple_of(4) || !self.to.is_multiple_of(4)
    }

    fn goes_with(&self, next: &Span) -> bool {
        self.page() == next.page() && self.is_of_bytes() == next.is_of_bytes()
    }
}

impl Datum {
    /// The access to name beside the one that raced.
    fn earlier(&self, witness: &Witness, state: State, barrier: Barrier) -> Witness {
        let own = |w: &Witness| w.thread() == witness.thread() && w.block() == witness.block();
        let definition = state.definition();
        let behind = definition.before.is_some() && barrier != Barrier::None;
        let candidates =
            if behind { [self.writer, self.last, self.other] } else { [self.last, self.other, self.writer] };
        let found = candidates.iter().find(|w| w.is_somebody() && !own(w));
        found.copied().unwrap_or(self.last)
    }
}

/// A warp that makes an access to a page of data, and the barriers it has behind it.
struct Now<'a> {
    shape: &'a Shape,
    at: WarpIndex,
    counts: Counts,
    place: Place,
}

impl Now<'_> {
    /// Returns whether the thread's identifiers and counters fit a word.
    fn fits(&self, thread: ThreadId) -> bool {
        self.at.block <= MAX_BLOCK && u32::from(thread.0) <= MAX_THREAD && self.counts.fit()
    }
}

impl Barriers {
    /// The synchronisation between a datum's last access and this one.
    #[inline]
    fn judge(&self, now: &Now<'_>, datum: &Datum, thread: ThreadId) -> (Fields, Barrier, Extent) {
        let at = now.at;
        let fields = datum.word.unpack();
        let last = ThreadId(fields.thread);
        let relation = if u32::from(fields.block) != at.block {
            Extent::Grid
        } else if last == thread {
            Extent::Thread
        } else if last.warp() == thread.warp() {
            Extent::Warp
        } else {
            Extent::Block
        };
        if relation == Extent::Grid || fields.state == State::INIT {
            return (fields, Barrier::None, relation);
        }
        if u32::from(fields.block_barriers) != now.counts.block {
            return (fields, Barrier::Block, relation);
        }
        if relation == Extent::Block {
            return (fields, Barrier::None, relation);
        }
        let live = now.shape.lanes(at.warp);
        let lanes = self.lanes(at, now.place, fields.lanes);
        let spread = match fields.state.definition().now {
            Some((_, Extent::Thread)) | None => 1 << last.lane(),
            _ => lanes.now & live,
        };
        let known = self.known(at, u32::from(fields.warp_barriers), thread.lane());
        let later = u32::from(fields.warp_barriers) != now.counts.warp;
        let synchronised = later && spread & !known == 0;
        let inside = lanes.before >> thread.lane() & 1 != 0;
        if fields.state.definition().before == Some(Extent::Warp) && !inside && !synchronised {
            // A lane that the earlier barrier did not cover is no better than another warp.
            return (fields, Barrier::None, Extent::Block);
        }
        (fields, if synchronised { Barrier::Warp } else { Barrier::None }, relation)
    }

    /// The datum's word after the access.
    #[inline]
    fn record(
        &mut self,
        now: &Now<'_>,
        thread: ThreadId,
        state: State,
        before: &Fields,
        barrier: Barrier,
    ) -> Word {
        let at = now.at;
        let last = ThreadId(before.thread);
        let old = self.lanes(at, now.place, before.lanes);
        let new = state.definition();
        let mut lanes = Lanes::ALL;
        if new.before == Some(Extent::Warp) {
            lanes.before = match barrier {
                Barrier::Warp => self.knowing(at, u32::from(before.warp_barriers), last.lane()),
                _ => old.before,
            };
        }
        if matches!(new.now, Some((_, Extent::Warp))) {
            let one = matches!(before.state.definition().now, Some((_, Extent::Thread)));
            let others = if one { 1 << last.lane() } else { old.now };
            lanes.now = others | 1 << thread.lane();
        }
        let fields = Fields {
            thread: thread.0,
            block: at.block as u16,
            state,
            block_barriers: now.counts.block as u16,
            warp_barriers: now.counts.warp as u16,
            lanes: self.index(at, now.place, lanes, now.shape.lanes(at.warp)),
        };
        Word::pack(&fields)
    }
}

impl Launch {
    fn new(shape: Shape, pages: Pages) -> Self {
        Launch { shape, barriers: Barriers::default(), pages }
    }

    /// Launches are told of before their events; this is for streams that are not.
    fn unknown() -> Self {
        Launch::new(Shape { blocks: u32::MAX, threads_per_block: 1024 }, Pages::default())
    }
}

fn operation(access: &Access<'_>) -> Operation {
    let scoped = |scope| match scope {
        Scope::Cta | Scope::Cluster => Operation::BlockAtomic,
        Scope::Gpu | Scope::Sys => Operation::GlobalAtomic,
    };
    match (access.kind, access.strength) {
        (_, Strength::Strong { scope, .. }) => scoped(scope),
        (AccessKind::Atomic { .. }, _) => Operation::GlobalAtomic,
        (kind, _) if kind.writes() => Operation::Write,
        _ => Operation::Read,
    }
}

fn class(
    operations: &Operations,
    earlier: &Witness,
    later: &Witness,
    operation: Operation,
    access: &Access<'_>,
) -> Class {
    let atomic = |strength: Strength, kind: AccessKind| {
        matches!(strength, Strength::Strong { .. }) || matches!(kind, AccessKind::Atomic { .. })
    };
    let first = operations.get(earlier.operation());
    let (a, b) = (atomic(first.strength, first.kind), atomic(access.strength, access.kind));
    if a || b {
        if a && b { Class::AtomicScope } else { Class::WeakVsAtomic }
    } else if earlier.block() != later.block() {
        Class::InterBlock
    } else if earlier.thread().warp() != later.thread().warp() {
        Class::MissingBarrier
    } else if earlier.operation() == later.operation() && operation == Operation::Write {
        Class::SameInstruction
    } else {
        Class::DivergentWarp
    }
}

impl Lens for Hirace {
    fn name(&self) -> &'static str {
        "hirace"
    }

    fn overlooks(&self) -> Overlooks {
        Overlooks::default()
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        self.foreign |= info.uses.fences_or_strong || info.uses.cluster || info.uses.asynchronous;
        let blocks = info.grid.count().min(u64::from(u32::MAX)) as u32;
        let shape = Shape { blocks, threads_per_block: info.block.count() as u32 };
        self.launches.insert(task, Launch::new(shape, std::mem::take(&mut self.spare)));
    }

    fn finish(&mut self, task: TaskId) {
        if let Some(launch) = self.launches.remove(&task) {
            self.spare = launch.pages;
            self.spare.clear();
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(spans) = self.shard.foreign(access, PAGE_SHIFT) {
            self.pairs.advance_by(spans);
            return;
        }
        let id = self.operations.intern(access);
        let mut spans: SmallVec<[Span; 32]> = SmallVec::new();
        for element in elements(access) {
            let (thread, mut from) = (element.thread, element.address);
            let end = from.saturating_add(u64::from(element.bytes.max(1)));
            while from < end {
                let to = end.min((from / PAGE * PAGE).saturating_add(PAGE));
                spans.push(Span { thread, from, to });
                from = to;
            }
        }
        for spans in spans.chunk_by(Span::goes_with) {
            if self.shard.owns(access.space, spans[0].from) {
                self.spans(access, spans, id);
            } else {
                self.pairs.advance_by(spans.len() as u64);
            }
        }
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::WarpSync { warp, lanes, .. } => {
                let at = WarpIndex { block: warp.block.0, warp: warp.warp.0 };
                self.launch_of(warp.task).barriers.warp_barrier(at, lanes);
            }
            Sync::BarrierComplete { task, members: BarrierMembers::Some(members), .. } => {
                let barriers = &mut self.launch_of(task).barriers;
                let mut blocks: Vec<u32> = members.iter().map(|m| m.block.0).collect();
                blocks.sort_unstable();
                blocks.dedup();
                for block in blocks {
                    barriers.block_barrier(block);
                }
            }
            Sync::BarrierComplete { task, block, members: BarrierMembers::WholeBlock, .. } => {
                self.launch_of(task).barriers.block_barrier(block.0)
            }
            Sync::BlockEnd { task, block } => {
                let launch = self.launch_of(task);
                launch.barriers.block_end(block.0);
                launch.pages.block_end(block.0);
            }
            _ => {}
        }
    }

    fn forget(&mut self, base: u64, bytes: u64) {
        let range = base..base.saturating_add(bytes);
        for launch in self.launches.values_mut() {
            launch.pages.forget(range.clone());
        }
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.pairs.take()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.pairs.so_far()
    }

    fn restrict(&mut self, shard: Shard) -> bool {
        self.shard = shard;
        true
    }

    fn take_dated(&mut self) -> Vec<(Moment, Finding)> {
        self.pairs.take_dated()
    }

    fn limits(&self) -> Vec<String> {
        let limit = "hirace left out accesses whose block or barrier count exceeds its fields";
        if self.overflowed { vec![limit.to_owned()] } else { Vec::new() }
    }

    fn scope(&self) -> Vec<String> {
        let mut scope = vec!["hirace finds races within one kernel launch only".to_owned()];
        if self.foreign {
            scope.push("hirace does not know fences, messages and locks, which a kernel uses".to_owned());
        }
        scope
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        for pages in self.launches.values().map(|launch| &launch.pages) {
            for page in pages.global.values().chain(pages.shared.values().flat_map(|p| p.values())) {
                let data = if let Page::Words(_) = page { PAGE / 4 } else { PAGE };
                footprint.shadow_bytes += data * size_of::<Datum>() as u64;
                footprint.touched_bytes += PAGE;
            }
        }
        footprint
    }
}
