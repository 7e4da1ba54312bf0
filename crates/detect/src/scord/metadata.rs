//! The places of metadata entries, and what an access leaves in them.

use super::entry::{Entry, Flags};
use super::rules::{Current, Operation};
use super::{Mapping, Options, Readers, Releases};
use crate::lens::pages::Pages;

/// Granules that share one entry of the metadata cache (§IV-B).
pub const CACHED: u64 = 16;

/// Which of the two entries of a granule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The last access; the only entry there is unless [`Readers::Separate`].
    Accessor,
    /// The last store or atomic, for loads to be compared with.
    Writer,
}

/// The metadata of a launch's memory.
pub struct Metadata {
    /// With the number of entries of the cache.
    mapping: Option<(Mapping, u64)>,
    readers: Readers,
    /// Only stores take over the release counter.
    stores_count: bool,
    accessor: Pages<Entry>,
    writer: Option<Pages<Entry>>,
}

impl Metadata {
    pub fn new(options: &Options) -> Self {
        let separate = options.readers == Readers::Separate;
        Metadata {
            mapping: options.cached.then(|| {
                let granules = options.memory >> options.granularity.shift();
                (options.mapping, (granules / CACHED).max(1))
            }),
            readers: options.readers,
            stores_count: options.releases == Releases::File,
            accessor: Pages::new(Entry::INITIAL),
            writer: separate.then(|| Pages::new(Entry::INITIAL)),
        }
    }

    /// The entry's index and the granule's tag in it.
    pub fn place(&self, granule: u64) -> (u64, u8) {
        match self.mapping {
            None => (granule, 0),
            Some((Mapping::Neighbours, _)) => (granule / CACHED, (granule % CACHED) as u8),
            // Four bits tell the granules of `memory` bytes apart; four more, addresses beyond.
            Some((Mapping::Modulo, entries)) => (granule % entries, (granule / entries) as u8),
        }
    }

    /// The entry that an access is to be checked against. An entry of another granule is none.
    pub fn look_up(&mut self, granule: u64, load: bool) -> (Which, Entry) {
        let (at, tag) = self.place(granule);
        let which = if load && self.writer.is_some() { Which::Writer } else { Which::Accessor };
        let cells = match (which, &mut self.writer) {
            (Which::Writer, Some(writer)) => writer,
            _ => &mut self.accessor,
        };
        (which, own(*cells.cell(at), tag))
    }

    /// Records an access after its check. True if it is now the accessor that the entry names.
    pub fn record(&mut self, granule: u64, current: &Current) -> bool {
        let (at, tag) = self.place(granule);
        let stores_count = self.stores_count;
        let previous = own(*self.accessor.cell(at), tag);
        let load = current.load;
        let initial = previous.flags.is_initial();
        let keep = self.readers == Readers::Keep && load && !initial && previous.flags.has(Flags::MODIFIED);
        let entry = if keep {
            Entry { flags: shared(&previous, current), ..previous }
        } else {
            replace(&previous, current, tag, stores_count)
        };
        *self.accessor.cell(at) = entry;
        if let Some(cells) = &mut self.writer {
            let written = own(*cells.cell(at), tag);
            let entry = if load {
                if written.flags.is_initial() {
                    return !keep;
                }
                Entry { flags: shared(&written, current), ..written }
            } else {
                entry
            };
            *cells.cell(at) = entry;
        }
        !keep
    }

    pub fn reset(&mut self, first: u64, last: u64) {
        // Nothing is known afterwards of granules that share an entry with these: a cache may forget.
        let ranges = match self.mapping {
            None => [Some((first, last)), None],
            Some((Mapping::Neighbours, _)) => [Some((first / CACHED, last / CACHED)), None],
            Some((Mapping::Modulo, entries)) if last - first >= entries => [Some((0, entries - 1)), None],
            Some((Mapping::Modulo, entries)) => match (first % entries, last % entries) {
                (from, to) if from <= to => [Some((from, to)), None],
                (from, to) => [Some((0, to)), Some((from, entries - 1))],
            },
        };
        for (first, last) in ranges.into_iter().flatten() {
            self.accessor.reset(first, last);
            if let Some(writer) = &mut self.writer {
                writer.reset(first, last);
            }
        }
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.accessor.clear();
        if let Some(writer) = &mut self.writer {
            writer.clear();
        }
    }

    pub fn bytes(&self) -> u64 {
        self.accessor.bytes() + self.writer.as_ref().map_or(0, Pages::bytes)
    }
}

fn own(entry: Entry, tag: u8) -> Entry {
    if entry.tag == tag { entry } else { Entry::INITIAL }
}

/// Flags after a load that leaves the entry's owner as it is.
fn shared(entry: &Entry, current: &Current) -> Flags {
    let flags = sharing(entry, current);
    flags.with(Flags::STRONG, flags.has(Flags::STRONG) && current.strong)
}

/// A load's effect on the two shared flags. They exclude each other: with `DevShared` set no
/// rule looks at `BlkShared`, and all three of the initial flags never come together again.
fn sharing(entry: &Entry, current: &Current) -> Flags {
    if entry.block != current.block {
        entry.flags.with(Flags::DEV_SHARED, true).with(Flags::BLK_SHARED, false)
    } else if current.is_other(entry) && !entry.flags.has(Flags::DEV_SHARED) {
        entry.flags.with(Flags::BLK_SHARED, true)
    } else {
        entry.flags
    }
}

/// The entry after an access that becomes its owner.
fn replace(previous: &Entry, current: &Current, tag: u8, stores_count: bool) -> Entry {
    let first = previous.flags.is_initial();
    let strong = current.strong && (first || previous.flags.has(Flags::STRONG));
    let (atomic, block_scope) = match current.operation {
        Operation::Atomic { block_scope } => (true, block_scope),
        _ => (false, false),
    };
    let flags = match current.load {
        true if first => Flags::NONE,
        true => sharing(previous, current),
        false => Flags::MODIFIED,
    };
    let flags = flags.with(Flags::IS_ATOM, atomic).with(Flags::BLOCK_SCOPE, block_scope);
    let load = current.load;
    let released = current.releases || load && previous.flags.has(Flags::RELEASED);
    let flags = flags.with(Flags::STRONG, strong).with(Flags::RELEASED, released);
    Entry {
        locks: current.locks,
        block: current.block,
        dev_fence: current.dev_fence,
        blk_fence: current.blk_fence,
        barrier: current.barrier,
        release: if load && stores_count { previous.release } else { current.release },
        warp: current.warp,
        thread: current.thread,
        flags: flags.with(Flags::HAS_DIVERGED, current.has_diverged),
        tag,
    }
}
