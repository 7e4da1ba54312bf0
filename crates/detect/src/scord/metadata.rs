//! Where metadata entries are, and what an access leaves in them.

use super::entry::{Entry, Flags, Widths, Word};
use super::rules::{Current, Operation};
use super::{Options, Readers};
use crate::lens::pages::Pages;

/// Granules that share one entry of the metadata cache (§IV-B).
pub const CACHED: u64 = 16;

enum Cells {
    Published(Pages<Word>),
    Wide(Pages<Entry>),
}

impl Cells {
    fn new(widths: &Widths) -> Self {
        if *widths == Widths::PUBLISHED {
            Cells::Published(Pages::new(Word::INITIAL))
        } else {
            Cells::Wide(Pages::new(Entry::INITIAL))
        }
    }

    fn load(&mut self, at: u64) -> Entry {
        match self {
            Cells::Published(pages) => pages.cell(at).unpack(),
            Cells::Wide(pages) => *pages.cell(at),
        }
    }

    fn store(&mut self, at: u64, entry: &Entry) {
        match self {
            Cells::Published(pages) => *pages.cell(at) = Word::pack(entry),
            Cells::Wide(pages) => *pages.cell(at) = *entry,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Cells::Published(pages) => pages.bytes(),
            Cells::Wide(pages) => pages.bytes(),
        }
    }

    fn reset(&mut self, first: u64, last: u64) {
        match self {
            Cells::Published(pages) => pages.reset(first, last),
            Cells::Wide(pages) => pages.reset(first, last),
        }
    }

    fn clear(&mut self) {
        match self {
            Cells::Published(pages) => pages.clear(),
            Cells::Wide(pages) => pages.clear(),
        }
    }
}

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
    cached: bool,
    readers: Readers,
    accessor: Cells,
    writer: Option<Cells>,
}

impl Metadata {
    pub fn new(options: &Options) -> Self {
        let separate = options.readers == Readers::Separate;
        Metadata {
            cached: options.cached,
            readers: options.readers,
            accessor: Cells::new(&options.widths),
            writer: separate.then(|| Cells::new(&options.widths)),
        }
    }

    /// The entry's index and the granule's tag in it.
    pub fn place(&self, granule: u64) -> (u64, u8) {
        if self.cached { (granule / CACHED, (granule % CACHED) as u8) } else { (granule, 0) }
    }

    /// The entry that an access is to be checked against. An entry of another granule is none.
    pub fn look_up(&mut self, granule: u64, load: bool) -> (Which, Entry) {
        let (at, tag) = self.place(granule);
        let which = if load && self.writer.is_some() { Which::Writer } else { Which::Accessor };
        let cells = match (which, &mut self.writer) {
            (Which::Writer, Some(writer)) => writer,
            _ => &mut self.accessor,
        };
        (which, own(cells.load(at), tag))
    }

    /// Records an access after its check. True if it is now the accessor that the entry names.
    pub fn record(&mut self, granule: u64, current: &Current) -> bool {
        let (at, tag) = self.place(granule);
        let previous = own(self.accessor.load(at), tag);
        let load = current.operation == Operation::Load;
        let initial = previous.flags.is_initial();
        let keep = self.readers == Readers::Keep && load && !initial && previous.flags.has(Flags::MODIFIED);
        let entry = if keep {
            Entry { flags: shared(&previous, current), ..previous }
        } else {
            replace(&previous, current, tag)
        };
        self.accessor.store(at, &entry);
        if let Some(cells) = &mut self.writer {
            let written = own(cells.load(at), tag);
            let entry = if load {
                if written.flags.is_initial() {
                    return !keep;
                }
                Entry { flags: shared(&written, current), ..written }
            } else {
                entry
            };
            cells.store(at, &entry);
        }
        !keep
    }

    pub fn reset(&mut self, first: u64, last: u64) {
        let (first, last) = (self.place(first).0, self.place(last).0);
        self.accessor.reset(first, last);
        if let Some(writer) = &mut self.writer {
            writer.reset(first, last);
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
        self.accessor.bytes() + self.writer.as_ref().map_or(0, Cells::bytes)
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
    } else if entry.warp != current.warp && !entry.flags.has(Flags::DEV_SHARED) {
        entry.flags.with(Flags::BLK_SHARED, true)
    } else {
        entry.flags
    }
}

/// The entry after an access that becomes its owner.
fn replace(previous: &Entry, current: &Current, tag: u8) -> Entry {
    let first = previous.flags.is_initial();
    let strong = current.strong && (first || previous.flags.has(Flags::STRONG));
    let flags = match current.operation {
        Operation::Load if first => Flags::NONE,
        Operation::Load => {
            sharing(previous, current).with(Flags::IS_ATOM, false).with(Flags::BLOCK_SCOPE, false)
        }
        Operation::Store => Flags::MODIFIED,
        Operation::Atomic { block_scope } => {
            Flags::MODIFIED.with(Flags::IS_ATOM, true).with(Flags::BLOCK_SCOPE, block_scope)
        }
    };
    Entry {
        locks: current.locks,
        block: current.block,
        dev_fence: current.dev_fence,
        blk_fence: current.blk_fence,
        barrier: current.barrier,
        warp: current.warp,
        flags: flags.with(Flags::STRONG, strong),
        tag,
    }
}
