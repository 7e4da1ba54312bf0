//! The summary of a page's words when a launch has ended, as few rows as possible.

mod vectors;

use crate::ptx::access::class::AccessClass;
use crate::ptx::history::words::packing::{KINDS, Kind, Packed, Packing, kind_number, next_thread, single};
use crate::ptx::history::words::{LINE, ROOM, Words};
use crate::shadow::{LEN as WORDS, Room};
use events::SiteId;
use smallvec::SmallVec;
use std::sync::Arc;
use vectors::{OneClass, first_of_alike, one_class, pieces, present, touched};

/// Words in a row: of one thread, or of neighbouring ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The first word, and the one behind the last, in the page.
    pub(crate) words: (usize, usize),
    pub(crate) kind: Kind,
    pub(crate) block: u32,
    /// The thread of the first word.
    pub(crate) thread: u16,
    /// Each word is the next thread's, or all are of one access.
    pub(crate) neighbours: bool,
}

/// Words that lie side by side, all of whose accesses are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The first word, and the one behind the last, in the page.
    pub(crate) words: (usize, usize),
    pub(crate) class: AccessClass,
    /// None if they are weak, and of several instructions; of strong ones the first's.
    pub(crate) site: Option<SiteId>,
    /// Which of its words' accesses, for [`Each`].
    pub(crate) layer: u32,
}

impl Stretch {
    /// It has more words, which may be of other instructions, too.
    fn goes_on(&mut self, others: bool) {
        if others && !self.class.strong() {
            self.site = None;
        }
    }
}

/// Accesses of four bytes for each word of a page that was touched: its write, its atomic and its read.
#[derive(Debug)]
pub(crate) struct Each {
    layers: SmallVec<[Room; 1]>,
    packing: Arc<Packing>,
}

impl Each {
    /// Bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.layers.len() * WORDS * size_of::<Packed>()
    }

    fn packed(&self, layer: u32, word: usize) -> Packed {
        self.layers.get(layer as usize).map_or(0, |words| words[word % WORDS])
    }

    pub(crate) fn site(&self, layer: u32, word: usize) -> SiteId {
        self.packing.kind(self.packed(layer, word)).site
    }

    /// The block, and the index of the thread in it.
    pub(crate) fn thread(&self, layer: u32, word: usize) -> (u32, u16) {
        self.packing.thread(self.packed(layer, word))
    }
}

/// Kinds that a launch's accesses were met to have, so that the launch need not be asked for each.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Kinds, by number.
    kinds: Vec<Option<Kind>>,
    /// The class of each kind, by number: its place in `classes`, from 1 on, or 0 for a kind that was not met.
    ids: Vec<u16>,
    classes: Vec<AccessClass>,
}

/// Kinds of one launch, all of one packing.
type Known<'a> = (&'a mut Met, &'a Packing);

impl Met {
    #[inline]
    fn kind(&mut self, packed: Packed, packing: &Packing) -> Kind {
        let known = self.kinds.get(kind_number(packed) as usize).copied().flatten();
        known.unwrap_or_else(|| self.meet(packed, packing))
    }

    #[cold]
    fn meet(&mut self, packed: Packed, packing: &Packing) -> Kind {
        let (number, kind) = (kind_number(packed) as usize, packing.kind(packed));
        self.kinds.resize(KINDS, None);
        self.ids.resize(KINDS, 0);
        let known = self.classes.iter().position(|&class| class == kind.class);
        let place = known.unwrap_or_else(|| {
            self.classes.push(kind.class);
            self.classes.len() - 1
        });
        (self.kinds[number], self.ids[number]) = (Some(kind), place as u16 + 1);
        kind
    }
}

impl Words {
    /// Takes the accesses of each word, if all are of single words, and more than `few` as [`Words::rows`] tells them. Of two
    /// reads of a word it is that of the first instruction, block and thread. If not, nothing has happened.
    pub(crate) fn each(&mut self, few: usize, met: &mut Met) -> Option<(Each, Vec<Stretch>)> {
        let arrays = || [&self.writes, &self.atomics, &self.reads].into_iter().flatten();
        let most = arrays().count() * self.lines.count_ones() as usize * LINE;
        let mut sum = 0;
        let many = |array: &Room| {
            sum += pieces(array, few - sum);
            sum > few
        };
        if most <= few || self.has_sets() || !arrays().any(many) {
            return None;
        }
        let packing = Arc::clone(&self.packing);
        let both = self.reads.as_ref().zip(self.others.as_ref());
        let first = both.map(|(reads, others)| first_of(reads, others, (&mut *met, &packing)));
        let layers = [self.writes.as_ref(), self.atomics.as_ref(), first.as_ref().or(self.reads.as_ref())];
        let mut stretches = Vec::new();
        for (layer, array) in (0..).zip(layers.into_iter().flatten()) {
            if !stretch(array, layer, (&mut *met, &packing), &mut stretches) {
                return None;
            }
        }
        let reads = first.or_else(|| self.reads.take());
        let layers = [self.writes.take(), self.atomics.take(), reads].into_iter().flatten().collect();
        Some((Each { layers, packing }, stretches))
    }

    /// As [`Words::entries`] of all lines, as much at a time as can be told in one. Ticks are not told.
    pub(crate) fn rows(&self, met: &mut Met, mut row: impl FnMut(Row)) {
        for array in [&self.writes, &self.atomics, &self.reads, &self.others].into_iter().flatten() {
            self.rows_of(array, met, &mut row);
        }
        self.set_witnesses(|word, packed| {
            let (kind, (block, thread)) = (met.kind(packed, &self.packing), self.packing.thread(packed));
            row(Row { words: (word, word + 1), kind, block, thread, neighbours: true });
        });
    }

    /// Bytes it takes, about, and those that were touched.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let Words { writes, reads, others, atomics, seen, second, .. } = self;
        let arrays = [writes, reads, others, atomics, seen, second];
        let arrays = arrays.into_iter().flatten().count();
        let [writes, reads, atomics] = [&self.writes, &self.reads, &self.atomics]
            .map(|array| array.as_ref().map_or(&NOTHING, |array| &**array));
        let lines = [writes, reads, atomics].map(|array| array.as_chunks::<LINE>().0);
        let used: u64 = (0..WORDS / LINE)
            .filter(|&line| self.keeps(line))
            .map(|line| touched(lines.map(|array| &array[line])))
            .sum();
        (arrays * ROOM + self.bytes_of_sets(), used as usize * 4)
    }

    fn rows_of(&self, array: &[Packed; WORDS], met: &mut Met, row: &mut impl FnMut(Row)) {
        let mut done = 0;
        for (line, start) in array.as_chunks::<LINE>().0.iter().zip((0..).step_by(LINE)) {
            let mut rest = if self.keeps(start / LINE) { present(line) } else { 0 };
            while rest != 0 {
                let word = start + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if word < done {
                    continue;
                }
                let packed = array[word];
                let kind = met.kind(packed, &self.packing);
                let (mut stop, mut neighbours) = (word + 1, true);
                if kind.shift == 2 {
                    if stop < WORDS && array[stop] == packed {
                        neighbours = false;
                        while stop < WORDS && array[stop] == packed {
                            stop += 1;
                        }
                    } else {
                        let mut before = packed;
                        while stop < WORDS && next_thread(before) == Some(array[stop]) {
                            before = array[stop];
                            stop += 1;
                        }
                    }
                } else {
                    // One element, as far as it is still there.
                    let whole = 1usize << kind.shift.saturating_sub(2).min(2);
                    let end = (word / whole + 1) * whole;
                    while stop < end && array[stop] == packed {
                        stop += 1;
                    }
                }
                let (block, thread) = self.packing.thread(packed);
                row(Row { words: (word, stop), kind, block, thread, neighbours });
                done = stop;
            }
        }
    }
}

/// An array without accesses.
static NOTHING: [Packed; WORDS] = [0; WORDS];

/// If a word was read twice, the read of the first instruction, block and thread.
fn first_of(reads: &Room, others: &Room, (met, packing): Known<'_>) -> Room {
    let mut words = packing.room();
    if first_of_alike(&mut words, [reads, others], packing.of_thread()) {
        return words;
    }
    words.copy_from_slice(&**reads);
    let mut site = |packed| met.kind(packed, packing).site;
    for (word, &other) in words.iter_mut().zip(others.iter()) {
        if other != 0 && site(other) == site(*word) {
            *word = if packing.thread(other) < packing.thread(*word) { other } else { *word };
        } else if other != 0 && site(other) < site(*word) {
            *word = other;
        }
    }
    words
}

/// Adds the stretches of one array. False if some of its accesses are not of single words.
fn stretch(
    words: &[Packed; WORDS],
    layer: u32,
    (met, packing): Known<'_>,
    stretches: &mut Vec<Stretch>,
) -> bool {
    // The stretch at hand: its class and the number of its first kind.
    let mut open = None::<(u16, u64)>;
    for (line, start) in words.as_chunks::<LINE>().0.iter().zip((0..).step_by(LINE)) {
        if let Some(OneClass { mut present, class: id, first: number, several }) = one_class(line, &met.ids) {
            let goes_on = open.filter(|(class, _)| *class == id);
            if present == u32::MAX
                && let (Some((_, first)), Some(last)) = (goes_on, stretches.last_mut())
            {
                last.words.1 = start + LINE;
                last.goes_on(several || number != first);
                continue;
            }
            let Kind { site, class, .. } = met.kind(line[present.trailing_zeros() as usize % LINE], packing);
            let site = (!several || class.strong()).then_some(site);
            let mut end = 0;
            while present != 0 {
                let from = present.trailing_zeros() as usize;
                let to = from + (present >> from).trailing_ones() as usize;
                present &= u32::MAX.checked_shl(to as u32).unwrap_or(0);
                let goes_on = goes_on.filter(|_| from == 0);
                if let (Some((_, first)), Some(last)) = (goes_on, stretches.last_mut()) {
                    last.words.1 = start + to;
                    last.goes_on(several || number != first);
                } else {
                    stretches.push(Stretch { words: (start + from, start + to), class, site, layer });
                    open = Some((id, number));
                }
                end = to;
            }
            if end < LINE {
                open = None;
            }
            continue;
        }
        for (&packed, word) in line.iter().zip(start..) {
            if packed == 0 {
                open = None;
            } else if !one_word(word, packed, layer, (&mut *met, packing), &mut open, stretches) {
                return false;
            }
        }
    }
    true
}

/// Adds one word to the stretch at hand, or begins another one. False if the access is not of a single word.
fn one_word(
    word: usize,
    packed: Packed,
    layer: u32,
    (met, packing): Known<'_>,
    open: &mut Option<(u16, u64)>,
    stretches: &mut Vec<Stretch>,
) -> bool {
    if !single(packed) {
        return false;
    }
    let (number, Kind { site, class, .. }) = (kind_number(packed), met.kind(packed, packing));
    let id = met.ids[number as usize];
    let goes_on = open.filter(|(known, _)| *known == id);
    if let (Some((_, first)), Some(last)) = (goes_on, stretches.last_mut()) {
        last.words.1 = word + 1;
        last.goes_on(number != first);
    } else {
        stretches.push(Stretch { words: (word, word + 1), class, site: Some(site), layer });
        *open = Some((id, number));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::access::class::AccessClass;
    use crate::ptx::history::spread::easily;
    use crate::ptx::history::words::packing::{Accessor, Packing, Stand};
    use crate::ptx::order::knowledge::WarpState;
    use crate::random::next as random;
    use events::{AccessKind, AtomicOp, Scope, Sem, SiteId, Strength};
    use std::sync::Arc;

    /// Random accesses of a few words, one copy by the short way and one by the long one.
    fn filled(seed: u64) -> [Words; 2] {
        let mut seed = seed;
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        let mut both = [(); 2].map(|()| Words::of_a_page(&packing));
        let strong = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
        let atomic = AccessKind::Atomic { op: AtomicOp::Add, returns: true };
        let of = if seed.is_multiple_of(2) { 4 } else { 2 };
        // Strong operations are kept only where nothing but barriers orders threads.
        let stand =
            [Stand::All, [Stand::Earlier, Stand::Each][seed as usize / 4 % 2], Stand::All, Stand::Alike]
                [seed as usize % 4];
        for turn in 0..400 {
            let (kind, strength) = [
                (AccessKind::Read, Strength::Weak),
                (AccessKind::Write, Strength::Weak),
                (AccessKind::Read, strong),
                (atomic, strong),
            ][(random(&mut seed) % of) as usize];
            let class = AccessClass::with(kind, strength);
            let kind = Kind::new(SiteId(random(&mut seed) as u32 % 2), class, 2);
            let (tick, warp) = (1 + turn / 100, random(&mut seed) as u16 % 2);
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (tick, tick - 1);
            let by = ((random(&mut seed) as u32 % 4, warp), tick);
            let kind = (packing.number(kind).unwrap(), class);
            let by = Accessor::new(&packing, by, kind, &state, stand).unwrap();
            let (word, lane, n) = match random(&mut seed) % 2 {
                0 => (random(&mut seed) % 40, random(&mut seed) % 4, random(&mut seed) % 4),
                // Rows that are judged together, now and then.
                _ => (random(&mut seed) % 2 * 24, 0, 24),
            };
            let [short, long] = &mut both;
            let (at, new) = (word as usize, by.of_lane(lane as u32));
            let added = match n {
                1 if easily(&mut short.places(u32::MAX), at, new, &by) => 1,
                _ => short.row((at, n as usize), new, &by, &mut 0),
            };
            let slowly =
                |i: &u64| long.slowly((word + i) as usize, by.of_lane((lane + i) as u32), &by, &mut 0);
            assert_eq!(added, (0..n).take_while(slowly).count(), "{seed}");
        }
        both
    }

    fn entries(words: &Words) -> Vec<(usize, u32, u16, SiteId)> {
        let mut out = Vec::new();
        words.entries(0..32, |cell, entry| {
            let thread = entry.warp * 32 + entry.lanes.trailing_zeros() as u16;
            out.push((cell * 4 + entry.bytes.trailing_zeros() as usize / 4, entry.block, thread, entry.site));
        });
        out
    }

    #[test]
    fn the_short_way_and_the_long_one_keep_the_same() {
        for seed in 0..300 {
            let [short, long] = filled(seed);
            assert_eq!(entries(&short), entries(&long), "{seed}");
        }
    }

    /// Scattered reads, or writes, of many threads: of each word one that was there, the same however it is asked.
    #[test]
    fn each_tells_of_every_word_somebody_who_was_there() {
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        for (seed, kind) in [(1, AccessKind::Read), (2, AccessKind::Write), (3, AccessKind::Read)] {
            let (mut seed, mut words) = (seed, Words::of_a_page(&packing));
            for _ in 0..700 {
                let class = AccessClass::with(kind, Strength::Weak);
                let kind = Kind::new(SiteId(random(&mut seed) as u32 % 3), class, 2);
                let mut state = WarpState::new(u32::MAX);
                state.tick = 1;
                let by = (random(&mut seed) as u32 % 4, random(&mut seed) as u16 % 8);
                let kind = (packing.number(kind).unwrap(), class);
                let by = Accessor::new(&packing, (by, 1), kind, &state, Stand::All).unwrap();
                let (word, lane) = (random(&mut seed) as usize % 900, random(&mut seed) as u32 % 32);
                words.one((word, 1), by.of_lane(lane), &by, &mut 0);
            }
            let all = entries(&words);
            assert!(words.each(all.len(), &mut Met::default()).is_none(), "few");
            let (each, stretches) = words.each(100, &mut Met::default()).unwrap();
            let mut told = Vec::new();
            for stretch in &stretches {
                for word in stretch.words.0..stretch.words.1 {
                    let (block, thread) = each.thread(stretch.layer, word);
                    let site = each.site(stretch.layer, word);
                    assert!(stretch.site.is_none_or(|known| known == site));
                    told.push((word, site, block, thread));
                }
            }
            let mut first: Vec<_> =
                all.iter().map(|&(w, block, thread, site)| (w, site, block, thread)).collect();
            first.sort_unstable();
            first.dedup_by_key(|(word, ..)| *word);
            assert_eq!(told, first);
            assert!(stretches.windows(2).all(|s| s[0].words.1 < s[1].words.0), "as long as can be");
        }
    }

    /// Whole lines of one instruction, some of several, and some without history.
    #[test]
    fn stretches_are_the_same_a_line_at_a_time() {
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        let mut whole = 0;
        for mut seed in 0..200 {
            let mut words = [0; WORDS];
            for line in words.chunks_mut(LINE) {
                let (how, same) = (random(&mut seed) % 4, random(&mut seed));
                for word in line.iter_mut().filter(|_| how != 0) {
                    let of = if how == 1 { random(&mut seed) } else { same };
                    let (kind, site) =
                        ([AccessKind::Read, AccessKind::Write][of as usize % 2], SiteId(of as u32 / 2 % 3));
                    let class = AccessClass::with(kind, Strength::Weak);
                    let kind = packing.number(Kind::new(site, class, 2)).unwrap();
                    let packed = packing.pack((of as u32 % 4, 1), 1 + of as u32 % 2, kind).unwrap();
                    let nobody = how == 1 && random(&mut seed).is_multiple_of(9);
                    *word = if nobody { 0 } else { packed | (random(&mut seed) % 32) };
                }
                whole += u32::from(line.iter().all(|&word| word != 0));
            }
            // Word by word.
            let mut expected = Vec::<(usize, usize, AccessClass, Option<SiteId>)>::new();
            for (word, &packed) in words.iter().enumerate().filter(|(_, packed)| **packed != 0) {
                let Kind { site, class, .. } = packing.kind(packed);
                match expected.last_mut().filter(|last| last.1 == word && last.2 == class) {
                    Some(last) => (last.1, last.3) = (word + 1, last.3.filter(|&known| known == site)),
                    None => expected.push((word, word + 1, class, Some(site))),
                }
            }
            // Kinds that were met make no difference.
            let (mut stretches, mut met) = (Vec::new(), Met::default());
            for _ in 0..2 {
                stretches.clear();
                stretch(&words, 0, (&mut met, &packing), &mut stretches);
                let told: Vec<_> =
                    stretches.iter().map(|s| (s.words.0, s.words.1, s.class, s.site)).collect();
                assert_eq!(told, expected, "{seed}");
            }
        }
        assert!(whole > 2000, "{whole}");
    }

    #[test]
    fn rows_tell_what_entries_tell() {
        for seed in 0..300 {
            let [words, _] = filled(seed);
            let mut told = Vec::new();
            words.rows(&mut Met::default(), |row| {
                for (i, word) in (row.words.0..row.words.1).enumerate() {
                    let thread = row.thread + if row.neighbours { i as u16 } else { 0 };
                    told.push((word, row.block, thread, row.kind.site));
                }
            });
            let mut entries = entries(&words);
            if words.has_sets() {
                // One access of each instruction stands for its access set.
                assert!(told.iter().all(|row| entries.contains(row)), "{seed}");
                for list in [&mut told, &mut entries] {
                    list.iter_mut().for_each(|(_, block, thread, _)| (*block, *thread) = (0, 0));
                    list.sort_unstable();
                    list.dedup();
                }
            }
            assert_eq!(told, entries, "{seed}");
        }
    }
}
