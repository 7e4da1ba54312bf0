//! Shadow of the blocks' shared memory, as one observer keeps it.

use crate::ptx::history::page::{Shadow, footprint_of, total};
use crate::ptx::launch::Launch;
use crate::ptx::ways::by_block::ByBlock;
use events::observer::Footprint;

/// Shadow of the blocks' shared memory.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    /// With the bytes it takes, about.
    pub(crate) blocks: ByBlock<(Shadow, usize)>,
    /// Their sum, and the most it has been when a block ended.
    bytes: usize,
    most: usize,
    /// Which observer of the launch this is.
    pub(crate) observer: usize,
}

impl SharedMemory {
    pub(crate) fn new(observer: usize) -> Self {
        SharedMemory { blocks: ByBlock::default(), bytes: 0, most: 0, observer }
    }

    pub(crate) fn grew(&mut self, block: u32, bytes: usize, launch: &Launch) {
        if let Some((_, own)) = self.blocks.get_mut(block) {
            *own += bytes;
            self.bytes += bytes;
            launch.grew(bytes);
        }
    }

    /// The block's shared memory is no more.
    pub(crate) fn end(&mut self, block: u32, launch: &Launch) {
        if self.bytes > self.most {
            self.most = self.bytes;
            launch.most_of_blocks(self.observer, self.footprint());
        }
        if let Some((_, own)) = self.blocks.remove(block) {
            self.bytes -= own;
            launch.shrank(own as u64);
        }
    }

    /// Gives up pages of a block's, or of all that it has. Tells how many bytes came free.
    pub(crate) fn give_up(&mut self, block: u32, numbered: Option<&[u64]>, heads: bool) -> u64 {
        let Some((shadow, own)) = self.blocks.get_mut(block) else { return 0 };
        let pages = shadow.iter_mut().filter(|(number, _)| numbered.is_none_or(|n| n.contains(number)));
        let freed: u64 = pages.map(|(_, page)| page.give_up(heads)).sum();
        let freed = freed.min(*own as u64);
        *own -= freed as usize;
        self.bytes -= freed as usize;
        freed
    }

    /// Lines of the block's shared memory have begun anew, which has freed so many bytes.
    pub(crate) fn shrank(&mut self, block: u32, freed: usize, launch: &Launch) {
        if let Some((_, own)) = self.blocks.get_mut(block).filter(|_| freed > 0) {
            let freed = freed.min(*own);
            *own -= freed;
            self.bytes -= freed;
            launch.shrank(freed as u64);
        }
    }

    fn footprint(&self) -> Footprint {
        total(self.blocks.values().map(|(shadow, _)| footprint_of(shadow)))
    }
}
