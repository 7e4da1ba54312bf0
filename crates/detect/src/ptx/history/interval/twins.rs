//! Reads of one row by both halves of a warp: tiles are often sixteen elements wide.

use super::{DISPLACED, Interval, NOBODY, Slot, Stamp, WARPS, bits};

impl Interval {
    /// Adds reads of the same row by two runs of lanes, of which `new` is the first, and the other one is `apart` lanes behind:
    /// what [`Interval::add`] does for one after the other. False if that has to be done; then nothing has happened.
    pub(crate) fn add_twins(&mut self, new: &Stamp, apart: u16) -> bool {
        if new.block != self.block || new.warp >= WARPS || new.tick != self.tick || new.class.writes() {
            return false;
        }
        let shift = self.shift;
        if new.granule() != shift || new.lanes_each(shift) != Some(1) {
            return false;
        }
        let (from, to) = (new.from >> shift, (new.to - 1) >> shift);
        let words = bits(from, to);
        if self.written & words != 0 {
            return false;
        }
        if self.full & words == words {
            return self.is_told(new.site, from, to);
        }
        let fresh = self.live & words == 0;
        self.settle(words);
        let Some(row) = self.words.get_mut(usize::from(from)..=usize::from(to)) else { return false };
        if !fresh && (self.displaced.len() >= DISPLACED || row.iter().any(|word| word.reads[2].is_some())) {
            return false;
        }
        let lane = new.lanes.trailing_zeros() as u16 & 31;
        let slot =
            |lane: u16| Slot { site: new.site, class: new.class, who: lane << 11 | new.warp << 5 | lane };
        let (mut one, mut other, mut full) = (slot(lane), slot(lane + apart), 0);
        for (word, index) in row.iter_mut().zip(from..) {
            if word.reads[0].who == NOBODY {
                word.reads[0] = Slot { who: other.who & 31 << 11 | one.who & 0x7ff, ..one };
            } else {
                let dropped = [word.read(&one), word.read(&other)];
                debug_assert!(dropped.iter().all(Option::is_none), "there is room");
                full |= u128::from(word.is_full()) << index;
            }
            let step = 1 << 11 | 1;
            (one.who, other.who) = (one.who.wrapping_add(step), other.who.wrapping_add(step));
        }
        self.full |= full;
        if self.full & words == words {
            // The other run would have met words that the first one had made full.
            self.tell(new.site, from, to);
        }
        true
    }
}
