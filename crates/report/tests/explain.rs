//! Every class and every note has words, and the words name what they are about.

use events::access::{AccessKind, Proxy, Scope, Sem, Space, Strength};
use events::finding::Actor;
use events::{
    BlockId, Class, Evidence, Finding, Frame, Level, Location, Side, Site, SiteId, SiteTable, SyncNote,
    TaskId, ThreadId,
};
use report::advice::{Chooser, help};
use report::explain::Explainer;
use report::source::Sources;

const CLASSES: [Class; 27] = [
    Class::VolatileWarp,
    Class::MissingBarrier,
    Class::DivergentWarp,
    Class::SameInstruction,
    Class::AtomicScope,
    Class::FenceScope,
    Class::LockScope,
    Class::MissingFence,
    Class::WeakVsAtomic,
    Class::MixedSize,
    Class::LockMissing,
    Class::LockWrong,
    Class::AsyncCopy,
    Class::Proxy,
    Class::ClusterDsmem,
    Class::InterBlock,
    Class::InterKernel,
    Class::HostDevice,
    Class::MemcpyAsync,
    Class::MultiGpu,
    Class::ClobberedRead,
    Class::LostUpdate,
    Class::DivergentBarrier,
    Class::MaskWithoutCaller,
    Class::UninitializedRead,
    Class::WgmmaRegisters,
    Class::TensorMemory,
];

fn finding(class: Class, notes: Vec<SyncNote>) -> Finding {
    let side = Side {
        site: Some(SiteId(0)),
        task: TaskId(0),
        who: Actor::Thread { block: BlockId(0), thread: ThreadId(0) },
        kind: AccessKind::Write,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: 0,
        size: 4,
    };
    Finding {
        lens: "ptx".into(),
        level: Level::Race,
        class,
        evidence: Evidence::Observed,
        space: Space::Global,
        sides: [side.clone(), side],
        notes,
        count: 1,
    }
}

/// Site 0 is a block-scope fence at main.cu:12, site 1 a shuffle without lines.
fn sites() -> SiteTable {
    let mut sites = SiteTable::default();
    let frame = Frame { file: "main.cu".into(), line: 12, column: 5, function: "_Z1kv".into() };
    for (text, frames) in [("membar.cta", vec![frame]), ("shfl.sync.down.b32 %r1, %r2, 1, 31, -1", vec![])] {
        let (function, text) = ("_Z1kv".into(), text.into());
        sites.push(Site { function, text, ptx_line: 30, frames, variable: None, role: None });
    }
    sites
}

fn why(class: Class, notes: Vec<SyncNote>) -> String {
    let (sites, sources) = (sites(), Sources::new(None));
    let location = |at: Location| format!("`lock{}`", at.address / 16);
    Explainer { sites: &sites, sources: &sources }.why(&finding(class, notes), &location)
}

fn fix(finding: &Finding) -> String {
    help(&Chooser { finding, sites: &sites(), tasks: [None, None], contended: false }.ways())
}

#[test]
fn every_class_has_a_reason_and_a_way_out() {
    for class in CLASSES {
        for notes in [vec![], vec![SyncNote::Nothing]] {
            let reason = why(class, notes.clone());
            assert!(reason.len() > 20, "{class:?}: {reason}");
            let way_out = fix(&finding(class, notes));
            assert!(way_out.len() > 20, "{class:?}: {way_out}");
            for text in [reason, way_out] {
                assert!(!text.ends_with('.') && !text.contains("  "), "{class:?}: {text:?}");
            }
        }
    }
}

#[test]
fn notes_name_lines_scopes_and_sections() {
    let narrow = SyncNote::ScopeTooNarrow { site: SiteId(0), scope: Scope::Cta, needed: Scope::Gpu };
    assert_eq!(
        why(Class::FenceScope, vec![narrow.clone()]),
        "`__threadfence_block()` (main.cu:12) reaches only the threads of one block, but those that it should order are \
         in different blocks (PTX §8.5)"
    );
    assert_eq!(fix(&finding(Class::FenceScope, vec![narrow])), "widen it to device scope: `__threadfence()`");

    let shuffle = why(Class::DivergentWarp, vec![SyncNote::LockstepOnly { site: Some(SiteId(1)) }]);
    assert!(shuffle.starts_with("`__shfl_sync()` (PTX line 30) exchanges registers"), "{shuffle}");

    let scopes = SyncNote::StrongScopes { first: Scope::Cta, second: Scope::Gpu };
    assert!(fix(&finding(Class::AtomicScope, vec![scopes])).contains("`atomicAdd`"));
    let both_narrow = SyncNote::StrongScopes { first: Scope::Cta, second: Scope::Cta };
    assert!(fix(&finding(Class::AtomicScope, vec![both_narrow])).contains("device scope"));
    let two_devices = SyncNote::StrongScopes { first: Scope::Gpu, second: Scope::Gpu };
    assert!(fix(&finding(Class::AtomicScope, vec![two_devices])).contains("`_system`"));

    let no_acquire = vec![SyncNote::NoAcquire { flag: None }];
    assert!(fix(&finding(Class::MissingFence, no_acquire)).contains("after the read of the flag"));
    let no_release = vec![SyncNote::NoRelease { flag: Some(SiteId(0)) }];
    assert!(why(Class::MissingFence, no_release.clone()).contains("main.cu:12"));
    assert!(fix(&finding(Class::MissingFence, no_release)).contains("between (1) and the store of the flag"));

    let neither = vec![SyncNote::NoRelease { flag: Some(SiteId(0)) }, SyncNote::NoAcquire { flag: None }];
    let text = why(Class::MissingFence, neither.clone());
    assert!(
        text.starts_with("the two threads meet at a flag, `__threadfence_block()` (main.cu:12), but")
            && !text.contains(';'),
        "{text}"
    );
    assert!(fix(&finding(Class::MissingFence, neither)).contains("and after the read of the flag"));

    let lock = |address| Location { space: Space::Global, address };
    let locks = SyncNote::Locks { first: vec![lock(0x10)], second: vec![lock(0x20), lock(0x30)] };
    let text = why(Class::LockWrong, vec![locks]);
    assert_eq!(
        text,
        "the lock in `lock1` is held at (1) and the locks in `lock2` and `lock3` are held at (2): none in common"
    );
}

#[test]
fn several_notes_are_one_explanation_without_repetition() {
    let fence = SyncNote::FenceAlone { site: SiteId(0), sem: Sem::Sc };
    let text = why(Class::InterBlock, vec![fence.clone(), fence, SyncNote::PartialOverlap]);
    assert_eq!(text.matches("alone orders nothing").count(), 1);
    assert!(text.contains("; both accesses are strong"), "{text}");
}

#[test]
fn sites_that_do_not_exist_are_no_reason_to_fail() {
    let text = why(Class::MissingFence, vec![SyncNote::OtherBarrier { site: SiteId(99) }]);
    assert!(text.starts_with("an instruction is not a barrier"), "{text}");
}

#[test]
fn a_barrier_is_no_help_between_stores_of_one_line() {
    let mut found = finding(Class::MissingBarrier, vec![]);
    assert!(fix(&found).starts_with("let one thread store"));
    found.sides[1].kind = AccessKind::Read;
    assert!(fix(&found).starts_with("read into a variable first, then `__syncthreads()`"));
}

/// No barrier helps where memory changes beside a copy, or beside the host.
#[test]
fn what_changes_beside_copies_and_the_host_is_ordered_by_calls() {
    for class in [Class::ClobberedRead, Class::LostUpdate] {
        let mut found = finding(class, vec![]);
        found.sides[1].who = Actor::Unseen;
        assert!(!fix(&found).contains("Synchronize"), "{}", fix(&found));
        found.sides[0].who = Actor::HostThread(1);
        assert!(fix(&found).starts_with("call `cudaStreamSynchronize`"), "{}", fix(&found));
        found.sides[0].who = Actor::Engine;
        assert!(fix(&found).contains("`cudaStreamWaitEvent`"), "{}", fix(&found));
    }
}
