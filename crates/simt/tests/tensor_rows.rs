//! Tensor copies of four rows (PTX §5.5.3.4), and copies that signal the even block of a pair (§9.7.9.26.5.2).

use crate::support::Machine;
use events::Dim3;
use kernels::tensor_map::{Element, Swizzle, TensorMap};

/// The rows and the columns of the tensor, of 32-bit elements.
const ROWS: usize = 8;
const COLUMNS: usize = 16;

const KERNELS: &str = "
.version 8.6\n.target sm_100a\n.address_size 64
.visible .entry gather(.param .u64 map, .param .u64 out) {
    .reg .b64 %map, %out, %x; .reg .b32 %t, %w; .reg .pred %p, %q;
    .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;
    ld.param.u64 %map, [map]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
    mul.wide.u32 %x, %t, 4; add.u64 %out, %out, %x; mov.u32 %w, tile; mad.lo.u32 %t, %t, 4, %w;
    @%p mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    @%p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    @%p cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%map, {8, 3, 0, 9, 3}], [bar];
    AGAIN: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0; @!%q bra AGAIN;
    ld.shared.b32 %w, [%t]; st.global.b32 [%out], %w; ret;
}
.visible .entry scatter(.param .u64 map, .param .u64 out) {
    .reg .b64 %map; .reg .b32 %t, %w; .reg .pred %p;
    .shared .align 128 .b8 tile[128];
    ld.param.u64 %map, [map]; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; mov.u32 %w, tile;
    mad.lo.u32 %w, %t, 4, %w; st.shared.b32 [%w], %t; fence.proxy.async.shared::cta; bar.sync 0;
    @%p cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%map, {0, 5, 1, 9, 7}], [tile];
    @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0; ret;
}
.visible .entry pair(.param .u64 map, .param .u64 out) {
    .reg .b64 %map, %out, %x; .reg .b32 %t, %w, %b, %m, %n; .reg .pred %p, %q, %e;
    .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;
    ld.param.u64 %map, [map]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
    mov.u32 %b, %cluster_ctarank; mad.lo.u32 %w, %b, 8, %t; mul.wide.u32 %x, %w, 4; add.u64 %out, %out, %x;
    setp.eq.and.u32 %e, %b, 0, %p;
    @%e mbarrier.init.shared.b64 [bar], 1; @%e mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
    barrier.cluster.arrive; barrier.cluster.wait;
    mov.u32 %n, bar; and.b32 %m, %n, -16777217;
    @%p cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%map, {0, %b}], [%m];
    setp.eq.u32 %e, %b, 0; @!%e bra DONE;
    AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0; @!%q bra AGAIN;
    DONE: barrier.cluster.arrive; barrier.cluster.wait;
    setp.lt.u32 %q, %t, 8; mov.u32 %w, tile; mad.lo.u32 %w, %t, 4, %w;
    @%q ld.shared.b32 %w, [%w]; @%q st.global.b32 [%out], %w; ret;
}
";

/// Runs a kernel with a map of a tensor whose elements are `100 * row + column`; returns the tensor and the output.
fn run(kernel: &str, cluster: u32) -> (Vec<u32>, Vec<u32>) {
    let mut machine = Machine::new(KERNELS);
    machine.cluster = Dim3 { x: cluster, y: 1, z: 1 };
    let of_tensor = (0..ROWS * COLUMNS).map(|i| (100 * (i / COLUMNS) + i % COLUMNS) as u32);
    let tensor = machine.upload(&of_tensor.collect::<Vec<_>>());
    let map = TensorMap {
        rank: 2,
        element: Element::U32,
        interleave: 0,
        swizzle: Swizzle::None,
        nan: false,
        address: tensor,
        sizes: [COLUMNS as u64, ROWS as u64, 1, 1, 1],
        strides: [4 * COLUMNS as u64, 0, 0, 0],
        boxed: [8, 1, 1, 1, 1],
        steps: [1; 5],
        im2col: None,
    };
    let words: Vec<u32> =
        map.encode().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (map, out) = (machine.upload(&words), machine.alloc(128));
    machine.finish(kernel, cluster, 32, args![map, out]);
    (machine.words(tensor, ROWS * COLUMNS), machine.words(out, 32))
}

#[test]
fn four_rows_are_gathered() {
    let (_, got) = run("gather", 1);
    let rows = [Some(3), Some(0), None, Some(3)];
    let want = rows.iter().flat_map(|row| (0..8).map(move |i| row.map_or(0, |row: u32| 100 * row + 8 + i)));
    assert_eq!(got, want.collect::<Vec<_>>());
}

#[test]
fn four_rows_are_scattered() {
    let (got, _) = run("scatter", 1);
    for (i, found) in got.iter().enumerate() {
        let (row, column) = (i / COLUMNS, i % COLUMNS);
        let line = [5, 1, 9, 7].iter().position(|&to| to == row).filter(|_| column < 8);
        let want = line.map_or(100 * row + column, |line| 8 * line + column);
        assert_eq!(*found, want as u32, "row {row}, column {column}");
    }
}

#[test]
fn both_blocks_of_a_pair_signal_the_even_one() {
    let (_, got) = run("pair", 2);
    let want: Vec<u32> = (0..16).map(|i| 100 * (i / 8) + i % 8).collect();
    assert_eq!(got[..16], want);
}
