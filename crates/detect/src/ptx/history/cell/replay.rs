//! Replay of accesses that a cell has judged before.
//!
//! Threads that race in a loop access the same cells by the same instructions, and each access replaces the one
//! before it. The cell then has the same contents as in the last turn, and the access makes the same races. A cell
//! records its last few contents, the accesses that led from one to another, and the races of each.
//!
//! The effect of an access on a cell of plain accesses depends on the cell's contents, on the access, and on what
//! its threads know. Where only barriers order threads, the warp's tick determines what they know.

use super::Cell;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::touches::Touch;
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::WarpState;
use crate::ptx::report::counts::Counted;
use events::LaneMask;
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

/// The largest numbers of recorded contents, and of accesses from one to another.
const CONTENTS: usize = 8;
const TURNS: usize = 4 * CONTENTS;

/// The part of a warp's access that lies in one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    /// The access without its lanes and bytes.
    access: Entry,
    touches: SmallVec<[(Bytes, LaneMask); 4]>,
    /// See [`events::Access::differing`].
    differing: LaneMask,
    /// See [`Context::simple`].
    simple: bool,
}

impl Op {
    /// Returns `None` if the warp's tick does not determine what its threads know.
    pub(in crate::ptx) fn new(
        access: &Entry,
        touches: &[Touch],
        differing: LaneMask,
        (warp, context): (&WarpState, &impl Context),
    ) -> Option<Op> {
        let touches = || touches.iter().map(|touch| (touch.bytes, touch.lanes)).collect();
        let simple = context.simple();
        (!warp.has_clocks()).then(|| Op { access: *access, touches: touches(), differing, simple })
    }
}

/// The recorded contents of a cell.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// See [`Sink::taken`](crate::ptx::report::sink::Sink::taken): where races are counted.
    taken: u32,
    contents: Vec<Vec<Entry>>,
    /// The index of the cell's present contents. Their entry is empty, since the cell has them.
    now: usize,
    turns: Vec<Turn>,
}

/// An access that led from one content to another.
#[derive(Debug)]
struct Turn {
    from: usize,
    op: Op,
    to: usize,
    races: Counted,
}

impl Repeats {
    pub(super) fn bytes(&self) -> usize {
        let contents: usize = self.contents.iter().map(|c| c.capacity() * size_of::<Entry>()).sum();
        size_of::<Self>() + contents + self.turns.capacity() * size_of::<Turn>()
    }
}

impl Cell {
    /// Replays an access and counts its races. Returns whether it is recorded for the cell's contents.
    #[inline]
    pub(in crate::ptx) fn does_again(&mut self, op: &Op, taken: u32) -> bool {
        let Some(repeats) = self.repeats.as_mut().filter(|repeats| repeats.taken == taken) else {
            return false;
        };
        let Repeats { contents, now, turns, .. } = &mut **repeats;
        let Some(turn) = turns.iter().find(|turn| turn.from == *now && turn.op == *op) else { return false };
        for (again, count) in &turn.races {
            again.fetch_add(*count, Ordering::Relaxed);
        }
        if turn.to != *now {
            contents[*now] = std::mem::take(&mut self.entries);
            self.entries = std::mem::take(&mut contents[turn.to]);
            *now = turn.to;
        }
        true
    }

    /// Begins to record an access that is not recorded. Returns whether it is worth recording.
    pub(in crate::ptx) fn begins(&mut self, op: &Op, taken: u32) -> bool {
        let Entry { block, warp, tick, .. } = op.access;
        if !self.repeats_itself() || !self.was_visited((block, warp, tick)) {
            self.repeats = None;
            return false;
        }
        let full = |r: &Repeats| r.contents.len() >= CONTENTS || r.turns.len() >= TURNS;
        if self.repeats.as_ref().is_some_and(|r| r.taken != taken || full(r)) {
            self.repeats = None;
        }
        let repeats = self.repeats.get_or_insert_with(|| {
            Box::new(Repeats { taken, contents: vec![Vec::new()], now: 0, turns: Vec::new() })
        });
        repeats.contents[repeats.now].clone_from(&self.entries);
        true
    }

    /// Records the access that [`Cell::begins`] began, with its races; `None` if one of them may be reported.
    pub(in crate::ptx) fn ends(&mut self, op: Op, races: Option<Counted>) {
        let Some(races) = races.filter(|_| self.is_exact()) else {
            self.repeats = None;
            return;
        };
        let Some(repeats) = &mut self.repeats else { return };
        let from = repeats.now;
        let known = repeats.contents.iter().position(|content| *content == self.entries);
        repeats.now = known.unwrap_or_else(|| {
            repeats.contents.push(Vec::new());
            repeats.contents.len() - 1
        });
        repeats.turns.push(Turn { from, op, to: repeats.now, races });
    }

    /// Drops the record, because the cell changes otherwise.
    pub(in crate::ptx) fn changes(&mut self) {
        self.repeats = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::access::class::AccessClass;
    use crate::ptx::report::counts::Counted;
    use crate::ptx::report::sink::Again;
    use clocks::Tick;
    use events::{AccessKind, SiteId, Strength};
    use rustc_hash::FxHashMap;

    /// A launch in which only barriers of whole blocks order threads.
    struct Barriers;

    impl Context for Barriers {
        fn cluster_of(&self, block: u32) -> u32 {
            block
        }
        fn knows_op(&self, _: &WarpState, _: crate::ptx::access::thread::Who, _: u32, _: bool) -> bool {
            false
        }
        fn simple(&self) -> bool {
            true
        }
        fn groups_only(&self) -> bool {
            true
        }
        fn observes(&self) -> bool {
            false
        }
        fn shared(&self) -> bool {
            false
        }
        fn unsure(&self) {}
    }

    /// The number of races by pair of sites.
    type Races = FxHashMap<(SiteId, SiteId), Again>;

    fn judge(cell: &mut Cell, op: &Op, warp: &WarpState, races: &mut Races) -> Counted {
        let mut counted = Counted::new();
        let entries = || op.touches.iter().map(|&(bytes, lanes)| Entry { bytes, lanes, ..op.access });
        for new in entries() {
            cell.check(&new, warp, &Barriers, |old, _, _| {
                let again = races.entry((old.site, new.site)).or_default();
                again.fetch_add(1, Ordering::Relaxed);
                counted.push((again.clone(), 1));
            });
        }
        entries().for_each(|new| cell.insert(new, warp, &Barriers));
        counted
    }

    /// Compares a cell that records with one that does not, for warps of two blocks that access its words in loops.
    #[test]
    fn what_happens_again_is_what_happened_before() {
        let mut again = 0;
        for seed in 0..300u64 {
            let mut random = crate::random::below(seed);
            let [mut cell, mut plain] = [(); 2].map(|()| Cell::default());
            let [mut races, mut of_plain] = [(); 2].map(|()| Races::default());
            let mut script: Vec<(u16, u32, bool, Bytes)> = Vec::new();
            for turn in 0..400u64 {
                if turn % 40 == 0 {
                    // Another loop.
                    let step =
                        |_| (random(3) as u16, random(3) as u32, random(2) == 0, 0xf << (random(4) * 4));
                    script = (0..4).map(step).collect();
                }
                let (warp, site, write, bytes) = script[turn as usize % 4];
                let kind = if write { AccessKind::Write } else { AccessKind::Read };
                let tick = 1 + turn as Tick / 100;
                let mut state = WarpState::new(u32::MAX);
                (state.tick, state.all) = (tick, tick - 1);
                let access = Entry {
                    block: u32::from(warp) % 2,
                    tick,
                    lanes: 0,
                    site: SiteId(site * 2 + u32::from(write)),
                    warp,
                    bytes: 0,
                    class: AccessClass::with(kind, Strength::Weak),
                    chain: 0,
                    place: 0,
                };
                let touch = Touch { cell: 0, bytes, lanes: 1 << (bytes.trailing_zeros() / 4) };
                let op = Op::new(&access, &[touch], LaneMask::MAX, (&state, &Barriers)).unwrap();
                judge(&mut plain, &op, &state, &mut of_plain);
                if cell.does_again(&op, 0) {
                    again += 1;
                } else {
                    let begun = cell.begins(&op, 0);
                    let races = judge(&mut cell, &op, &state, &mut races);
                    if begun {
                        // Now and then one of them may be shown.
                        cell.ends(op, (random(10) > 0).then_some(races));
                    }
                }
                assert_eq!(cell.entries, plain.entries, "{turn}");
                let told = |races: &Races| {
                    let mut told: Vec<_> =
                        races.iter().map(|(sites, n)| (*sites, n.load(Ordering::Relaxed))).collect();
                    told.sort_unstable();
                    told
                };
                assert_eq!(told(&races), told(&of_plain), "{turn}");
            }
        }
        assert!(again > 10_000, "{again}");
    }
}
