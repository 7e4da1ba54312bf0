//! The smallest lens, made of what lenses share: no other thread may write what a thread of a launch has
//! written. The crate's page on how to add a lens is tried by it.

use super::elements::elements;
use super::launches::Launches;
use super::pairs::Pairs;
use super::script::{Script, T};
use super::serial::{Lens, Overlooks, Serial};
use super::witness::{Operations, Witness};
use events::task::LaunchInfo;
use events::{Access, Class, Finding, Space, Sync, TaskId};
use rustc_hash::FxHashMap;

struct Toy {
    operations: Operations,
    pairs: Pairs,
    launches: Launches<FxHashMap<(Space, u64), Witness>>,
}

impl Toy {
    fn new() -> Self {
        Toy { operations: Operations::default(), pairs: Pairs::new("toy"), launches: Launches::default() }
    }
}

impl Lens for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn overlooks(&self) -> Overlooks {
        Overlooks::default()
    }

    fn launch(&mut self, task: TaskId, _: &LaunchInfo) {
        self.launches.start(task, |_| FxHashMap::default());
    }

    fn finish(&mut self, task: TaskId) {
        self.launches.end(task);
    }

    fn access(&mut self, access: &Access<'_>) {
        if !access.kind.writes() {
            return;
        }
        let (task, block) = (access.warp.task, access.warp.block);
        let id = self.operations.intern(access);
        let writers = self.launches.get(task, FxHashMap::default);
        for element in elements(access) {
            self.pairs.advance();
            let me = Witness::new(id, block, element.thread, element.address, element.address);
            let Some(before) = writers.insert((access.space, element.address), me) else { continue };
            if (before.block(), before.thread()) != (block, element.thread) {
                let sides = [&before, &me].map(|w| self.operations.side(task, element.address, w));
                self.pairs.report(Class::InterBlock, false, access.space, sides, Vec::new);
            }
        }
    }

    fn sync(&mut self, _: &Sync<'_>) {}

    fn forget(&mut self, base: u64, bytes: u64) {
        for writers in self.launches.all_mut() {
            writers.retain(|(space, at), _| *space != Space::Global || !(base..base + bytes).contains(at));
        }
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        self.pairs.take()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.pairs.so_far()
    }
}

#[test]
fn a_lens_is_made_of_what_lenses_share() {
    let mut s = Script::new(Toy::new(), 2, 32);
    s.write(T(0, 0), 64);
    s.write(T(0, 0), 64);
    s.write(T(1, 0), 68);
    assert_eq!(s.end(), []);
    let mut s = Script::new(Toy::new(), 2, 32);
    s.write(T(0, 0), 64);
    s.ear.lens.forget(64, 4);
    s.write(T(1, 0), 64);
    assert_eq!(s.end(), []);
    let mut s = Script::new(Toy::new(), 2, 32);
    s.write(T(0, 0), 64);
    s.write(T(1, 0), 64);
    let found = s.end();
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.lens.as_str(), finding.sides[0].address), ("toy", 64));
    assert_ne!(finding.sides[0].site, finding.sides[1].site);
}

#[test]
fn a_lens_is_a_monitor() {
    fn is_monitor<M: events::Monitor>(_: M) {}
    is_monitor(Serial::new(Toy::new()));
}
