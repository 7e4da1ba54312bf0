//! Accesses of the registers of matrix products that no wait and no fence orders (docs/assumptions.md, 12d).

use crate::support;

use events::{Access, Dim3, Misuse, Monitor, Observer, Sync};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use support::Machine;

const FENCE: &str = "wgmma.fence.sync.aligned;";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";
/// Products of two shapes, and one with A in registers.
const NARROW: &str =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1, 0, 0;";
const OTHER: &str =
    "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1;";
const OF_REGISTERS: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, \
                            {%r0, %r1, %r2, %r3}, %d0, 1, 1, 1, 0;";
const OF_RESULTS: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, \
                          {%f0, %f1, %f2, %f3}, %d0, 1, 1, 1, 0;";

#[derive(Clone, Default)]
struct Ear {
    pairs: Arc<Mutex<BTreeSet<String>>>,
    names: Arc<Vec<String>>,
}

impl Observer for Ear {
    fn access(&mut self, _: &Access<'_>) {}

    fn sync(&mut self, sync: &Sync<'_>) {
        let Sync::Misuse { site, what: Misuse::ProductRegister(pair), .. } = sync else { return };
        let name = |site: events::SiteId| self.names[site.0 as usize].as_str();
        let first = pair.first.map_or("nothing", name);
        let part = if pair.accumulator { "D" } else { "A" };
        let missing = if pair.unwaited { "wait" } else { "fence" };
        self.pairs.lock().unwrap().insert(format!("{first}, {}: {part}, {missing}", name(*site)));
    }
}

impl events::Listener for Ear {
    fn host(&self, _: &events::HostEvent<'_>) {}

    fn findings(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn account(&self) -> events::Account {
        events::Account::default()
    }
}

impl Monitor for Ear {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        self.clone()
    }
}

/// Returns the pairs that a kernel with this body reports, by the first words of their instructions.
fn pairs(body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_90a\n.address_size 64
         .visible .entry k(.param .u64 out) {{
             .reg .pred %p; .reg .b64 %d<2>; .reg .b32 %r<8>; .reg .b16 %h<2>; .reg .f32 %f<12>;
             .shared .align 128 .b8 tiles[4096];
             ld.param.u64 %d1, [out]; mov.b64 %d0, 0x1000080000; mov.u32 %r7, tiles; mov.u32 %r5, %tid.x; cvt.rn.f32.u32 %f8, %r5;
             {body}
             {WAIT}
             ret;
         }}"
    );
    let m = Machine::new(&text);
    let first_word = |text: &str| text.split([' ', '.']).next().unwrap_or_default().to_owned();
    let names = m.sites.iter().map(|(_, site)| first_word(&site.text)).collect();
    let ear = Ear { names: Arc::new(names), ..Ear::default() };
    let out = m.alloc(4096);
    let mut grid = m.grid("k", Dim3::ONE, Dim3::new(128, 1, 1), args![out], Arc::new(ear.clone()));
    assert_eq!(grid.run(1 << 20), simt::Progress::Finished, "{body}");
    drop(grid);
    let pairs = std::mem::take(&mut *ear.pairs.lock().unwrap());
    pairs.into_iter().collect()
}

#[test]
fn orderly_products_report_nothing() {
    for body in [
        format!("{FENCE} {NARROW} {COMMIT} {WAIT} add.f32 %f9, %f0, %f1;"),
        // Products of one shape follow each other on an accumulator.
        format!("{FENCE} {NARROW} {NARROW} {COMMIT} {NARROW} {COMMIT} {WAIT} {NARROW} {COMMIT}"),
        // A fence is enough between two shapes.
        format!("{FENCE} {NARROW} {FENCE} {OTHER} {COMMIT}"),
        // Two groups with one wait each.
        format!(
            "{FENCE} {NARROW} {COMMIT} {OF_REGISTERS} {COMMIT} wgmma.wait_group.sync.aligned 1; add.f32 %f9, %f0, %f1;"
        ),
        // `mov` gives names: behind the fence, and to what is not complete yet.
        format!("{FENCE} mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; {NARROW} {COMMIT}"),
        format!("{FENCE} {NARROW} {COMMIT} mov.f32 %f9, %f0; {WAIT} add.f32 %f9, %f9, %f1;"),
        format!("add.f32 %f9, %f8, %f8; {FENCE} mov.f32 %f0, %f9; {NARROW} {COMMIT}"),
        format!("mov.b32 %r0, {{%h0, %h1}}; {FENCE} {OF_REGISTERS} {COMMIT} {WAIT} add.u32 %r0, %r0, 1;"),
        // Two reads of a fragment of A.
        format!("{FENCE} {OF_REGISTERS} {COMMIT} st.global.u32 [%d1], %r0;"),
        format!("{FENCE} st.global.u32 [%d1], %r0; {OF_REGISTERS} {OF_REGISTERS} {COMMIT}"),
        // Other registers are not looked at.
        format!("{FENCE} {NARROW} add.f32 %f9, %f8, %f10; {COMMIT}"),
    ] {
        assert_eq!(pairs(&body), [""; 0], "{body}");
    }
}

#[test]
fn accesses_before_the_wait_are_reported() {
    for (body, expected) in [
        (format!("{FENCE} {NARROW} {COMMIT} add.f32 %f9, %f0, %f8;"), "wgmma, add: D, wait"),
        (format!("{FENCE} {NARROW} {COMMIT} add.f32 %f0, %f8, %f8;"), "wgmma, add: D, wait"),
        (format!("{FENCE} {NARROW} {COMMIT} mov.f32 %f0, 0f00000000;"), "wgmma, mov: D, wait"),
        (format!("{FENCE} {NARROW} st.global.f32 [%d1], %f3; {COMMIT}"), "wgmma, st: D, wait"),
        // The copy stands for what is not complete, and the fence is no wait.
        (
            format!("{FENCE} {NARROW} {COMMIT} mov.f32 %f9, %f0; add.f32 %f10, %f9, %f8;"),
            "wgmma, add: D, wait",
        ),
        (format!("{FENCE} {NARROW} {COMMIT} {FENCE} add.f32 %f9, %f0, %f8;"), "wgmma, add: D, wait"),
        (
            format!(
                "{FENCE} {OF_REGISTERS} {COMMIT} {NARROW} {COMMIT} wgmma.wait_group.sync.aligned 1; add.f32 %f9, %f0, %f8;"
            ),
            "wgmma, add: D, wait",
        ),
        (format!("{FENCE} {OF_REGISTERS} {COMMIT} add.u32 %r0, %r0, 1;"), "wgmma, add: A, wait"),
        (format!("{FENCE} {OF_REGISTERS} {COMMIT} ld.global.u32 %r3, [%d1];"), "wgmma, ld: A, wait"),
        (format!("{FENCE} {NARROW} {COMMIT} {FENCE} {OF_RESULTS} {COMMIT}"), "wgmma, wgmma: D, wait"),
        (format!("{FENCE} {OF_RESULTS} {COMMIT} {FENCE} {NARROW} {COMMIT}"), "wgmma, wgmma: A, wait"),
        // In a loop, from one round to the next.
        (
            format!(
                "mov.u32 %r6, 0; {FENCE} L: add.f32 %f9, %f0, %f8; {NARROW} {COMMIT} add.u32 %r6, %r6, 1;
                     setp.lt.u32 %p, %r6, 2; @%p bra L;"
            ),
            "wgmma, add: D, wait",
        ),
    ] {
        let found = pairs(&body);
        assert!(found.iter().any(|pair| pair == expected), "{body}: {found:?}");
        assert!(found.iter().all(|pair| pair == expected || body.contains("bra")), "{body}: {found:?}");
    }
}

#[test]
fn products_without_a_fence_are_reported() {
    for (body, expected) in [
        (format!("{NARROW} {COMMIT}"), "nothing, wgmma: D, fence"),
        (format!("add.f32 %f0, %f8, %f8; {NARROW} {COMMIT}"), "add, wgmma: D, fence"),
        (format!("{FENCE} add.f32 %f0, %f8, %f8; {NARROW} {COMMIT}"), "add, wgmma: D, fence"),
        (
            format!("{FENCE} add.f32 %f9, %f8, %f8; mov.f32 %f0, %f9; {NARROW} {COMMIT}"),
            "add, wgmma: D, fence",
        ),
        (
            format!("{FENCE} {NARROW} {COMMIT} {WAIT} st.global.f32 [%d1], %f0; {NARROW} {COMMIT}"),
            "st, wgmma: D, fence",
        ),
        (format!("{FENCE} cvt.u32.u16 %r0, %h0; {OF_REGISTERS} {COMMIT}"), "cvt, wgmma: A, fence"),
        (format!("{FENCE} {NARROW} {OTHER} {COMMIT}"), "wgmma, wgmma: D, fence"),
        (format!("{FENCE} {NARROW} {COMMIT} {WAIT} {OTHER} {COMMIT}"), "wgmma, wgmma: D, fence"),
        // A fence on one of two ways.
        (
            format!(
                "{FENCE} setp.ge.u32 %p, %r5, 64; add.f32 %f0, %f8, %f8; @%p bra L; {FENCE} L: {NARROW} {COMMIT}"
            ),
            "add, wgmma: D, fence",
        ),
    ] {
        assert_eq!(pairs(&body), [expected], "{body}");
    }
}
