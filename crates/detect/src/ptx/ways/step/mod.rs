//! One access on its way through pages, lines, words and cells.
//!
//! **Size:** the judgements of one access share the borrows of `Step`.

mod counters;
pub(super) mod descent;
mod mbarriers;
mod patterns;
mod word_lanes;

use crate::ptx::access::entry::{Entry, witness};
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::{Touch, Touches};
use crate::ptx::clues::Kept;
use crate::ptx::history::cell::{Cell, Observer};
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::words::packing::Kinds;
use crate::ptx::launch::Launch;
use crate::ptx::launch::ordering::Order;
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::{BlockState, WarpState};
use crate::ptx::order::release::View;
use crate::ptx::report::classify;
use crate::ptx::report::counts::{Alike, Known};
use crate::ptx::report::sink::Race;
use crate::ptx::ways::pager::Pager;
use crate::ptx::ways::shape::{Run, Strided};
use crate::shadow::lock;
use events::{AsyncOpId, BlockId, Class, Dim3, LaneMask, Level, Space, SyncNote, is_one_lane};
use std::cell::RefCell;
use std::sync::Mutex;

/// The write of an atomic: its chain, the place of its first lane there, and what its lanes observed.
struct Placed {
    chain: u32,
    place: u32,
    observed: Option<Observer>,
}

/// Returns the bytes of a stamp that a line cannot take.
#[cold]
pub(crate) fn entries(line: u64, stamp: &Stamp) -> Touches {
    let mut touches = Touches::new();
    stamp.entries(|cell, e| {
        touches.push(Touch { cell: line * 8 + cell as u64, bytes: e.bytes, lanes: e.lanes });
    });
    touches
}

/// Those of one cell together.
fn by_cell(touches: &[Touch]) -> impl Iterator<Item = &[Touch]> {
    touches.chunk_by(|a, b| a.cell == b.cell)
}

/// One access on its way through the cells.
pub(crate) struct Step<'a> {
    pub(crate) state: &'a mut BlockState,
    pub(crate) order: &'a Order,
    pub(crate) launch: &'a Launch,
    pub(crate) clues: &'a Mutex<Kept>,
    pub(crate) kinds: &'a mut Kinds,
    pub(crate) known: &'a RefCell<Known>,
    pub(crate) space: Space,
    pub(crate) new: Entry,
    /// Bytes of new shadow state.
    pub(crate) grown: usize,
    /// For a write whose lanes overlap: see [`events::Access::differing`].
    pub(crate) differing: LaneMask,
}

impl Step<'_> {
    /// Runs of neighbouring lanes, line by line.
    pub(crate) fn runs(&mut self, pager: &mut Pager<'_>, runs: &[Run], bytes: u64, simple: bool) {
        let Entry { tick, site, class, .. } = self.new;
        let stamp = Stamp::new(self.new.at(), tick, site, class);
        for run in runs {
            if run.lanes == 1 && self.word(pager, run.address, run.first, bytes) {
                continue;
            }
            run.lines(bytes, &stamp, |number, stamp| self.stamp(pager, number, stamp, simple));
        }
    }

    /// As above, of lanes that leave bytes out between them.
    pub(crate) fn strided(&mut self, pager: &mut Pager<'_>, lanes: &Strided, bytes: u64, simple: bool) {
        let Entry { tick, site, class, .. } = self.new;
        let stamp = Stamp::new(self.new.at(), tick, site, class);
        lanes.lines(bytes, &stamp, |number, stamp| self.stamp(pager, number, stamp, simple));
    }

    fn stamp(&mut self, pager: &mut Pager<'_>, number: u64, stamp: &Stamp, simple: bool) {
        let Some(page) = pager.page(number >> 5, &mut self.grown) else { return };
        let state = &self.state.warps[usize::from(stamp.warp)];
        // In small launches no reads are dropped but those that others are ordered behind.
        let order = (state, simple, self.order.stand());
        let packing = (self.launch.packing.as_ref(), &mut *self.kinds);
        if !page.weak(number as usize, stamp, order, packing, &mut self.grown) {
            self.line(pager, number, stamp);
        }
    }

    /// Judges in cells what a line cannot take.
    pub(crate) fn line(&mut self, pager: &mut Pager<'_>, number: u64, stamp: &Stamp) {
        let (simple, taken) = (self.order.simple, self.launch.sink.taken());
        let page = if self.told_by_ticks() { pager.own(number >> 5) } else { None };
        let Some(page) = page else { return self.touches(pager, &entries(number, stamp)) };
        if page.does_again(number as usize, (stamp, simple), taken) {
            return;
        }
        let begun = page.begins(number as usize, stamp, taken);
        if begun {
            self.known.borrow_mut().listen();
        }
        self.touches(pager, &entries(number, stamp));
        if begun && let Some(page) = pager.own(number >> 5) {
            self.grown += page.ends(number as usize, (stamp, simple), self.known.borrow_mut().heard());
        }
    }

    /// Returns whether nothing but the access and the history decides what it does: ticks then say what threads know.
    fn told_by_ticks(&self) -> bool {
        let plain = self.launch.shortcuts.replay && self.new.class.is_plain();
        plain && !self.launch.info.uses.fences_or_strong && !self.warp().has_clocks()
    }

    pub(crate) fn touches(&mut self, pager: &mut Pager<'_>, touches: &[Touch]) {
        for touches in by_cell(touches) {
            if let Some(cell) = pager.cell(touches[0].cell, &mut self.grown) {
                self.one_cell(&cell, touches);
            }
        }
    }

    fn one_cell(&mut self, cell: &Mutex<Cell>, touches: &[Touch]) {
        let mut cell = lock(cell);
        let before = cell.room();
        if (self.order.own || self.order.orderless) && self.is_own() {
            let behind = (self.new.block, self.warp().all);
            cell.passed(behind.0, behind.1, |entry| self.launch.is_behind(entry, behind));
        }
        self.cell(&mut cell, touches[0].cell * 16, touches);
        self.grown += cell.room().saturating_sub(before);
    }

    /// Returns whether no other block reaches the memory.
    fn is_own(&self) -> bool {
        self.space == Space::Shared(BlockId(self.new.block)) && self.launch.info.cluster == Dim3::ONE
    }

    fn entry(&self, touch: &Touch) -> Entry {
        Entry { lanes: touch.lanes, bytes: touch.bytes, ..self.new }
    }

    /// Judges all of one instruction that is in one cell.
    fn cell(&mut self, cell: &mut Cell, address: u64, touches: &[Touch]) {
        if self.new.class.atomic() {
            let placed: smallvec::SmallVec<[Placed; 4]> =
                touches.iter().map(|t| self.read_modify_write(cell, t)).collect();
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for (touch, &Placed { chain, place, observed }) in touches.iter().zip(&placed) {
                // An observed write is ordered before what comes after the observer, not before the observer itself.
                if let Some(observer) = observed {
                    cell.observed_by(touch.bytes, observer);
                }
                cell.insert(Entry { chain, place, ..self.entry(touch) }, self.warp(), self.order);
            }
        } else if self.new.class.strong() {
            let linked: smallvec::SmallVec<[LaneMask; 4]> =
                touches.iter().map(|t| self.load(cell, t)).collect();
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for (touch, linked) in touches.iter().zip(linked) {
                self.publish(cell, touch, linked);
            }
        } else {
            for touch in touches {
                self.check(cell, address, touch);
            }
            self.check_siblings(address, touches);
            for touch in touches {
                let mut entry = self.entry(touch);
                if entry.class.writes() && cell.strong() {
                    cell.overwrites_weakly(&entry, self.warp(), self.order);
                    (entry.chain, entry.place) = cell.write_weak(&entry);
                }
                cell.insert(entry, self.warp(), self.order);
            }
        }
    }

    fn warp(&self) -> &WarpState {
        &self.state.warps[usize::from(self.new.warp)]
    }

    fn who(&self, lane: u32) -> Who {
        Who { block: self.new.block, warp: self.new.warp, lane: lane as u8 }
    }

    fn check(&self, cell: &Cell, address: u64, touch: &Touch) {
        let new = self.entry(touch);
        let mut last = None::<Alike>;
        cell.check(&new, self.warp(), self.order, |old, lanes, me| {
            let other = old.who(lanes);
            if last.as_mut().is_some_and(|last| last.goes_on(old, other, me)) {
                return;
            }
            self.known.borrow_mut().settle(last.take());
            let counted = self.report(old, lanes, &new, me, address, None);
            last = counted.map(|place| Alike::new(place, old, other, me));
        });
        self.known.borrow_mut().settle(last);
    }

    /// Lanes of this instruction against each other.
    fn check_siblings(&self, address: u64, touches: &[Touch]) {
        if !self.new.class.writes() {
            return;
        }
        for (i, a) in touches.iter().enumerate() {
            let new = self.entry(a);
            let strong = self.new.class.strong();
            if a.lanes.count_ones() > 1 && !strong {
                let first = a.lanes & a.lanes.wrapping_neg();
                let (others, level) = self.differ(a.lanes & !first, 0);
                self.report(&new, first, &new, self.who(others.trailing_zeros()), address, Some(level));
            }
            for b in &touches[i + 1..] {
                // A lane's own elements do not race with each other.
                let others = b.lanes & !(if is_one_lane(a.lanes) { a.lanes } else { 0 });
                if a.bytes & b.bytes != 0 && others != 0 {
                    let (others, level) = self.differ(others, a.lanes);
                    let lane = others.trailing_zeros();
                    let first = a.lanes & !(1 << lane);
                    self.report(&new, first, &self.entry(b), self.who(lane), address, Some(level));
                }
            }
        }
    }

    /// Returns those of `others` that stored another value than the first lane at their bytes, and that this is a race; or all of
    /// them, and that it is a hazard. Lanes that overlap `others` in part, `with`, make it a race if they differ from any.
    fn differ(&self, others: LaneMask, with: LaneMask) -> (LaneMask, Level) {
        match (others & self.differing, with & self.differing) {
            (0, 0) => (others, Level::Hazard),
            (0, _) => (others, Level::Race),
            (differing, _) => (differing, Level::Race),
        }
    }

    /// Records what a strong load observes. Returns the lanes that observed the location's chain.
    fn load(&mut self, cell: &mut Cell, touch: &Touch) -> LaneMask {
        if !self.new.class.reads() {
            cell.prepare(touch.bytes);
            return 0;
        }
        let source = self.source(cell, touch);
        let linked = self.linked(cell, &source);
        if linked != 0 {
            let view = self.view(cell, &source);
            self.acquire(cell, touch.bytes, linked, &view);
        }
        let others = touch.lanes & !linked;
        if others != 0 && self.new.class.sem().acquires() {
            // The last write is out of scope. What their own earlier relaxed reads observed is acquired nevertheless.
            self.acquire(cell, touch.bytes, others, &View::default());
        }
        linked
    }

    /// As `touch`, of the location that it reads from.
    fn source(&self, cell: &Cell, touch: &Touch) -> Touch {
        Touch { bytes: cell.source(touch.bytes, self.new.class), ..*touch }
    }

    fn linked(&self, cell: &mut Cell, touch: &Touch) -> LaneMask {
        cell.linked(touch.bytes, self.new.class, self.who(0), touch.lanes, self.order)
    }

    fn view(&self, cell: &mut Cell, touch: &Touch) -> View {
        cell.view(touch.bytes, self.new.block, self.order.cluster_of(self.new.block))
    }

    /// An atomic, lane after lane: each observes what the one before it wrote, and is given what that one
    /// released.
    fn read_modify_write(&mut self, cell: &mut Cell, touch: &Touch) -> Placed {
        let entry = self.entry(touch);
        let Entry { block, warp, tick, class, .. } = entry;
        let first = touch.lanes & touch.lanes.wrapping_neg();
        let source = self.source(cell, touch);
        let heard = self.linked(cell, &source) & first != 0;
        let fences = cell.overwrites(&entry, self.warp(), self.order);
        let before = if heard { self.view(cell, &source) } else { View::default() };
        let linked = heard && source.bytes == touch.bytes;
        let handed_on = (heard && !linked).then(|| self.hand_on(cell, &source, first));
        let (chain, place) = cell.write(&entry, linked);
        if let Some(released) = handed_on {
            *cell.released(touch.bytes) = released;
        }
        let publishes = self.publishes(cell, touch.bytes);
        let (lanes, seen) = if linked { (touch.lanes, place - 1) } else { (touch.lanes & !first, place) };
        let observed = (class.returns() && lanes != 0).then_some(Observer {
            block,
            tick,
            lanes,
            warp,
            chain,
            place: seen,
            atomic: true,
        });
        if !(class.returns() && heard && source.bytes == touch.bytes) {
            self.meet(if class.returns() && publishes { first } else { touch.lanes }, fences);
        }
        if !publishes {
            if class.returns() && (heard || class.sem().acquires()) {
                self.acquire(cell, touch.bytes, touch.lanes, &before);
            }
        } else if !class.returns() {
            self.release(cell, touch.bytes, touch.lanes);
        } else {
            self.acquire(cell, touch.bytes, first, &before);
            self.release(cell, touch.bytes, first);
            let mut rest = touch.lanes & !first;
            while rest != 0 {
                let lane = rest & rest.wrapping_neg();
                rest &= !lane;
                let view = self.view(cell, touch);
                self.acquire(cell, touch.bytes, lane, &view);
                self.release(cell, touch.bytes, lane);
            }
        }
        Placed { chain, place, observed }
    }

    /// Tells where the race was counted, if that is all that is to be done with it.
    #[cold]
    fn report(
        &self,
        old: &Entry,
        lanes: LaneMask,
        new: &Entry,
        me: Who,
        cell: u64,
        siblings: Option<Level>,
    ) -> Option<usize> {
        if !self.launch.sink.owns(self.space, cell) {
            return None;
        }
        let op = |e: &Entry| if e.class.asynchronous() { lock(&self.launch.ops).id(e.tick) } else { 0 };
        let race = Race {
            task: self.launch.task,
            space: self.space,
            cell,
            old,
            lanes,
            new,
            me,
            either_first: !self.launch.info.uses.blocks_communicate,
            ops: [op(old), op(new)],
            level: siblings.unwrap_or(Level::Race),
        };
        let class = if siblings.is_some() {
            Some(Class::SameInstruction)
        } else if self.launch.info.uses.fences_or_strong {
            None
        } else {
            classify::of_plain(old, new, self.space)
        };
        let counted = class.and_then(|class| self.known.borrow_mut().counts(&self.launch.sink, &race, class));
        if counted.is_none() {
            self.known.borrow_mut().is_new();
            self.launch.sink.race(&race, self.opinion(&race, siblings.is_some()));
        }
        counted
    }

    fn opinion(&self, race: &Race<'_>, siblings: bool) -> classify::Opinion {
        let Race { old, lanes, new, me, .. } = *race;
        if siblings {
            let equal = race.level == Level::Hazard;
            let notes = if equal { vec![SyncNote::EqualValues] } else { Vec::new() };
            return (Class::SameInstruction, notes).into();
        }
        let ordered = if old.class.asynchronous() {
            self.order.knows_op(self.warp(), me, old.tick, old.class.writes())
        } else {
            self.warp().unknown(me, old.block, old.warp, lanes, old.tick) == 0
        };
        let mut clues = lock(self.clues);
        self.state.deferred.tell(self.new.block, &mut clues);
        let heard = (&**clues, self.warp().lockstep);
        let mut opinion = classify::pair((old, lanes), (new, me), self.space, self.order, heard, ordered);
        let op = |e: &Entry, op: u64| e.class.asynchronous().then_some(AsyncOpId(op));
        let sides = [(old.at(), op(old, race.ops[0])), (me.at(), op(new, race.ops[1]))];
        let pipeline = matches!(opinion.class, Class::AsyncCopy | Class::Proxy)
            .then(|| clues.stages.pipeline(self.space, sides[0], sides[1]));
        drop(clues);
        let mut doubted = opinion.doubt.as_mut().map(|doubt| &mut doubt.otherwise.1);
        let lists = [Some(&mut opinion.notes), doubted.take()].into_iter().flatten();
        for notes in lists.filter(|notes| notes.iter().any(|n| matches!(n, SyncNote::SetByAnother { .. }))) {
            // A thread of a block's first warp may do it for all of the block.
            let alone = |warp: u16| warp != 0 || self.state.warps.len() == 1;
            classify::set_for_all(notes, !alone(witness(old.warp)));
            if let Some(mates) = self.state.another_knows(old, lanes, me) {
                classify::known_to_another(notes, mates && alone(me.warp));
            }
        }
        if opinion.class == Class::AsyncCopy
            && old.class.copies()
            && (!old.class.asynchronous()
                || lock(&self.launch.ops).waited_alone(old.tick, old.class.writes()))
        {
            opinion.notes = vec![SyncNote::WaitedAlone];
        }
        opinion.notes.extend(pipeline.flatten().map(|state| SyncNote::Pipeline(Box::new(state))));
        opinion
    }
}
