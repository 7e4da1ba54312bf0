//! Collects the stories of many findings in as few passes over the trace as one story needs.

use super::located::{Found, Key};
use super::model::Story;
use super::synchronisation::{Actors, Order, Shared, is_strong, order};
use super::tell::Teller;
use super::walk::{Thread, Walk, walk};
use events::access::Warp;
use events::{Access, BarrierId, BlockId, HostEvent, Sync, TaskId};
use std::collections::HashMap;
use std::path::Path;

/// Limits how many steps of one story are stored at a time.
const STEPS: usize = 512;

/// Walkers, each of which receives only the events that may concern it.
struct Crowd<W> {
    members: Vec<W>,
    by_warp: HashMap<Warp, Vec<usize>>,
    by_block: HashMap<(TaskId, BlockId), Vec<usize>>,
    by_task: HashMap<TaskId, Vec<usize>>,
    by_place: HashMap<Order, Vec<usize>>,
}

impl<W> Crowd<W> {
    fn new(members: Vec<W>) -> Self {
        Crowd {
            members,
            by_warp: HashMap::new(),
            by_block: HashMap::new(),
            by_task: HashMap::new(),
            by_place: HashMap::new(),
        }
    }

    fn of_thread(&mut self, member: usize, thread: Thread) {
        let Thread { task, block, thread } = thread;
        push(self.by_warp.entry(Warp { task, block, warp: thread.warp() }).or_default(), member);
        push(self.by_block.entry((task, block)).or_default(), member);
        push(self.by_task.entry(task).or_default(), member);
    }

    fn of_place(&mut self, member: usize, place: Key) {
        push(self.by_place.entry(order(place)).or_default(), member);
    }
}

fn push(list: &mut Vec<usize>, member: usize) {
    if list.last() != Some(&member) {
        list.push(member);
    }
}

impl<W: Walk> Walk for Crowd<W> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        let of_warp = self.by_warp.get(&access.warp).map_or(&[][..], Vec::as_slice);
        let mut concerned: Vec<usize> = of_warp.to_vec();
        if is_strong(access) && !self.by_place.is_empty() {
            for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
                let place = order((access.space, access.addresses[lane as usize]));
                concerned.extend(self.by_place.get(&place).into_iter().flatten());
            }
            concerned.sort_unstable();
            concerned.dedup();
        }
        for member in concerned {
            self.members[member].access(number, access);
        }
    }

    fn sync(&mut self, number: u64, sync: &Sync<'_>) {
        let (task, block) = sync.place();
        let of = match sync {
            Sync::BarrierComplete { id: BarrierId::Cluster(_), .. } => self.by_task.get(&task),
            _ => self.by_block.get(&(task, block)),
        };
        for &member in of.into_iter().flatten() {
            self.members[member].sync(number, sync);
        }
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        let task = match event {
            HostEvent::Range(range) => range.task,
            HostEvent::TaskStart(task) => task.id,
            _ => return,
        };
        for &member in self.by_task.get(&task).into_iter().flatten() {
            self.members[member].host(event);
        }
    }
}

/// Returns a story for each finding.
pub(super) fn tell(trace: &Path, founds: &[Found]) -> Result<Vec<Story>, String> {
    let threads = |crowd: &mut Vec<(usize, Thread)>, i: usize, found: &Found| {
        crowd.extend(found.threads.map(|thread| (i, thread)));
    };
    let mut parties = Vec::new();
    for (i, found) in founds.iter().enumerate() {
        threads(&mut parties, i, found);
    }
    let mut shared = Crowd::new(founds.iter().map(Shared::new).collect());
    for &(i, thread) in &parties {
        shared.of_thread(i, thread);
    }
    let shared = walk(trace, shared)?.0.members;
    let places: Vec<Vec<Key>> = shared.iter().map(|shared| shared.keys.values().copied().collect()).collect();
    let in_places = |crowd: &mut dyn FnMut(usize, Key)| {
        for (i, places) in places.iter().enumerate() {
            places.iter().for_each(|&place| crowd(i, place));
        }
    };
    let mut actors = Crowd::new(shared.into_iter().map(Actors::new).collect());
    in_places(&mut |i, place| actors.of_place(i, place));
    let actors = walk(trace, actors)?.0.members;
    let mut tellers = Crowd::new(actors.into_iter().map(|actors| Teller::new(actors, STEPS)).collect());
    in_places(&mut |i, place| tellers.of_place(i, place));
    for (i, thread) in parties {
        tellers.of_thread(i, thread);
    }
    for i in 0..tellers.members.len() {
        for thread in tellers.members[i].actors.clone() {
            tellers.of_thread(i, thread);
        }
    }
    for list in
        tellers.by_warp.values_mut().chain(tellers.by_block.values_mut()).chain(tellers.by_task.values_mut())
    {
        list.sort_unstable();
        list.dedup();
    }
    Ok(walk(trace, tellers)?.0.members.into_iter().map(Teller::story).collect())
}
