//! One finding stands for many pairs of accesses: its advice mends all of them, and never lets threads wait for threads that
//! do not come.

use events::access::{AccessKind, Proxy, Space, Strength};
use events::finding::Actor;
use events::{
    AsyncOpId, BlockId, Class, Evidence, Finding, Frame, Level, Role, Side, Site, SiteId, SiteTable,
    SyncNote, TaskId, ThreadId,
};
use names::Engine;
use protocol::{Reported, RunResult};
use report::advice::{Chooser, Group, Step};
use report::explain::Explainer;
use report::model::Described;
use report::rule::CLASSES;
use report::source::Sources;
use report::{Checking, Ending, Run, describe};

const COPY: AccessKind = AccessKind::AsyncWrite { op: AsyncOpId(1) };

/// Sites 0 to 3 at lines 10 to 40 of one kernel, and a barrier between the first two.
fn sites() -> SiteTable {
    let mut sites = without_barrier();
    let bar = sites.get(SiteId(3)).unwrap().clone();
    sites.push(Site { ptx_line: 15, ..bar });
    sites
}

fn without_barrier() -> SiteTable {
    let mut sites = SiteTable::default();
    for text in ["cp.async.ca.shared.global", "ld.shared.u32", "st.volatile.u32", "bar.sync 0"] {
        let line = 10 * (1 + sites.iter().count() as u32);
        let frames = vec![Frame { file: "main.cu".into(), line, column: 1, function: "_Z1kv".into() }];
        let text = text.into();
        sites.push(Site { function: "_Z1kv".into(), text, ptx_line: line, frames, ..Site::default() });
    }
    sites
}

fn side(site: u32, thread: u16, kind: AccessKind) -> Side {
    Side {
        site: Some(SiteId(site)),
        task: TaskId(1),
        who: Actor::Thread { block: BlockId(0), thread: ThreadId(thread) },
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: 64,
        size: 4,
    }
}

fn found(class: Class, sides: [Side; 2], notes: Vec<SyncNote>) -> Finding {
    Finding {
        lens: "ptx".into(),
        level: Level::Race,
        class,
        evidence: Evidence::Observed,
        space: Space::Shared(BlockId(0)),
        sides,
        notes,
        count: 1,
    }
}

/// Returns the report of pairs of two lines.
fn together(findings: Vec<Finding>) -> Described {
    together_at(sites(), findings)
}

fn together_at(sites: SiteTable, findings: Vec<Finding>) -> Described {
    let reported = |finding| Reported {
        engine: Engine::Virtual,
        finding,
        allocation: None,
        others: Vec::new(),
        tensor: None,
        schedules: Vec::new(),
    };
    let findings = findings.into_iter().map(reported).collect();
    let result = RunResult { sites, findings, uses_cuda: true, ..RunResult::default() };
    let sources = Sources::new(None);
    let document = describe(&Run {
        results: &[result],
        program: "./app".into(),
        command: &[],
        ending: Ending::Exit(0),
        checking: Checking::Detect,
        replay: &|_, _| String::new(),
        inconclusive: Vec::new(),
        sources: &sources,
        interleavings: Default::default(),
    });
    let [one] = &document.races[..] else { panic!("{} findings", document.races.len()) };
    one.clone()
}

/// The read comes first, and the copy of the next round is started too early.
fn refilled(reader: u16) -> Finding {
    let sides = [side(1, reader, AccessKind::Read), side(0, 0, COPY)];
    found(Class::AsyncCopy, sides, vec![SyncNote::BegunTooEarly])
}

/// The same accesses, the other way round.
fn beside(reader: u16) -> Finding {
    let sides = [side(0, 0, COPY), side(1, reader, AccessKind::Read)];
    found(Class::AsyncCopy, sides, vec![SyncNote::NotWaited])
}

#[test]
fn a_buffer_that_is_refilled_too_early_gets_the_widest_barrier() {
    for order in [[1, 64], [64, 1]] {
        let described = together(order.map(refilled).to_vec());
        assert!(described.fix.starts_with("put a `__syncthreads()` before (2)"), "{}", described.fix);
    }
}

#[test]
fn a_read_beside_the_next_copy_asks_for_no_wait_first() {
    for order in [[refilled(64), beside(64)], [beside(64), refilled(64)]] {
        let described = together(order.to_vec());
        assert_eq!(described.accesses[0].line, 20, "the read comes first");
        assert!(described.fix.starts_with("put a `__syncthreads()` before (2)"), "{}", described.fix);
        let [first, both] = &described.advice[..2] else { panic!("{:?}", described.advice) };
        assert!(!first.steps.iter().any(|step| matches!(step, Step::WaitFor { .. })));
        assert!(both.steps.iter().any(|step| matches!(step, Step::WaitFor { .. })));
    }
}

#[test]
fn the_widest_of_the_pairs_whose_read_comes_first_is_shown() {
    for order in [[refilled(1), refilled(64), beside(64)], [beside(64), refilled(1), refilled(64)]] {
        let described = together(order.to_vec());
        assert!(described.fix.starts_with("put a `__syncthreads()` before (2)"), "{}", described.fix);
        assert!(!described.fix.contains("__syncwarp"), "{}", described.fix);
    }
}

/// Warps that have not begun to copy are overtaken by the readers, too.
#[test]
fn a_copy_with_no_barrier_behind_it_is_waited_for_first() {
    for order in [[refilled(64), beside(64)], [beside(64), refilled(64)]] {
        let described = together_at(without_barrier(), order.to_vec());
        assert_eq!(described.accesses[0].line, 10, "the copy comes first");
        assert!(described.fix.starts_with("wait for the copy"), "{}", described.fix);
    }
}

/// A thread that reads what its own copy may still write has not waited.
#[test]
fn a_copy_that_its_own_thread_does_not_wait_for_needs_both_changes() {
    let described = together(vec![refilled(64), beside(64), beside(0)]);
    let both = &described.advice[0];
    assert!(both.steps.iter().any(|step| matches!(step, Step::WaitFor { .. })));
    assert!(both.steps.iter().any(|step| matches!(step, Step::InsertBarrier { group: Group::Block, .. })));
}

#[test]
fn a_flag_of_another_thread_without_a_fence_needs_a_barrier_and_a_fence() {
    let sides = || [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)];
    let by = SyncNote::SetByAnother { flag: SiteId(2), read: None, mates: false };
    let barrier = found(Class::MissingBarrier, sides(), vec![by]);
    let fence = found(Class::MissingFence, sides(), vec![SyncNote::NoRelease { flag: Some(SiteId(2)) }]);
    for order in [[barrier.clone(), fence.clone()], [fence, barrier]] {
        let described = together(order.to_vec());
        let text = &described.fix;
        assert!(text.contains("`__syncthreads()`") && text.contains("__threadfence"), "{text}");
    }
}

#[test]
fn a_lane_that_signals_for_its_warp_and_a_thread_that_does_for_its_block_need_the_wider_barrier() {
    let sides = |thread| [side(0, thread, AccessKind::Write), side(1, 128, AccessKind::Read)];
    let by = |mates| vec![SyncNote::ArrivedByAnother { arrive: SiteId(2), mates }];
    let pairs = [(1, true), (64, false)];
    let described =
        together(pairs.map(|(t, mates)| found(Class::MissingBarrier, sides(t), by(mates))).to_vec());
    assert!(
        described.fix.starts_with("put a `__syncthreads()` between (1) and the arrival"),
        "{}",
        described.fix
    );
}

/// Whatever the class and whatever was tried: warps on two ways of a branch do not meet at `__syncthreads()`.
#[test]
fn warps_of_two_roles_never_meet_at_a_barrier_of_the_block() {
    let role = |taken| Some(Role { branch: 5, line: 8, taken, repeated: false });
    let notes = [
        SyncNote::Nothing,
        SyncNote::BegunTooEarly,
        SyncNote::NotWaited,
        SyncNote::WaitedAlone,
        SyncNote::PartialOverlap,
        SyncNote::ArrivedByAnother { arrive: SiteId(2), mates: false },
        SyncNote::WaitedByAnother { wait: SiteId(2), mates: false },
        SyncNote::SetByAnother { flag: SiteId(2), read: None, mates: false },
        SyncNote::ReadByAnother { read: SiteId(2), mates: false },
    ];
    for (one, other) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut all = SiteTable::default();
        for (id, site) in sites().iter() {
            let taken = if id == SiteId(1) { other } else { one };
            all.push(Site { role: role(taken), ..site.clone() });
        }
        for class in CLASSES {
            for note in &notes {
                for kinds in
                    [[AccessKind::Write, AccessKind::Read], [AccessKind::Write; 2], [COPY, AccessKind::Read]]
                {
                    let sides = [side(0, 64, kinds[0]), side(1, 0, kinds[1])];
                    let finding = found(class, sides, vec![note.clone()]);
                    let ways =
                        Chooser { finding: &finding, sites: &all, tasks: [None, None], contended: false }
                            .ways();
                    assert!(!ways.is_empty());
                    let block = |step: &Step| {
                        matches!(
                            step,
                            Step::InsertBarrier { group: Group::Block, .. }
                                | Step::SplitStatement { group: Group::Block, .. }
                        )
                    };
                    let waits = ways.iter().flat_map(|way| &way.steps).find(|step| block(step));
                    assert!(waits.is_none(), "{class:?} {note:?} {kinds:?} {one} {other}: {waits:?}");
                }
            }
        }
    }
}

#[test]
fn warps_that_met_apart_are_named_with_their_barriers() {
    let places = vec![(SiteId(3), vec![0, 2]), (SiteId(2), vec![1])];
    let sides = [side(0, 64, AccessKind::Write), side(1, 0, AccessKind::Read)];
    let finding = found(Class::MissingBarrier, sides, vec![SyncNote::MetApart { places }]);
    let (sites, sources) = (sites(), Sources::new(None));
    let why = Explainer { sites: &sites, sources: &sources }.why(&finding, &|_| String::new());
    assert!(why.contains("warps 0 and 2 at `__syncthreads()` (main.cu:40) and warp 1 at"), "{why}");
    assert!(!why.contains("no barrier"), "{why}");
}
