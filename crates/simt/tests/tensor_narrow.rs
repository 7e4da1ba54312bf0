//! Tensor copies of elements of less than a byte (PTX §5.5.1.1).

use crate::support::Machine;
use kernels::tensor_map::{Element, Swizzle, TensorMap};

const KERNELS: &str = "
.version 8.7\n.target sm_100a\n.address_size 64
.visible .entry load(.param .u64 map, .param .u64 out, .param .u32 bytes) {
    .reg .b64 %map, %out, %x; .reg .b32 %t, %w, %v, %n; .reg .pred %p, %q;
    .shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
    ld.param.u64 %map, [map]; ld.param.u64 %out, [out]; ld.param.u32 %n, [bytes];
    mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; mul.wide.u32 %x, %t, 4; add.u64 %out, %out, %x;
    mov.u32 %w, tile; mad.lo.u32 %w, %t, 4, %w; mov.u32 %v, 0xaaaaaaaa; st.shared.b32 [%w], %v;
    @%p mbarrier.init.shared.b64 [bar], 1;
    fence.proxy.async.shared::cta; bar.sync 0;
    @%p mbarrier.arrive.expect_tx.shared.b64 _, [bar], %n;
    @%p cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%map, {128, 1}], [bar];
    AGAIN: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0; @!%q bra AGAIN;
    ld.shared.b32 %v, [%w]; st.global.b32 [%out], %v; ret;
}
.visible .entry store(.param .u64 map, .param .u64 from) {
    .reg .b64 %map, %from, %x; .reg .b32 %t, %w, %v; .reg .pred %p;
    .shared .align 128 .b8 tile[256];
    ld.param.u64 %map, [map]; ld.param.u64 %from, [from];
    mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; mul.wide.u32 %x, %t, 4; add.u64 %from, %from, %x;
    mov.u32 %w, tile; mad.lo.u32 %w, %t, 4, %w; ld.global.b32 %v, [%from]; st.shared.b32 [%w], %v;
    fence.proxy.async.shared::cta; bar.sync 0;
    @%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {128, 1}], [tile];
    @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0; ret;
}
";

/// The bytes of a row in global memory, of 256 elements.
const PITCH: usize = 256;
const ROWS: usize = 4;

/// Returns the map of a tensor of 256 by 4 elements, in boxes of 128 by 2, and the words of its memory.
fn map(machine: &Machine, element: Element, swizzle: Swizzle, tensor: u64) -> u64 {
    let map = TensorMap {
        rank: 2,
        element,
        interleave: 0,
        swizzle,
        nan: false,
        address: tensor,
        sizes: [256, ROWS as u64, 1, 1, 1],
        strides: [PITCH as u64, 0, 0, 0],
        boxed: [128, 2, 1, 1, 1],
        steps: [1; 5],
        im2col: None,
    };
    map.check().unwrap();
    let words: Vec<u32> =
        map.encode().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    machine.upload(&words)
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Loads the box of elements 128 to 255 of rows 1 and 2; returns the tensor's bytes and those of shared memory.
fn loaded(element: Element, swizzle: Swizzle, bytes: u32) -> (Vec<u8>, Vec<u8>) {
    let machine = Machine::new(KERNELS);
    let words: Vec<u32> = (0..(ROWS * PITCH / 4) as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let tensor = machine.upload(&words);
    let (map, out) = (map(&machine, element, swizzle, tensor), machine.alloc(256));
    machine.finish("load", 1, 64, args![map, out, bytes]);
    (bytes_of(&words), bytes_of(&machine.words(out, 64)))
}

#[test]
fn a_load_spreads_padded_elements_over_16_bytes() {
    for (element, unit) in [(Element::U4Padded, 8), (Element::U6Padded, 12)] {
        // Padding completes nothing: eight units of each of two rows.
        let (tensor, tile) = loaded(element, Swizzle::None, 2 * 8 * unit as u32);
        for (n, chunk) in tile.chunks(16).enumerate() {
            let from = (1 + n / 8) * PITCH + 8 * unit + n % 8 * unit;
            assert_eq!(&chunk[..unit], &tensor[from..from + unit], "{element:?}, chunk {n}");
            assert!(chunk[unit..].iter().all(|&byte| byte == 0xaa), "{element:?}, padding {n}");
        }
    }
}

#[test]
fn a_load_swizzles_padded_elements() {
    let (_, plain) = loaded(Element::U4Padded, Swizzle::None, 128);
    let (_, swizzled) = loaded(Element::U4Padded, Swizzle::B128, 128);
    for (n, chunk) in plain.chunks(16).enumerate() {
        let at = Swizzle::B128.place(16 * n as u32) as usize;
        assert_eq!(chunk, &swizzled[at..at + 16], "chunk {n}");
    }
}

#[test]
fn packed_elements_of_4_bits_move_as_they_are() {
    let (tensor, tile) = loaded(Element::U4, Swizzle::None, 128);
    assert_eq!(tile[..64], tensor[PITCH + 64..PITCH + 128]);
    assert_eq!(tile[64..128], tensor[2 * PITCH + 64..2 * PITCH + 128]);
}

#[test]
fn a_store_packs_elements_of_6_bits() {
    let machine = Machine::new(KERNELS);
    let words: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (from, tensor) = (machine.upload(&words), machine.alloc((ROWS * PITCH) as u64));
    let map = map(&machine, Element::U6Padded, Swizzle::None, tensor);
    machine.finish("store", 1, 64, args![map, from]);
    let (tile, got) = (bytes_of(&words), bytes_of(&machine.words(tensor, ROWS * PITCH / 4)));
    let bit = |bytes: &[u8], at: usize| bytes[at / 8] >> (at % 8) & 1;
    for (row, element) in (0..2).flat_map(|row| (0..128).map(move |element| (row, element))) {
        for b in 0..6 {
            let at = 8 * ((1 + row) * PITCH) + 6 * (128 + element) + b;
            let want = bit(&tile, 8 * (128 * row + element) + b);
            assert_eq!(bit(&got, at), want, "row {row}, element {element}, bit {b}");
        }
    }
    assert!(got[..PITCH + 96].iter().all(|&byte| byte == 0), "what is before the box");
}
