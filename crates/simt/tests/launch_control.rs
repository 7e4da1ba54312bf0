//! Clusters that are cancelled before they begin, and whose work others take over (PTX §9.7.14.18).

use crate::support::Machine;
use events::Dim3;

/// Each block adds 1 to its cell, and its number + 1 to the cell of who did the work, then takes over another block.
const KERNELS: &str = "
.version 8.7\n.target sm_100a\n.address_size 64
.visible .entry persist(.param .u64 out, .param .u32 blocks) {
    .reg .b64 %out, %x; .reg .b32 %t, %n, %at, %own, %phase, %all; .reg .pred %p, %q; .reg .b128 %r;
    .shared .align 16 .b8 response[16]; .shared .align 8 .b64 bar;
    ld.param.u64 %out, [out]; ld.param.u32 %all, [blocks];
    mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; mov.u32 %own, %ctaid.x; mov.u32 %at, %own; mov.u32 %phase, 0;
    @%p mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
    AGAIN:
    @%p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
    @%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [bar];
    mul.wide.u32 %x, %at, 4; add.u64 %x, %out, %x; @%p red.global.add.u32 [%x], 1;
    add.u32 %n, %at, %all; mul.wide.u32 %x, %n, 4; add.u64 %x, %out, %x; add.u32 %n, %own, 1;
    @%p red.global.add.u32 [%x], %n;
    WAIT: mbarrier.try_wait.parity.shared.b64 %q, [bar], %phase; @!%q bra WAIT;
    ld.shared.b128 %r, [response];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q, %r;
    @!%q ret;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%at, _, _, _}, %r;
    xor.b32 %phase, %phase, 1; fence.proxy.async.shared::cta; bar.sync 0; bra AGAIN;
}
.visible .entry pairs(.param .u64 out, .param .u32 blocks) {
    .reg .b64 %out, %x; .reg .b32 %t, %rank, %at, %phase; .reg .pred %p, %q, %f; .reg .b128 %r;
    .shared .align 16 .b8 response[16]; .shared .align 8 .b64 bar;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; mov.u32 %rank, %cluster_ctarank; setp.eq.and.u32 %f, %rank, 0, %p;
    mov.u32 %at, %ctaid.x; mov.u32 %phase, 0;
    @%p mbarrier.init.shared.b64 [bar], 1; barrier.cluster.arrive; barrier.cluster.wait;
    AGAIN:
    @%p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
    @%f clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.shared::cta.b128 [response], [bar];
    mul.wide.u32 %x, %at, 4; add.u64 %x, %out, %x; @%p red.global.add.u32 [%x], 1;
    WAIT: mbarrier.try_wait.parity.shared.b64 %q, [bar], %phase; @!%q bra WAIT;
    ld.shared.b128 %r, [response];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q, %r;
    @!%q bra DONE;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %at, %r; add.u32 %at, %at, %rank;
    xor.b32 %phase, %phase, 1; fence.proxy.async.shared::cta;
    barrier.cluster.arrive; barrier.cluster.wait; bra AGAIN;
    DONE: barrier.cluster.arrive; barrier.cluster.wait; ret;
}
.visible .entry ask(.param .u64 out, .param .u32 blocks) {
    .reg .b32 %x; .reg .b64 %zero; .reg .b128 %r;
    mov.b64 %zero, 0; mov.b128 %r, {%zero, %zero};
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %r; ret;
}
";

const BLOCKS: usize = 12;

#[test]
fn each_block_is_run_or_cancelled_once() {
    let machine = Machine::new(KERNELS);
    let out = machine.alloc(8 * BLOCKS as u64);
    machine.finish("persist", BLOCKS as u32, 32, args![out, BLOCKS as u32]);
    let words = machine.words(out, 2 * BLOCKS);
    assert_eq!(words[..BLOCKS], [1; BLOCKS]);
    let others = (0..BLOCKS).filter(|&at| words[BLOCKS + at] != at as u32 + 1).count();
    // The first block takes over all others but a quarter.
    assert_eq!(others, BLOCKS - 1 - BLOCKS / 4);
}

#[test]
fn all_blocks_of_a_cluster_receive_a_response() {
    let mut machine = Machine::new(KERNELS);
    machine.cluster = Dim3 { x: 2, y: 1, z: 1 };
    let out = machine.alloc(4 * BLOCKS as u64);
    machine.finish("pairs", BLOCKS as u32, 32, args![out, BLOCKS as u32]);
    assert_eq!(machine.words(out, BLOCKS), [1; BLOCKS]);
}

#[test]
fn a_response_without_a_cluster_has_no_first_block() {
    let machine = Machine::new(KERNELS);
    let out = machine.alloc(4);
    let (failure, _) = machine.run("ask", 1, 1, args![out, 1u32]);
    assert!(format!("{failure:?}").contains("not cancelled"), "{failure:?}");
}
