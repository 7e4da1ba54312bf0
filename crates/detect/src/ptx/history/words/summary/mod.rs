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
mod tests;
