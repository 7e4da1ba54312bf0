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
        sites.push(Site { function, text: text.into(), ptx_line: line, frames: vec![frame], variable: None });
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
    Chooser { finding, sites: &sites(), tasks: [None, None] }.ways()
}

/// Why, and what helps.
fn said(class: Class, notes: Vec<SyncNote>) -> (String, String) {
    let finding = finding(class, notes);
    let (sites, sources) = (sites(), Sources::new(None));
    (
        Explainer { sites: &sites, sources: &sources }.why(&finding, &|at| format!("{:#x}", at.address)),
        help(&ways(&finding)),
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
    let (why, help) = said(Class::MissingFence, vec![SyncNote::SetByAnother { flag: SiteId(2) }]);
    assert!(why.contains("another thread of the block"), "{why}");
    assert!(help.starts_with("put a `__syncthreads()` between (1) and the store of the flag"), "{help}");
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
    assert!(help.starts_with("wait at that barrier before the access"), "{help}");
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
    let call = HostCall { api: "cudaGraphLaunch".into(), site: None };
    let task = TaskInfo {
        id: TaskId(1),
        kind: TaskKind::Copy,
        stream: StreamId(1),
        after: vec![],
        call,
        device: 0,
        overlap: None,
    };
    let finding = finding(Class::InterKernel, vec![SyncNote::UnorderedTasks]);
    let chooser = Chooser { finding: &finding, sites: &sites(), tasks: [Some(&task), Some(&task)] };
    let help = help(&chooser.ways());
    assert!(help.contains("cudaGraphAddDependencies") && !help.contains("one stream"), "{help}");
}
