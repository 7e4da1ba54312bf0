//! The event script with a serial lens listening. Its words are those of the tests of `ptx`.

#[path = "../../tests/script/threads.rs"]
mod threads;

use super::serial::Lens;
use events::task::{LaunchInfo, SyncUse};
use events::{Access, BlockId, Class, Dim3, Finding, Observer, Sync};
pub(crate) use threads::{T, TASK, access_of, strong};

/// A launch that a lens hears.
pub(crate) type Script<L> = threads::Script<Told<L>>;

pub(crate) struct Told<L> {
    pub(crate) lens: L,
}

impl<L: Lens> Observer for Told<L> {
    fn access(&mut self, access: &Access<'_>) {
        self.lens.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.lens.sync(sync);
    }
}

impl<L: Lens> Script<L> {
    /// A launch of `blocks` blocks of `threads` threads.
    pub(crate) fn new(mut lens: L, blocks: u32, threads: u16) -> Self {
        let info = LaunchInfo {
            kernel: "script".to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(u32::from(threads), 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: SyncUse { fences_or_strong: true, atomics: true, ..SyncUse::default() },
        };
        lens.launch(TASK, &info);
        for block in 0..blocks {
            lens.sync(&Sync::BlockStart { task: TASK, block: BlockId(block) });
        }
        threads::Script::of(Told { lens }, TASK, u32::from(threads))
    }

    /// Ends the launch; what was found.
    pub(crate) fn end(mut self) -> Vec<Finding> {
        self.ear.lens.finish(TASK);
        self.ear.lens.take_findings()
    }

    /// Ends the launch; the classes found, sorted.
    pub(crate) fn classes(self) -> Vec<Class> {
        let mut classes: Vec<Class> = self.end().into_iter().map(|f| f.class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }
}
