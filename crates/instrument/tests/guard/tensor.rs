//! Tests operations on tensor memory that nothing has waited for (docs/assumptions.md, 12e).

use crate::guardian::{module, options, races_of};
use events::SiteTable;
use instrument::guard::{Options, guard};
use instrument::pass::Pass;

const STORE: &str = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%r1};";
const LOAD: &str = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r6}, [%r5];";
const STORED: &str = "tcgen05.wait::st.sync.aligned;";
const LOADED: &str = "tcgen05.wait::ld.sync.aligned;";
const FREE: &str = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 32;";

/// Returns a module whose first warp allocates 32 columns, at `%r5`; lanes of the warp at `%r7`.
fn text(body: &[&str]) -> String {
    module(&body.join("\n"))
        .replace(".version 7.1", ".version 8.6")
        .replace(".target sm_80", ".target sm_100a")
        .replace(
            "shl.b32 %r4, %r1, 2;",
            "shl.b32 %r4, %r1, 2; setp.ge.u32 %p4, %r1, 32; @%p4 bra ALLOCATED; \
             tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32; \
             ALLOCATED: bar.sync 0; ld.shared.u32 %r5, [%r3]; shr.u32 %r7, %r1, 5; and.b32 %r7, %r7, 3; \
             shl.b32 %r7, %r7, 21; add.u32 %r7, %r7, %r5; setp.eq.u32 %p5, %r1, 0;",
        )
}

/// Returns the races of the positions of a body's instructions, executed by so many threads.
fn races(body: &[&str], threads: u32) -> Vec<(i32, i32)> {
    races_of(&text(body), 1, threads)
}

/// Returns a module with operations of every kind.
pub(crate) fn checked() -> String {
    text(&[
        STORE,
        "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r6, %r8}, [%r5+8];",
        "tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd2, %rd3, %r6, %p1;",
        "tcgen05.mma.ws.cta_group::1.kind::f16 [%r5], [%r6], %rd3, %r6, %p1;",
        "tcgen05.mma.sp.cta_group::1.kind::f16 [%r5], [%r6], %rd3, [%r6], %r6, %p1;",
        "tcgen05.cp.cta_group::1.128x256b [%r5], %rd2;",
        "tcgen05.shift.cta_group::1.down [%r5];",
        "@%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r1;",
        FREE,
    ])
}

/// A launch may receive the table's address.
#[test]
fn checks_are_harmless_wherever_the_table_is() {
    for text in [checked(), super::registers::checked()] {
        let with = Options { table: None, told: true, ..options() };
        let guarded = guard(&text, &with, &mut SiteTable::default(), &|_| true).unwrap();
        let declared = Pass::Guard(with, None).declared(guarded.checks.len() as u32);
        validate::validate(&text, &guarded.text, &declared)
            .unwrap_or_else(|fault| panic!("{fault}\n{}", guarded.text));
    }
}

#[test]
fn operations_that_were_waited_for_race_with_none() {
    for body in [
        &[STORE, STORED, LOAD, LOADED, FREE][..],
        // Two loads.
        &[LOAD, LOAD, LOADED, FREE],
        // Other columns, and other lanes of one quarter.
        &[STORE, "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5+1], {%r1};", STORED, FREE],
        &[
            "tcgen05.st.sync.aligned.16x64b.x1.b32 [%r5], {%r1};",
            "add.u32 %r5, %r5, 1048576;",
            "tcgen05.st.sync.aligned.16x64b.x1.b32 [%r5], {%r1};",
            "sub.u32 %r5, %r5, 1048576;",
            STORED,
            FREE,
        ],
        // In a loop.
        &[
            "mov.u32 %r8, 0;",
            "L:",
            STORE,
            STORED,
            LOAD,
            LOADED,
            "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 3; @%p3 bra L;",
            FREE,
        ],
    ] {
        assert_eq!(races(body, 32), [], "{body:?}");
    }
    // A barrier hands on what a warp has waited for.
    let other = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r1};";
    let body = [
        "@%p4 bra L;",
        STORE,
        STORED,
        "L: bar.sync 0;",
        "@!%p4 bra M;",
        other,
        "M:",
        STORED,
        "bar.sync 0;",
        "@%p4 ret;",
        FREE,
    ];
    assert_eq!(races(&body, 160), []);
}

#[test]
fn operations_that_were_not_waited_for_race() {
    let second = "tcgen05.st.sync.aligned.16x64b.x1.b32 [%r5+1], {%r1};";
    for (body, expected) in [
        (&[STORE, LOAD, LOADED, STORED, FREE][..], (0, 1)),
        (&[LOAD, STORE, LOADED, STORED, FREE], (0, 1)),
        (&[STORE, STORE, STORED, FREE], (0, 1)),
        (&[STORE, FREE, STORED], (0, 1)),
        // A wait for the other kind.
        (&[STORE, LOADED, LOAD, LOADED, STORED, FREE], (0, 2)),
        // Two columns, of which the second one is shared.
        (&["tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r6, %r8}, [%r5];", second, LOADED, STORED, FREE], (0, 1)),
        // In a loop, from one round to the next.
        (
            &[
                "mov.u32 %r8, 0;",
                "L:",
                LOAD,
                STORE,
                LOADED,
                "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 2; @%p3 bra L;",
                STORED,
                FREE,
            ],
            (2, 3),
        ),
    ] {
        let found = races(body, 32);
        assert!(found.contains(&expected), "{body:?}: {found:?}");
        assert!(found.len() == 1 || body.contains(&"L:"), "{body:?}: {found:?}");
    }
    // Another warp stores behind a barrier.
    let other = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r1};";
    let body = [
        "@%p4 bra L;",
        STORE,
        "L: bar.sync 0;",
        "@!%p4 bra M;",
        other,
        "M: bar.sync 0;",
        STORED,
        "bar.sync 0;",
        "@%p4 ret;",
        FREE,
    ];
    assert_eq!(races(&body, 160), [(1, 4)]);
}
