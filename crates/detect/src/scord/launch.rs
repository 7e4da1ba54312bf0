//! A launch: the hardware of its warps, the metadata of its memory, and the verdict on an access.

use super::*;

/// The state of a running kernel.
pub(super) struct Launch {
    pub(super) hardware: Hardware,
    pub(super) metadata: Metadata,
    pub(super) accessors: Pages<Witness>,
    pub(super) writers: Pages<Witness>,
}

impl Launch {
    pub(super) fn new(options: &Options, info: Option<&LaunchInfo>) -> Self {
        Launch {
            hardware: Hardware::new(options, info),
            metadata: Metadata::new(options),
            accessors: Pages::new(Witness::NOBODY),
            writers: Pages::new(Witness::NOBODY),
        }
    }

    /// A new launch in this one's memory.
    pub(super) fn again(mut self, options: &Options, info: &LaunchInfo) -> Self {
        self.hardware = Hardware::new(options, Some(info));
        self.metadata.clear();
        self.accessors.clear();
        self.writers.clear();
        self
    }

    pub(super) fn current(&mut self, access: &Access<'_>, options: &Options) -> Current {
        let slot = self.hardware.warp(access.warp.block, access.warp.warp);
        let fences = self.hardware.fences(slot);
        Current {
            operation: Operation::of(access, options.relaxed, options.releases.filed()),
            load: !access.kind.writes(),
            block: slot.block,
            warp: slot.warp,
            thread: 0,
            has_diverged: options.divergence && self.hardware.executes(slot, access.mask),
            release: self.hardware.releases.counter(),
            releases: options.releases.filed() && semantics(access).0.is_some(),
            barrier: self.hardware.barrier(slot.block),
            dev_fence: fences.dev,
            blk_fence: fences.blk,
            strong: access.strength != Strength::Weak || matches!(access.kind, AccessKind::Atomic { .. }),
            locks: self.hardware.held(slot),
        }
    }

    pub(super) fn judge(
        &mut self,
        granule: u64,
        current: &Current,
        options: &Options,
    ) -> (Which, Entry, Option<Row>) {
        let (which, md) = self.metadata.look_up(granule, current.load);
        if rules::preliminary(&md, current).is_some() {
            return (which, md, None);
        }
        let last = self.hardware.fences(warp_of(&md));
        let acquired = self.acquired(&md, current);
        let row = rules::race(&md, current, last, &options.widths, options.strong_accesses, acquired);
        (which, md, row)
    }

    /// Returns whether the current warp has acquired from a release that the entry's has made since.
    pub(super) fn acquired(&self, md: &Entry, current: &Current) -> bool {
        let later = WarpSlot { block: current.block, warp: current.warp };
        self.hardware.releases.orders(warp_of(md), md.release, md.barrier, later)
    }

    /// An acquire by §VI's letter: "this bit is checked for a previous release".
    pub(super) fn note_releaser(&mut self, granule: u64, current: &Current) {
        let (_, md) = self.metadata.look_up(granule, true);
        let own = matches!(current.operation, Operation::Atomic { block_scope: true });
        let narrow = own || md.flags.has(entry::Flags::BLOCK_SCOPE);
        if md.flags.has(entry::Flags::RELEASED) && (md.block == current.block || !narrow) {
            let slot = WarpSlot { block: current.block, warp: current.warp };
            self.hardware.releases.note(slot, warp_of(&md));
        }
    }

    pub(super) fn record(&mut self, granule: u64, current: &Current, witness: Witness) {
        let (at, _) = self.metadata.place(granule);
        let owner = self.metadata.record(granule, current);
        if owner {
            *self.accessors.cell(at) = witness;
        }
        if !current.load {
            *self.writers.cell(at) = witness;
        }
    }
}

pub(super) fn warp_of(md: &Entry) -> WarpSlot {
    WarpSlot { block: md.block, warp: md.warp }
}
