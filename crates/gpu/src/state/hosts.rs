//! Compares the accesses of the host's own instructions with engine `guard`'s table.
//!
//! An entry of the table holds a word's last accesses, each with the lane of its launch and a clock; the
//! table also holds the clock at which launches of a lane began. Together they decide whether an access was
//! made by a launch that was concurrent with the host's access: in flight then, and not ordered before it.
//! The table is read after the host has waited, by copies in a stream of its own.

use super::State;
use crate::call::call;
use crate::driver;
use crate::hooks::{Code, SUCCESS};
use crate::log;
use crate::watch::{self, Changed, Seen};
use events::task::HostCall;
use instrument::collide::KINDS;
use instrument::guard::STARTED;
use instrument::guard::table::{self, Entry, SLOT, SLOTS};
use instrument::sink::{GLOBAL, RECORD, WITH_OTHER, field};
use std::collections::HashMap;
use std::ffi::{c_uint, c_void};

/// Limits how many words of one access are compared: the first half of them and the last half of them.
const WORDS: u64 = 64;
/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: c_uint = 1;

/// Checks that stand for instructions of the host, by address and whether the instruction writes.
pub(super) type Hosts = HashMap<(u64, bool), Option<u32>>;

/// Returns `None` if a call has failed.
fn done(code: Code) -> Option<()> {
    (code == SUCCESS).then_some(())
}

/// Reads the table in a stream of its own.
struct Reader {
    stream: *mut c_void,
    table: u64,
    begun: HashMap<u64, Option<(u32, u32)>>,
}

impl Reader {
    fn new(table: u64) -> Option<Reader> {
        let mut stream: *mut c_void = std::ptr::null_mut();
        done(call!(c"cuStreamCreate"(&mut stream => *mut *mut c_void, NON_BLOCKING => c_uint)))?;
        Some(Reader { stream, table, begun: HashMap::new() })
    }

    fn read(&self, at: u64, into: &mut [u8]) -> Option<()> {
        let (to, bytes) = (into.as_mut_ptr().cast(), into.len());
        done(call!(c"cuMemcpyDtoHAsync_v2"(
            to => *mut c_void, self.table + at => u64, bytes => usize, self.stream => *mut c_void,
        )))?;
        done(call!(c"cuStreamSynchronize"(self.stream => *mut c_void)))
    }

    /// Returns the slots of a word; `None` if a kernel changes them meanwhile, which is seen by reading them
    /// twice.
    fn slots(&self, address: u64, lines: u32) -> Option<[[u32; 4]; SLOTS]> {
        let places = table::places(address, lines);
        let mut bytes = [0; 2048];
        let bytes = &mut bytes[..(places[SLOTS - 1] - places[0]) as usize + SLOT];
        let mut twice = [[[0; 4]; SLOTS]; 2];
        for slots in &mut twice {
            self.read(places[0], bytes)?;
            for (slot, place) in slots.iter_mut().zip(places) {
                let at = (place - places[0]) as usize;
                *slot = std::array::from_fn(|word| number(&bytes[at + 4 * word..]));
            }
        }
        (twice[0] == twice[1]).then_some(twice[0])
    }

    /// Reads a clock and a launch's number.
    fn when(&mut self, at: u64) -> Option<(u32, u32)> {
        if let Some(known) = self.begun.get(&at) {
            return *known;
        }
        let mut bytes = [0; 8];
        let when = self.read(at, &mut bytes).map(|()| (number(&bytes), number(&bytes[4..])));
        self.begun.insert(at, when);
        when
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = call!(c"cuStreamDestroy_v2"(self.stream => *mut c_void));
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Returns whether an access at `clock` was made by one of the lane's launches `first` to `last`. `begun`
/// returns the clock at which a launch began, if it is known. `newest` is the lane's last launch that has
/// begun.
fn is_of(clock: u32, (first, last): (u32, u32), begun: impl Fn(u32) -> Option<u32>, newest: u32) -> bool {
    let is_later = begun(first).is_some_and(|begun| clock >= begun);
    is_later && (newest <= last || begun(last + 1).is_some_and(|begun| clock < begun))
}

/// Returns the bytes of a word that an access covers, as a bit mask.
fn bytes_of(word: u64, seen: &Seen) -> u32 {
    (0..4)
        .filter(|byte| (seen.address..seen.address + seen.bytes).contains(&(word + byte)))
        .map(|byte| 1 << byte)
        .sum()
}

/// Returns the words of an access that are compared.
fn words(seen: &Seen) -> impl Iterator<Item = u64> {
    let (first, end) = (seen.address & !3, (seen.address + seen.bytes).next_multiple_of(4));
    let half = WORDS / 2 * 4;
    let parts = match end - first <= 2 * half {
        true => [first..end, end..end],
        false => [first..first + half, end - half..end],
    };
    parts.into_iter().flat_map(|part| part.step_by(4))
}

impl State {
    /// Passes the host's clock to [`watch`] after it may have changed.
    pub(crate) fn host_learned(&mut self) {
        if watch::is_active() {
            watch::learned(self.order.host(), self.order.so_far());
        }
    }

    /// Reports kernels' accesses that race with the host's accesses, after the host has waited.
    pub(crate) fn host_waited(&mut self) {
        if !watch::is_active() {
            return;
        }
        self.host_learned();
        self.host_saw();
        let seen = watch::taken();
        let Some((table, lines)) = self.tables.only().filter(|_| !seen.is_empty() && !self.ended) else {
            return;
        };
        log::note(|| format!("the host has accessed {} places", seen.len()));
        let races = driver::beside_captures(|| {
            let Some(mut reader) = Reader::new(table) else { return Vec::new() };
            let mut races = Vec::new();
            for seen in &seen {
                for word in words(seen) {
                    races
                        .extend(self.raced(&mut reader, lines, seen, word).map(|entry| (*seen, word, entry)));
                }
            }
            races
        });
        for (seen, word, entry) in races {
            self.tell_host(&seen, word, entry);
        }
    }

    /// Returns a kernel's access that races with the host's access `seen`.
    fn raced(&self, reader: &mut Reader, lines: u32, seen: &Seen, word: u64) -> Option<Entry> {
        let slots = reader.slots(word, lines)?;
        // The beginnings of launches are read after the slots, since only launches that had begun wrote the
        // slots.
        reader.begun.clear();
        (0..SLOTS).find_map(|which| {
            let entry = table::entry(slots[which], which, word, lines)?;
            let lane = entry.lane;
            let (first, last) = (seen.before.numbers[lane] + 1, seen.so_far.numbers[lane]);
            if !(entry.writes || seen.writes)
                || entry.bytes & bytes_of(word, seen) == 0
                || seen.before.all
                || first > last
                || self.order.learned_in(lane) >= first
            {
                return None;
            }
            let (_, newest) = reader.when(STARTED + 8 * lane as u64)?;
            let clocks = [first, last + 1].map(|number| {
                let when = reader.when(table::begun(lane, number));
                (number, when.filter(|(_, known)| *known == number).map(|(clock, _)| clock))
            });
            let begun = |number| clocks.iter().find(|(known, _)| *known == number)?.1;
            is_of(entry.clock, (first, last), begun, newest).then_some(entry)
        })
    }

    /// Writes a record in the form that kernels use.
    fn tell_host(&mut self, seen: &Seen, word: u64, entry: Entry) {
        let Some(check) = self.host_check(seen.at, seen.writes, seen.bytes) else { return };
        let Some(sink) = &self.checks.sink else { return };
        let record = sink.base() + (u64::from(check * KINDS) + u64::from(!entry.writes)) * RECORD;
        // SAFETY: the records of existing checks are mapped, and only this thread writes this one.
        let put = |at: u64, value: u32| unsafe { ((record + at) as *mut u32).write_volatile(value) };
        // SAFETY: the record is mapped.
        let count = unsafe { ((record + field::COUNT) as *const u32).read_volatile() };
        put(field::COUNT, count.saturating_add(1));
        if count == 0 {
            let address = word.max(seen.address);
            put(field::ADDRESS, address as u32);
            put(field::ADDRESS + 4, (address >> 32) as u32);
            put(field::SPACE, GLOBAL);
            for axis in 0..3 {
                put(field::THREADS + 4 * axis, 1);
                put(field::BLOCKS + 4 * axis, 1);
            }
            put(field::OTHER_CHECK, entry.check);
            put(field::OTHER_BLOCK, entry.block);
            put(field::OTHER, u32::from(entry.thread) | 1 << 21 | u32::from(entry.writes) << 22);
            std::sync::atomic::fence(std::sync::atomic::Ordering::Release);
            put(field::VALID, WITH_OTHER);
        }
        self.report.dirty = true;
    }

    /// Writes a record of memory that changed after an access of the host, in the form of `collide::report`.
    fn tell_change(&mut self, seen: &Changed) {
        let Some(check) = self.host_check(seen.at, seen.writes, seen.bytes) else { return };
        let Some(sink) = &self.checks.sink else { return };
        let record = sink.base() + u64::from(check * KINDS) * RECORD;
        // SAFETY: the records of existing checks are mapped, and only this thread writes this one.
        let put = |at: u64, value: u32| unsafe { ((record + at) as *mut u32).write_volatile(value) };
        // SAFETY: the record is mapped.
        let count = unsafe { ((record + field::COUNT) as *const u32).read_volatile() };
        put(field::COUNT, count.saturating_add(1));
        if count == 0 {
            for (at, value) in
                [(field::ADDRESS, seen.address), (field::EXPECTED, seen.was), (field::FOUND, seen.is)]
            {
                put(at, value as u32);
                put(at + 4, (value >> 32) as u32);
            }
            put(field::SPACE, GLOBAL);
            for axis in 0..3 {
                put(field::THREADS + 4 * axis, 1);
                put(field::BLOCKS + 4 * axis, 1);
            }
            std::sync::atomic::fence(std::sync::atomic::Ordering::Release);
            put(field::VALID, 1);
        }
        self.report.dirty = true;
    }

    /// Reports all changes that were seen after accesses of the host.
    pub(crate) fn host_saw(&mut self) {
        for seen in watch::changes() {
            self.tell_change(&seen);
        }
    }

    /// Returns the check of an instruction of the host; `None` if there is no room for more.
    fn host_check(&mut self, at: u64, writes: bool, bytes: u64) -> Option<u32> {
        if let Some(known) = self.hosts.get(&(at, writes)) {
            return *known;
        }
        let sites = &mut self.report.result.sites;
        let made = self.checks.call(writes, bytes.min(255) as _, || {
            let site = sites.push(host::lines::described(at, host::lines::object));
            HostCall { api: String::new(), site: Some(site), within: None }
        });
        self.hosts.insert((at, writes), made);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use instrument::guard::launches::Before;

    #[test]
    fn accesses_are_of_launches_that_were_in_flight() {
        // Launches 3, 4 and 5 of a lane began at clocks 10, 20 and 30.
        let begun = |number: u32| match number {
            3..=5 => Some((number - 2) * 10),
            _ => None,
        };
        let of = |clock, window, newest| is_of(clock, window, begun, newest);
        assert!(of(20, (4, 4), 4) && of(29, (4, 4), 5) && of(35, (4, 5), 5));
        assert!(!of(19, (4, 4), 5), "of one that the host knew of");
        assert!(!of(30, (4, 4), 5), "of one that came later");
        assert!(!of(20, (2, 4), 5), "nobody knows when it began");
        assert!(!of(35, (4, 5), 6), "nobody knows when the next one began");
    }

    #[test]
    fn accesses_are_divided_into_words() {
        let seen = |address, bytes| Seen {
            address,
            bytes,
            writes: false,
            at: 0,
            before: Before::default(),
            so_far: Before::default(),
        };
        let one = seen(0x1006, 4);
        assert_eq!(words(&one).collect::<Vec<_>>(), [0x1004, 0x1008]);
        assert_eq!([0x1004, 0x1008].map(|word| bytes_of(word, &one)), [0b1100, 0b11]);
        let long: Vec<u64> = words(&seen(0x1000, 4096)).collect();
        assert_eq!((long.len(), long[0], long[63]), (64, 0x1000, 0x1ffc));
    }
}
