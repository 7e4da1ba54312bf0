//! Tensor memory: what is refused, with the instruction at fault, and what waits (PTX §9.7.17.7 and §9.7.17.8).

use crate::support;

use events::Dim3;
use simt::{FailureKind, Progress, WaitingFor};
use support::Machine;

/// A kernel of warps: `%w` is the warp, `%d` what was allocated last.
fn text(cluster: u32, body: &str) -> String {
    let cluster = if cluster > 1 { format!(".reqnctapercluster {cluster}, 1, 1") } else { String::new() };
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64
         .visible .entry k(.param .u64 out) {cluster} {{
             .reg .b64 %out, %x; .reg .b32 %r<9>, %t, %w, %d; .reg .pred %first, %other;
             .shared .b32 place;
             ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5;
             mul.wide.u32 %x, %t, 4; add.u64 %out, %out, %x;
             setp.eq.u32 %first, %w, 0; setp.eq.u32 %other, %w, 1;
             {body}
             ret;
         }}"
    )
}

const ALLOC: &str =
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 64; ld.shared.u32 %d, [place];";
const FREE: &str = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 64;";

fn run(threads: u32, body: &str) -> Progress {
    let m = Machine::new(&text(1, body));
    let out = m.alloc(4096);
    m.run("k", 1, threads, args![out]).0
}

fn refusal(threads: u32, body: &str) -> String {
    match run(threads, body) {
        Progress::Failed(failure) => {
            assert!(failure.site.is_some(), "{failure:?}");
            match failure.kind {
                FailureKind::IllegalInstruction { why } => why,
                kind => format!("{kind:?}"),
            }
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn misuse_is_refused() {
    let load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1},";
    for (body, why) in [
        (ALLOC.to_owned(), "the block ends, and 64 columns of tensor memory are not deallocated"),
        (format!("{ALLOC} {load} [%d + 64]; {FREE}"), "tensor memory, column 64, outside of an allocation"),
        (format!("{ALLOC} {FREE} {load} [%d + 3];"), "tensor memory, column 3, which has been deallocated"),
        (format!("{ALLOC} {FREE} {FREE}"), "tcgen05.dealloc of 64 columns at address 0x0"),
        (
            format!("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; {ALLOC} {FREE}"),
            "tcgen05.alloc after tcgen05.relinquish_alloc_permit",
        ),
        (
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 48;".to_owned(),
            "48 columns of tensor memory, not a power of two",
        ),
        (
            format!("{ALLOC} {load} [%d + 2097152]; {FREE}"),
            "tcgen05.ld of lanes 32 to 63 by warp 0, which may access lanes 0 to 31",
        ),
        (
            format!("{ALLOC} tcgen05.dealloc.cta_group::2.sync.aligned.b32 %d, 64;"),
            "`.cta_group::1` and `.cta_group::2` in one kernel",
        ),
        (
            "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], 64;".to_owned(),
            "`.cta_group::2` in a block without a peer",
        ),
    ] {
        let told = refusal(32, &body);
        assert!(told.starts_with(why), "{body}: {told}");
    }
}

/// The second warp's allocation waits until the first one has freed all.
#[test]
fn an_allocation_waits_for_memory() {
    let all = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 512;";
    let free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 512;";
    let body = format!("@%first {all} bar.sync 0; @%other {all} @%first {free} bar.sync 0; @%other {free}");
    match run(64, &body) {
        // The barrier behind its allocation is not reached by the second warp before it.
        Progress::Finished => {}
        other => panic!("{other:?}"),
    }
    let stuck = format!("@%first {all} bar.sync 0; @%other {all} bar.sync 0; @%first {free} @%other {free}");
    let Progress::Failed(failure) = run(64, &stuck) else { panic!("it ends") };
    let FailureKind::Deadlock { waiting } = failure.kind else { panic!("{failure:?}") };
    assert!(waiting.iter().any(|waiting| waiting.what == WaitingFor::TensorMemory), "{waiting:?}");
}

/// Both blocks of a pair get one address, and shapes of loads and stores are each other's inverse.
#[test]
fn a_pair_allocates_together() {
    let body =
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], 128; ld.shared.u32 %d, [place];
                mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 128, %d; st.global.u32 [%out], %r1;
                tcgen05.dealloc.cta_group::2.sync.aligned.b32 %d, 128;";
    let m = Machine::new(&text(2, body));
    let out = m.alloc(4096);
    let mut m = m;
    m.cluster = Dim3::new(2, 1, 1);
    m.finish("k", 2, 32, args![out]);
}

/// The lanes of a warp reached a request at different times, and the warp did not wait for the peer block.
#[test]
fn lanes_that_come_apart_wait_for_the_peer() {
    // One lane loops until another group of its warp has its turn.
    let body = "mov.u32 %r1, %ctaid.x; xor.b32 %r2, %r1, 1; or.b32 %r2, %r2, %t; setp.ne.u32 %other, %r2, 0;
         @%other bra HERE;
         mov.u32 %r3, 5000;
         AGAIN: sub.u32 %r3, %r3, 1; setp.ne.u32 %first, %r3, 0; @%first bra AGAIN;
         HERE: tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], 128; ld.shared.u32 %d, [place];
         tcgen05.dealloc.cta_group::2.sync.aligned.b32 %d, 128;";
    let mut m = Machine::new(&text(2, body));
    let out = m.alloc(4096);
    m.cluster = Dim3::new(2, 1, 1);
    m.finish("k", 2, 32, args![out]);
}

/// Blocks of a pair that asked for different things asked again and again.
#[test]
fn different_requests_of_a_pair_are_a_deadlock() {
    let body = "mov.u32 %r1, %ctaid.x; shl.b32 %r2, 64, %r1;
         tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], %r2;";
    let mut m = Machine::new(&text(2, body));
    let out = m.alloc(4096);
    m.cluster = Dim3::new(2, 1, 1);
    let Progress::Failed(failure) = m.run("k", 2, 32, args![out]).0 else { panic!("it ends") };
    let FailureKind::Deadlock { waiting } = failure.kind else { panic!("{failure:?}") };
    assert!(waiting.iter().all(|waiting| waiting.what == WaitingFor::TensorMemory), "{waiting:?}");
}

#[test]
fn loads_and_stores_of_a_shape_are_inverse() {
    for (shape, count, registers) in
        [("32x32b", 4, 4), ("16x64b", 4, 4), ("16x128b", 2, 4), ("16x256b", 1, 4), ("16x32bx2", 4, 4)]
    {
        for packed in [false, true] {
            let split = if shape == "16x32bx2" { ", 16" } else { "" };
            let (pack, unpack) = if packed { (".pack::16b", ".unpack::16b") } else { ("", "") };
            let list = |base: usize| {
                (base..base + registers).map(|i| format!("%r{i}")).collect::<Vec<_>>().join(", ")
            };
            let set: String = (0..4).map(|i| format!("mad.lo.u32 %r{i}, %t, 65539, {};", 4099 * i)).collect();
            let check: String = (0..4)
                .map(|i| format!("xor.b32 %r{0}, %r{i}, %r{0}; or.b32 %r8, %r8, %r{0};", i + 4))
                .collect();
            let body = format!(
                "{ALLOC} {set} mov.u32 %r8, 0;
                 tcgen05.st.sync.aligned.{shape}.x{count}{unpack}.b32 [%d]{split}, {{{}}}; tcgen05.wait::st.sync.aligned;
                 tcgen05.ld.sync.aligned.{shape}.x{count}{pack}.b32 {{{}}}, [%d]{split}; tcgen05.wait::ld.sync.aligned;
                 {check} st.global.u32 [%out], %r8; {FREE}",
                list(0),
                list(4),
            );
            let m = Machine::new(&text(1, &body));
            let out = m.alloc(4096);
            m.finish("k", 1, 32, args![out]);
            assert_eq!(m.words(out, 32), [0; 32], "{shape}, packed: {packed}");
        }
    }
}

/// Table of §9.7.17.2.3.1: the cell of each register, by a store of one shape and loads of single columns.
#[test]
fn registers_have_the_cells_of_their_shape() {
    let cell = |shape: &str, lane: usize, register: usize| match shape {
        "16x64b" => (lane / 4 + 8 * (lane % 2), 2 * register + lane / 2 % 2),
        "16x128b" => (lane / 4 + 8 * (register % 2), lane % 4 + 4 * (register / 2)),
        "16x256b" => (lane / 4 + 8 * (register / 2 % 2), lane % 4 * 2 + register % 2 + 8 * (register / 4)),
        _ => (lane % 16, register + if lane >= 16 { 16 } else { 0 }),
    };
    for (shape, count, columns) in
        [("16x64b", 4, 8), ("16x128b", 2, 8), ("16x256b", 1, 8), ("16x32bx2", 4, 20)]
    {
        let split = if shape == "16x32bx2" { ", 16" } else { "" };
        let set: String = (0..4).map(|i| format!("mad.lo.u32 %r{i}, %t, 16, {};", 1 + i)).collect();
        let load: String = (0..columns)
            .map(|c| {
                format!(
                    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r5}}, [%d + {c}]; st.global.u32 [%out + {}], %r5;",
                    128 * c
                )
            })
            .collect();
        let body = format!(
            "{ALLOC} {set} tcgen05.st.sync.aligned.{shape}.x{count}.b32 [%d]{split}, {{%r0, %r1, %r2, %r3}};
             tcgen05.wait::st.sync.aligned; {load} tcgen05.wait::ld.sync.aligned; {FREE}"
        );
        let m = Machine::new(&text(1, &body));
        let out = m.alloc(4096);
        m.finish("k", 1, 32, args![out]);
        let got = m.words(out, 32 * columns);
        for lane in 0..32 {
            for register in 0..4 {
                let (row, column) = cell(shape, lane, register);
                assert_eq!(
                    got[32 * column + row],
                    (16 * lane + 1 + register) as u32,
                    "{shape}: {lane}, {register}"
                );
            }
        }
    }
}

/// The smallest and the largest element of each lane, beside its elements.
#[test]
fn loads_reduce_their_lanes() {
    for (op, want) in [
        ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32", 0x8000_0000u32),
        ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.s32", 5),
        ("tcgen05.ld.red.sync.aligned.32x32b.x2.min.s32", 0x8000_0000),
        ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.f32", 5),
    ] {
        let body = format!(
            "{ALLOC} mov.u32 %r0, 5; mov.u32 %r1, 0x80000000;
             tcgen05.st.sync.aligned.32x32b.x2.b32 [%d], {{%r0, %r1}}; tcgen05.wait::st.sync.aligned;
             {op} {{%r2, %r3}}, %r4, [%d]; tcgen05.wait::ld.sync.aligned;
             st.global.u32 [%out], %r4; {FREE}"
        );
        let m = Machine::new(&text(1, &body));
        let out = m.alloc(4096);
        m.finish("k", 1, 32, args![out]);
        assert_eq!(m.words(out, 32), [want; 32], "{op}");
    }
}

/// A copy of 32 rows to all warps' lanes, shifted down by one row in the first 32.
#[test]
fn copies_and_shifts_move_rows() {
    let body = format!(
        "{{ .reg .b64 %desc; .reg .b32 %s; .reg .pred %p, %done; .shared .align 16 .b32 rows[128];
           .shared .align 8 .b64 object;
           {ALLOC} mov.u32 %s, rows; mad.lo.u32 %s, %t, 4, %s; setp.eq.u32 %p, %t, 0;
           add.u32 %r1, %t, 100; st.shared.u32 [%s], %r1; add.u32 %r1, %r1, 32; st.shared.u32 [%s + 128], %r1;
           add.u32 %r1, %r1, 32; st.shared.u32 [%s + 256], %r1; add.u32 %r1, %r1, 32; st.shared.u32 [%s + 384], %r1;
           @%p mbarrier.init.shared::cta.b64 [object], 1; fence.proxy.async.shared::cta; bar.warp.sync -1;
           mov.u32 %r1, rows; shr.u32 %r1, %r1, 4; cvt.u64.u32 %desc, %r1; or.b64 %desc, %desc, 0x400800000000;
           @%p tcgen05.cp.cta_group::1.32x128b.warpx4 [%d], %desc;
           @%p tcgen05.shift.cta_group::1.down [%d];
           @%p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [object];
           AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %done, [object], 0; @!%done bra AGAIN;
           tcgen05.ld.sync.aligned.32x32b.x2.b32 {{%r2, %r3}}, [%d]; tcgen05.wait::ld.sync.aligned;
           st.global.u32 [%out], %r2; st.global.u32 [%out + 128], %r3; {FREE} }}"
    );
    let m = Machine::new(&text(1, &body));
    let out = m.alloc(4096);
    m.finish("k", 1, 32, args![out]);
    let got = m.words(out, 64);
    for lane in 0..32u32 {
        // Rows of four words.
        let row = lane.saturating_sub(1);
        assert_eq!(
            [got[lane as usize], got[32 + lane as usize]],
            [100 + 4 * row, 101 + 4 * row],
            "lane {lane}"
        );
    }
}
