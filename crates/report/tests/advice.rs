//! Advice is a value with a stable JSON form, and each new clue leads to its own.

use events::access::{AccessKind, Proxy, Scope, Space, Strength};
use events::finding::Actor;
use events::task::{HostCall, TaskKind};
use events::{
    BlockId, Class, Evidence, Finding, Frame, Level, Side, Site, SiteId, SiteTable, StreamId, SyncNote,
    TaskId, TaskInfo, ThreadId,
};
use report::advice::{Chooser, Way, help};
use report::explain::Explainer;
use report::source::Sources;

/// Sites 0 and 1 are the accesses at lines 10 and 20 of a kernel, 2 to 5 strong operations of its lines 30 to 60.
fn sites() -> SiteTable {
    let mut sites = SiteTable::default();
    let texts = [
        "st.global.u32",
        "ld.global.u32",
        "st.volatile.u32",
        "ld.volatile.u32",
        "membar.cta",
        "st.release.gpu.u32",
    ];
    for (i, text) in texts.into_iter().enumerate() {
        let line = 10 * (i as u32 + 1);
        let frame = Frame { file: "main.cu".into(), line, column: 1, function: "_Z1kv".into() };
        let function = "_Z1kv".into();
        sites.push(Site {
            function,
            text: text.into(),
            ptx_line: line,
            frames: vec![frame],
            variable: None,
            role: None,
        });
    }
    sites
}

fn side(site: u32, block: u32, kind: AccessKind) -> Side {
    Side {
        site: Some(SiteId(site)),
        task: TaskId(1),
        who: Actor::Thread { block: BlockId(block), thread: ThreadId(0) },
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: 64,
        size: 4,
    }
}

fn finding(class: Class, notes: Vec<SyncNote>) -> Finding {
    Finding {
        lens: "ptx".into(),
        level: Level::Race,
        class,
        evidence: Evidence::Observed,
        space: Space::Global,
        sides: [side(0, 0, AccessKind::Write), side(1, 1, AccessKind::Read)],
        notes,
        count: 1,
    }
}

fn ways(finding: &Finding) -> Vec<Way> {
    Chooser { finding, sites: &sites(), tasks: [None, None], contended: false }.ways()
}

/// Why, and what helps.
fn said(class: Class, notes: Vec<SyncNote>) -> (String, String) {
    explained(&finding(class, notes))
}

fn explained(finding: &Finding) -> (String, String) {
    let (sites, sources) = (sites(), Sources::new(None));
    (
        Explainer { sites: &sites, sources: &sources }.why(finding, &|at| format!("{:#x}", at.address)),
        help(&ways(finding)),
    )
}

#[test]
fn the_json_form_is_stable_and_can_be_read_back() {
    let notes = vec![SyncNote::NoRelease { flag: Some(SiteId(2)) }];
    let ways = ways(&finding(Class::MissingFence, notes));
    let json = serde_json::to_value(&ways).unwrap();
    let step = &json[0]["steps"][0];
    assert_eq!((&step["do"], &step["reach"]), (&"insert-fence".into(), &"device".into()));
    let (first, flag) = (&step["at"]["between"][0], &step["at"]["between"][1]);
    assert_eq!((&first["role"], &first["line"]), (&"first".into(), &10.into()));
    assert_eq!((&flag["role"], &flag["instruction"]), (&"flag-set".into(), &"st.volatile.u32".into()));
    assert_eq!(json[1]["steps"][0]["do"], "order");
    assert_eq!(serde_json::from_value::<Vec<Way>>(json).unwrap(), ways);
}

#[test]
fn a_flag_that_is_set_before_the_data_is_to_be_moved() {
    let (why, help) = said(Class::MissingFence, vec![SyncNote::SetTooEarly { flag: SiteId(2) }]);
    assert!(why.contains("was set by `st.volatile.u32` (main.cu:30) before (1)"), "{why}");
    assert!(help.starts_with("move the store of the flag, and the fence before it, after (1)"), "{help}");
}

#[test]
fn a_flag_of_another_thread_needs_a_barrier() {
    let by = |mates| SyncNote::SetByAnother { flag: SiteId(2), read: None, mates };
    let (why, help) = said(Class::MissingFence, vec![by(false)]);
    assert!(why.contains("another thread of the block"), "{why}");
    assert!(help.starts_with("put a `__syncthreads()` between (1) and the store of the flag"), "{help}");
    let (why, help) = said(Class::MissingFence, vec![by(true)]);
    assert!(why.contains("another lane of the warp"), "{why}");
    assert!(help.starts_with("put a `__syncwarp()` between (1) and the store of the flag"), "{help}");
}

#[test]
fn who_acquired_for_another_has_to_meet_it() {
    let by = |mates| SyncNote::ReadByAnother { read: SiteId(3), mates };
    let (why, help) = said(Class::MissingFence, vec![by(true)]);
    assert!(why.contains("by `ld.volatile.u32` (main.cu:40), but by another lane of the warp"), "{why}");
    assert!(help.starts_with("put a `__syncwarp()` between the read of the flag and (2)"), "{help}");
    let (why, help) = said(Class::MissingFence, vec![by(false)]);
    assert!(why.contains("another thread of the block"), "{why}");
    // A barrier before the fence is none.
    assert!(why.contains("no barrier lies between its acquire (that read, or the fence after it)"), "{why}");
    assert!(help.starts_with("put a `__syncthreads()` between the read of the flag and (2)"), "{help}");
}

#[test]
fn an_update_that_is_lost_needs_an_atomic_and_no_barrier() {
    let mut lost = finding(Class::DivergentWarp, vec![SyncNote::LockstepOnly { site: None }]);
    lost.sides = [side(1, 0, AccessKind::Read), side(6, 0, AccessKind::Write)];
    let sites = {
        let mut sites = sites();
        let load = sites.get(SiteId(1)).unwrap().clone();
        sites.push(Site { text: "st.global.u32".into(), ptx_line: load.ptx_line + 1, ..load });
        sites
    };
    let chooser = |contended| Chooser { finding: &lost, sites: &sites, tasks: [None, None], contended };
    let text = help(&chooser(true).ways());
    assert!(text.starts_with("make both accesses atomic") && !text.contains("__syncwarp"), "{text}");
    // No store of neighbours that are read and overwritten meets another.
    let text = help(&chooser(false).ways());
    assert!(text.starts_with("read into a variable first, then `__syncwarp()`"), "{text}");
}

#[test]
fn what_is_written_first_cannot_be_read_into_a_variable_before() {
    let mut found = finding(Class::MissingBarrier, vec![]);
    found.sides = [side(1, 0, AccessKind::Write), side(6, 0, AccessKind::Read)];
    let load = sites().get(SiteId(1)).unwrap().clone();
    let said = |reads_at, named: &str| {
        let mut sites = sites();
        let mut frames = load.frames.clone();
        frames[0].function = named.into();
        sites.push(Site { text: "ld.global.u32".into(), ptx_line: reads_at, frames, ..load.clone() });
        help(&Chooser { finding: &found, sites: &sites, tasks: [None, None], contended: false }.ways())
    };
    assert!(said(load.ptx_line + 1, "_Z1kv").starts_with("put a `__syncthreads()` between"));
    assert!(said(load.ptx_line - 1, "_Z1kv").starts_with("read into a variable first"));
    assert!(said(load.ptx_line - 1, "_Z5otherv").starts_with("put a `__syncthreads()` between"));
}

#[test]
fn a_copy_that_begins_too_early_has_to_wait_for_the_readers() {
    let mut found = finding(Class::AsyncCopy, vec![SyncNote::BegunTooEarly]);
    let op = events::AsyncOpId(3);
    found.sides = [side(1, 0, AccessKind::Read), side(0, 0, AccessKind::AsyncWrite { op })];
    let (why, text) = explained(&found);
    assert!(why.contains("(2) was started while (1) could still be under way"), "{why}");
    assert!(
        text.starts_with("put a `__syncwarp()` before (2)") && !text.contains("__pipeline_wait"),
        "{text}"
    );
}

#[test]
fn a_discarded_line_is_not_made_atomic() {
    let mut sites = sites();
    let load = sites.get(SiteId(1)).unwrap().clone();
    sites.push(Site { text: "discard.global.L2".into(), ..load });
    let mut found = finding(Class::InterBlock, vec![SyncNote::Nothing]);
    found.sides = [side(1, 0, AccessKind::Read), side(6, 1, AccessKind::Write)];
    let text =
        help(&Chooser { finding: &found, sites: &sites, tasks: [None, None], contended: false }.ways());
    assert!(text.starts_with("discard only lines") && !text.contains("atomic"), "{text}");
}

#[test]
fn a_volatile_access_beside_a_plain_one_asks_for_another_strong_one() {
    let notes =
        vec![SyncNote::NoRelease { flag: Some(SiteId(2)) }, SyncNote::NoAcquire { flag: Some(SiteId(3)) }];
    let mut found = finding(Class::MissingFence, notes);
    found.sides = [side(3, 0, AccessKind::Read), side(0, 1, AccessKind::Write)];
    found.sides[0].strength = Strength::Volatile;
    let (_, text) = explained(&found);
    assert!(text.starts_with("make (2) atomic"), "{text}");
}

#[test]
fn a_proxy_fence_stands_where_memory_is_given_back() {
    let missing = SyncNote::ProxyFenceMissing { from: Proxy::Generic, to: Proxy::Async };
    let mut found = finding(Class::Proxy, vec![missing]);
    found.sides = [side(1, 0, AccessKind::Read), side(0, 0, AccessKind::Write)];
    found.sides[1].proxy = Proxy::Async;
    assert!(explained(&found).1.starts_with("put `fence.proxy.async` after the reads (1)"));
    found.sides.swap(0, 1);
    found.sides[0].kind = AccessKind::Read;
    found.sides[1].kind = AccessKind::Write;
    assert!(explained(&found).1.starts_with("put `fence.proxy.async` before (2)"));
}

#[test]
fn one_scope_is_named_once() {
    let notes = vec![SyncNote::StrongScopes { first: Scope::Cta, second: Scope::Cta }];
    let (why, _) = said(Class::AtomicScope, notes);
    assert!(why.starts_with("both have block scope"), "{why}");
}

/// Steps of a barrier of cooperative groups in memory are no flags that the user forgot to read with acquire.
#[test]
fn the_words_of_a_librarys_barrier_are_no_flags() {
    let said = |function: &str| {
        let mut sites = sites();
        let inside = Frame {
            file: "/opt/cuda/include/cooperative_groups/details/sync.h".into(),
            line: 82,
            column: 1,
            function: function.into(),
        };
        let user = Frame { file: "main.cu".into(), line: 15, column: 1, function: "_Z1kv".into() };
        let text = "atom.add.release.gpu.u32".into();
        sites.push(Site {
            function: "_Z1kv".into(),
            text,
            ptx_line: 9,
            frames: vec![inside, user],
            variable: None,
            role: None,
        });
        let found = finding(Class::MissingFence, vec![SyncNote::NoAcquire { flag: Some(SiteId(6)) }]);
        let sources = Sources::new(None);
        let why = Explainer { sites: &sites, sources: &sources }.why(&found, &|_| String::new());
        let chooser = Chooser { finding: &found, sites: &sites, tasks: [None, None], contended: false };
        (why, help(&chooser.ways()))
    };
    let (why, text) = said("_ZN18cooperative_groups4__v17details17sync_grids_arriveEPVj");
    assert!(why.contains("only arrives") && why.contains("main.cu:15"), "{why}");
    assert!(text.starts_with("make the access after the wait at that barrier"), "{text}");
    let (why, text) = said("_ZN18cooperative_groups4__v17details10sync_gridsEjPVj");
    assert!(why.contains("is not a barrier between the two"), "{why}");
    assert!(text.contains("grid.sync()") && !text.contains("__threadfence"), "{text}");
}

#[test]
fn the_third_thread_that_does_not_pass_on_is_named() {
    let notes = vec![SyncNote::NotPassedOn { read: SiteId(3), write: SiteId(5) }];
    let (why, help) = said(Class::MissingFence, notes);
    assert!(
        why.contains("a third thread") && why.contains("main.cu:40") && why.contains("main.cu:60"),
        "{why}"
    );
    assert!(help.starts_with("put `__threadfence()` between the read of the flag and the store"), "{help}");
}

#[test]
fn the_host_needs_system_scope() {
    let narrow = SyncNote::ScopeTooNarrow { site: SiteId(4), scope: Scope::Cta, needed: Scope::Sys };
    let (why, help) = said(Class::FenceScope, vec![narrow]);
    assert!(why.contains("not all on one GPU"), "{why}");
    assert_eq!(help, "widen it to system scope: `__threadfence_system()`");
    let flag = SyncNote::ScopeTooNarrow { site: SiteId(3), scope: Scope::Gpu, needed: Scope::Sys };
    let (_, help) = said(Class::FenceScope, vec![flag]);
    assert!(help.contains("`cuda::thread_scope_system`"), "{help}");
}

#[test]
fn who_arrived_has_yet_to_wait() {
    let (why, help) = said(Class::ClusterDsmem, vec![SyncNote::NotAwaited { site: SiteId(5) }]);
    assert!(why.contains("only arrives"), "{why}");
    assert!(help.starts_with("make the access after the wait at that barrier"), "{help}");
    let (why, help) = said(Class::InterBlock, vec![SyncNote::NotObserved { release: SiteId(5) }]);
    assert!(why.contains("does not read what it wrote"), "{why}");
    assert!(help.starts_with("let its thread wait before (2)"), "{help}");
}

#[test]
fn one_statement_that_reads_and_writes_is_split() {
    let mut one = finding(Class::MissingBarrier, vec![]);
    one.sides = [side(0, 0, AccessKind::Read), side(0, 0, AccessKind::Write)];
    let help = help(&ways(&one));
    assert!(help.starts_with("read into a variable first, then `__syncthreads()`, then write"), "{help}");
}

#[test]
fn nodes_of_a_graph_need_an_edge() {
    let call = HostCall { api: "cudaGraphLaunch".into(), site: None, within: None };
    let task = TaskInfo {
        id: TaskId(1),
        kind: TaskKind::Copy,
        stream: StreamId(1),
        after: vec![],
        call,
        device: 0,
        overlap: None,
        launcher: None,
    };
    let finding = finding(Class::InterKernel, vec![SyncNote::UnorderedTasks]);
    let chooser =
        Chooser { finding: &finding, sites: &sites(), tasks: [Some(&task), Some(&task)], contended: false };
    let text = help(&chooser.ways());
    assert!(text.contains("cudaGraphAddDependencies") && !text.contains("one stream"), "{text}");
    // Two launching calls make two graphs.
    let other = TaskInfo {
        call: HostCall { api: "cudaGraphLaunch".into(), site: Some(SiteId(2)), within: None },
        ..task.clone()
    };
    let text = help(&Chooser { tasks: [Some(&task), Some(&other)], ..chooser }.ways());
    assert!(!text.contains("cudaGraphAddDependencies") && text.contains("cudaStreamWaitEvent"), "{text}");
}

/// An object of 1 or 2 bytes is swapped by libcu++ with the word around it.
#[test]
fn a_part_of_a_word_that_a_library_swaps_is_named() {
    let mut sites = sites();
    let file = "/opt/cuda/include/cccl/cuda/std/__atomic/functions/cuda_ptx_generated.h".into();
    let inside = Frame { file, line: 1255, column: 1, function: "_Z4swapv".into() };
    let user = Frame { file: "main.cu".into(), line: 10, column: 1, function: "_Z1kv".into() };
    let text = "atom.cas.relaxed.gpu.b32".into();
    let frames = vec![inside, user];
    sites.push(Site { function: "_Z1kv".into(), text, ptx_line: 9, frames, variable: None, role: None });
    let mut found = finding(Class::MixedSize, vec![SyncNote::PartialOverlap]);
    let swap = AccessKind::Atomic { op: events::AtomicOp::Cas, returns: true };
    found.sides = [side(6, 0, swap), side(3, 1, AccessKind::Read)];
    found.sides[1].size = 2;
    let sources = Sources::new(None);
    let why = Explainer { sites: &sites, sources: &sources }.why(&found, &|_| String::new());
    assert!(why.contains("libcu++ makes an atomic of 1 or 2 bytes of a compare-and-swap"), "{why}");
    let chooser = Chooser { finding: &found, sites: &sites, tasks: [None, None], contended: false };
    let text = help(&chooser.ways());
    assert!(text.starts_with("make (2) atomic"), "{text}");
}
