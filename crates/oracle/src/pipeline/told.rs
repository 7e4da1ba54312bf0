//! The events of a run, as an engine emits them.

use super::accesses::flag;
use super::program::{Object, Op, Program, Range};
use super::run::{At, Run, Step, What};
use crate::interleave::site;
use events::access::Warp;
use events::sync::{Member, NO_PHASE, ProxyWay};
use events::{
    Access, AccessKind, AsyncOpId, AtomicOp, BarrierId, BarrierMembers, BlockId, LaneMask, Observer, Proxy,
    Scope, Sem, SiteId, Space, Strength, Sync, TaskId, WarpId,
};

/// The thread that emits an event.
#[derive(Clone, Copy)]
struct Speaker {
    warp: Warp,
    /// The lowest of the lanes that execute the instruction together.
    lane: u8,
    lanes: LaneMask,
    site: SiteId,
}

struct Teller<'a> {
    program: &'a Program,
    run: &'a Run,
    task: TaskId,
    lanes: Vec<u32>,
    observer: &'a mut dyn Observer,
}

/// Sends the events of a run to an observer. The site of each is [`site`]'s.
pub fn tell(program: &Program, run: &Run, task: TaskId, observer: &mut dyn Observer) {
    let mut teller = Teller { program, run, task, lanes: program.lanes(), observer };
    for block in (0..program.blocks()).map(BlockId) {
        teller.observer.sync(&Sync::BlockStart { task, block });
    }
    let mut number = 0;
    while number < run.steps.len() {
        let together = teller.together(number);
        teller.step(number, together);
        number += together;
    }
    for block in (0..program.blocks()).map(BlockId) {
        teller.observer.sync(&Sync::BlockEnd { task, block });
    }
}

fn id(operation: usize) -> AsyncOpId {
    AsyncOpId(operation as u64 + 1)
}

fn place(object: Object) -> (Space, u64) {
    (object.range().space, object.range().start)
}

impl Teller<'_> {
    fn warp(&self, thread: usize) -> Warp {
        let thread = &self.program.threads[thread];
        Warp { task: self.task, block: BlockId(thread.block), warp: WarpId(thread.warp) }
    }

    fn speaker(&self, At { thread, index }: At) -> Speaker {
        let (lane, site) = (self.lanes[thread] as u8, site(self.program.leader(thread), index));
        Speaker { warp: self.warp(thread), lane, lanes: 1 << lane, site }
    }

    /// Returns the number of steps from `number` on that are one instruction of several lanes.
    fn together(&self, number: usize) -> usize {
        let steps = &self.run.steps[number..];
        let op = |step: &Step| self.program.threads[step.at.thread].code[step.at.index];
        let one = |nth: usize, step: &Step| {
            let first = &steps[0];
            let same = step.at.index == first.at.index && step.at.thread == first.at.thread + nth;
            let leader = self.program.leader(step.at.thread) == self.program.leader(first.at.thread);
            let follow = step.operations.len() == first.operations.len()
                && step
                    .operations
                    .iter()
                    .zip(&first.operations)
                    .all(|(own, of_first)| *own == of_first + nth);
            same && leader && follow && (step.what, step.phase) == (What::Ran, first.phase)
        };
        let merges = matches!(
            op(&steps[0]),
            Op::Copy { .. }
                | Op::Access { .. }
                | Op::Wait { .. }
                | Op::ProxyFence { .. }
                | Op::Fence { .. }
                | Op::Await { .. }
        );
        let count = || steps.iter().enumerate().take_while(|(nth, step)| one(*nth, step)).count();
        if merges && steps[0].what == What::Ran { count() } else { 1 }
    }

    fn step(&mut self, number: usize, together: usize) {
        let step = &self.run.steps[number];
        let op = self.program.threads[step.at.thread].code[step.at.index];
        match step.what {
            What::Completed(operation) => self.completed(step, operation),
            What::Passed => self.passed(number),
            What::Ran => self.ran(number, op, together),
        }
    }

    fn completed(&mut self, step: &Step, operation: usize) {
        let Some((object, _)) = self.run.operations[operation].signals else { return };
        let ((space, address), phase) = (place(object), step.phase.unwrap_or(0));
        let event = Sync::MbarrierCompleteTx { task: self.task, space, address, phase, op: id(operation) };
        self.observer.sync(&event);
    }

    /// One event completes the barrier for all threads that pass it.
    fn passed(&mut self, number: usize) {
        let steps = &self.run.steps;
        let passes = |n: usize| steps[n].what == What::Passed && steps[n].turn == steps[number].turn;
        if number > 0 && passes(number - 1) {
            return;
        }
        let threads = (number..steps.len()).take_while(|&n| passes(n)).map(|n| steps[n].at.thread);
        let members: Vec<Member> = threads
            .map(|thread| {
                let (lanes, warp) = (1 << self.lanes[thread], self.warp(thread));
                Member { block: warp.block, warp: warp.warp, arrived: lanes, waited: lanes }
            })
            .collect();
        let (task, block, id) = (self.task, self.speaker(steps[number].at).warp.block, BarrierId::Cta(0));
        let whole = self.program.threads.iter().filter(|t| t.block == block.0).count() == members.len();
        let members = if whole { BarrierMembers::WholeBlock } else { BarrierMembers::Some(&members) };
        self.observer.sync(&Sync::BarrierComplete { task, block, id, members });
    }

    fn ran(&mut self, number: usize, op: Op, together: usize) {
        let step = &self.run.steps[number];
        let mut by = self.speaker(step.at);
        by.lanes = (0..together).fold(0, |lanes, nth| lanes | 1 << (usize::from(by.lane) + nth));
        let Speaker { warp, site, lanes, .. } = by;
        let gpu = Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu };
        match op {
            Op::Access { at, writes } => self.access(by, at, kind(writes), Strength::Weak),
            Op::Reduce { at } => {
                self.access(by, at, AccessKind::Atomic { op: AtomicOp::Add, returns: false }, gpu);
            }
            Op::Flag { number, writes, sem, scope } => {
                self.access(by, flag(number), kind(writes), Strength::Strong { sem, scope });
            }
            Op::Fence { sem, scope } => self.observer.sync(&Sync::Fence { warp, site, lanes, sem, scope }),
            Op::ProxyFence { space } => {
                let (proxy, way) = (Proxy::Async, ProxyWay::Both);
                self.observer.sync(&Sync::ProxyFence { warp, site, lanes, proxy, space, way });
            }
            Op::Barrier => {
                let (id, sem) = (BarrierId::Cta(0), Sem::AcqRel);
                self.observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: true, sem });
            }
            Op::ClusterArrive => self.cluster_arrive(step, by),
            Op::ClusterWait => self.observer.sync(&Sync::ClusterWait { warp, site, lanes }),
            Op::Copy { .. }
            | Op::Bulk { .. }
            | Op::Multicast { .. }
            | Op::Remote { .. }
            | Op::Product { .. } => {
                step.operations.iter().for_each(|&operation| self.begun(by, op, operation));
            }
            Op::Wait { .. } => self.waited(by, step, false, false),
            Op::BulkWait { reads, .. } => self.waited(by, step, reads, false),
            Op::ProductWait { .. } => self.waited(by, step, false, true),
            Op::Commit | Op::BulkCommit | Op::ProductCommit | Op::Skip => {}
            _ => self.on_object(by, step, op),
        }
    }

    fn cluster_arrive(&mut self, step: &Step, Speaker { warp, lanes, site, .. }: Speaker) {
        let (id, sem) = (BarrierId::Cluster(BlockId(0)), Sem::Release);
        self.observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: false, sem });
        let arrived: Vec<usize> = {
            let turn = |s: &&Step| s.turn == step.turn && s.what == What::Ran;
            let arrives = |s: &&Step| self.program.threads[s.at.thread].code[s.at.index] == Op::ClusterArrive;
            let all = self.run.steps.iter().filter(turn).filter(arrives).map(|s| s.at.thread);
            all.collect()
        };
        if arrived.last() != Some(&step.at.thread) {
            return;
        }
        let members: Vec<Member> = arrived
            .iter()
            .map(|&thread| {
                let (lanes, warp) = (1 << self.lanes[thread], self.warp(thread));
                Member { block: warp.block, warp: warp.warp, arrived: lanes, waited: 0 }
            })
            .collect();
        let (task, block, members) = (self.task, BlockId(0), BarrierMembers::Some(&members));
        self.observer.sync(&Sync::BarrierComplete { task, block, id, members });
    }

    /// Reports the accesses of an operation.
    fn begun(&mut self, by: Speaker, op: Op, operation: usize) {
        let moved = self.run.operations[operation];
        let proxy = match op {
            Op::Copy { .. } | Op::Remote { .. } => Proxy::Generic,
            _ => Proxy::Async,
        };
        let writes = match op {
            Op::Bulk { reduces: true, .. } => Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu },
            Op::Remote { reduces: true, .. } => Strength::Strong { sem: Sem::Relaxed, scope: Scope::Cluster },
            _ => Strength::Weak,
        };
        let op = id(operation);
        if let Some(from) = moved.from {
            self.access_by(by, from, AccessKind::AsyncRead { op }, Strength::Weak, proxy);
        }
        if let Some(to) = moved.to {
            self.access_by(by, to, AccessKind::AsyncWrite { op }, writes, proxy);
        }
        if let Some((object, _)) = moved.signals {
            self.touch(by, object, Some(op));
        }
    }

    fn waited(&mut self, by: Speaker, step: &Step, reads_only: bool, together: bool) {
        let ops: Vec<AsyncOpId> = step.operations.iter().map(|&operation| id(operation)).collect();
        if !ops.is_empty() {
            let Speaker { warp, lanes, site, .. } = by;
            let event = Sync::AsyncWaited { warp, site, lanes, ops: &ops, reads_only, together };
            self.observer.sync(&event);
        }
    }

    fn touch(&mut self, Speaker { warp, lanes, site, .. }: Speaker, object: Object, op: Option<AsyncOpId>) {
        let (space, address) = place(object);
        self.observer.sync(&Sync::MbarrierTouch { warp, site, lanes, space, address, op });
    }

    fn on_object(&mut self, by: Speaker, step: &Step, op: Op) {
        let Some(object) = op.object() else { return };
        let Speaker { warp, lane, lanes, site } = by;
        let ((space, address), phase) = (place(object), step.phase.unwrap_or(NO_PHASE));
        let ids: Vec<AsyncOpId> = step.operations.iter().map(|&operation| id(operation)).collect();
        let arrives =
            |sem, scope| Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope };
        let tracks = Sync::AsyncArrive { warp, site, lane, ops: &ids, space, address, phase };
        match op {
            Op::Init { count: expected, .. } => {
                self.observer.sync(&Sync::MbarrierInit { warp, site, lane, space, address, expected });
            }
            Op::Inval { .. } => self.observer.sync(&Sync::MbarrierInval { warp, site, lane, space, address }),
            Op::Expect { .. } => self.observer.sync(&tracks),
            Op::Arrive { sem, scope, .. } => self.observer.sync(&arrives(sem, scope)),
            Op::ArriveCopies { noinc, .. } => {
                self.observer.sync(&tracks);
                if noinc {
                    self.observer.sync(&arrives(Sem::Relaxed, Scope::Cta));
                }
            }
            Op::Await { sem, scope, .. } => {
                self.observer.sync(&Sync::MbarrierWait {
                    warp,
                    site,
                    lanes,
                    space,
                    address,
                    phase,
                    sem,
                    scope,
                });
            }
            _ => {}
        }
    }

    fn access(&mut self, by: Speaker, range: Range, kind: AccessKind, strength: Strength) {
        self.access_by(by, range, kind, strength, Proxy::Generic);
    }

    fn access_by(&mut self, by: Speaker, range: Range, kind: AccessKind, strength: Strength, proxy: Proxy) {
        // Each lane's bytes are behind those of the one before.
        let mut addresses = [0; 32];
        let each = (usize::from(by.lane)..32).zip(0..).filter(|(lane, _)| by.lanes >> lane & 1 != 0);
        each.for_each(|(lane, nth)| addresses[lane] = range.start + nth * range.bytes);
        let mask = by.lanes;
        self.observer.access(&Access {
            warp: by.warp,
            site: by.site,
            space: range.space,
            kind,
            strength,
            proxy,
            size: range.bytes as u32,
            elements: 1,
            mask,
            addresses: &addresses,
            stride: None,
            stored: if kind.writes() { mask } else { 0 },
            values: (matches!(strength, Strength::Strong { .. }) && kind.operation().is_none())
                .then_some(&[(0, 0); 32]),
            written: Default::default(),
        });
    }
}

fn kind(writes: bool) -> AccessKind {
    if writes { AccessKind::Write } else { AccessKind::Read }
}
