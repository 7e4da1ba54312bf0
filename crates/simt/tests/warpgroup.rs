//! Products of warpgroups against sums of integers, for every layout of operands.

use crate::support;

use simt::Schedule;
use support::Machine;

/// The words of shared memory that the kernel fills.
const WORDS: usize = 4096;
/// The place of B in shared memory.
const B: usize = 8192;

/// One instruction with the layout of its operands.
struct Case {
    name: &'static str,
    /// The instruction's name up to its operands.
    op: String,
    n: usize,
    /// Factors in 32 bytes.
    k: usize,
    /// The layout field of descriptors, and the bytes of a line of that layout.
    layout: (u64, usize),
    transposed: bool,
    /// The operands behind the descriptors.
    rest: &'static str,
    /// Whether results are floats.
    float: bool,
    encode: fn(i32) -> Vec<u8>,
}

fn half(v: i32) -> Vec<u8> {
    let table = [0xc000u16, 0xbc00, 0, 0x3c00, 0x4000];
    table[(v + 2) as usize].to_le_bytes().to_vec()
}

fn brain(v: i32) -> Vec<u8> {
    (((v as f32).to_bits() >> 16) as u16).to_le_bytes().to_vec()
}

fn single(v: i32) -> Vec<u8> {
    (v as f32).to_bits().to_le_bytes().to_vec()
}

fn byte(v: i32) -> Vec<u8> {
    vec![v as i8 as u8]
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (layout, line) in [(0, 16), (1, 128), (2, 64), (3, 32)] {
        let mut case = |name, ty, k, n, transposed, rest, float, encode| {
            let d = if float { "f32" } else { "s32" };
            let op = format!("wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{ty}.{ty}");
            let layout = (layout, line);
            cases.push(Case { name, op, n, k, layout, transposed, rest, float, encode });
        };
        case("f16", "f16", 16, 24, false, "1, 1, 1, 0, 0", true, half as fn(i32) -> Vec<u8>);
        case("bf16 transposed", "bf16", 16, 16, true, "1, 1, 1, 1, 1", true, brain);
        case("tf32", "tf32", 8, 8, false, "1, 1, 1", true, single);
        case("s8", "s8", 32, 32, false, "1", false, byte);
    }
    cases
}

/// Returns where a factor is, from the tables of the canonical layouts: rows of 16 bytes in blocks of eight, or
/// lines of the swizzle's span in blocks of eight, whose 16-byte chunks change places by the line's address.
fn place(case: &Case, start: usize, row: usize, k: usize, size: usize) -> usize {
    let (layout, line) = case.layout;
    let (across, down, offsets) = match (case.transposed, layout) {
        // Row by row: the stride offset is between blocks of rows, the leading one between chunks.
        (false, 0) => (k * size, row, (LEADING, STRIDE)),
        (false, _) => (k * size, row, (16, line * 8)),
        // Column by column: 16 bytes are eight rows.
        (true, 0) => (row * size, k, (STRIDE, LEADING)),
        (true, _) => (row * size, k, (LEADING_OF_LINES, line * 8)),
    };
    let in_line = across % line.max(16);
    let blocks = if layout == 0 { across / 16 * offsets.0 } else { across / line * offsets.0 };
    let chunk = if layout == 0 { across % 16 } else { in_line };
    let at = start + blocks + down / 8 * offsets.1 + down % 8 * line + chunk;
    let mask = match layout {
        1 => 7,
        2 => 3,
        3 => 1,
        _ => 0,
    };
    at ^ ((at >> 7 & mask) << 4)
}

const LEADING: usize = 2048;
const STRIDE: usize = 128;
const LEADING_OF_LINES: usize = 2048;

fn descriptor(case: &Case, start: usize) -> u64 {
    let (layout, line) = case.layout;
    let (leading, stride) = match layout {
        0 => (LEADING, STRIDE),
        _ => (LEADING_OF_LINES, line * 8),
    };
    (layout << 62) | ((stride as u64 / 16) << 32) | ((leading as u64 / 16) << 16) | (start as u64 / 16)
}

fn factor(row: usize, k: usize, salt: usize) -> i32 {
    ((row * 7 + k * 3 + salt + row * k) % 5) as i32 - 2
}

fn text(case: &Case) -> String {
    let count = case.n / 2;
    let registers = |class: &str| (0..count).map(|i| format!("%{class}{i}")).collect::<Vec<_>>().join(", ");
    let class = if case.float { "f" } else { "r" };
    let zero =
        |i| if case.float { format!("mov.f32 %f{i}, 0f3F800000;") } else { format!("mov.u32 %r{i}, 1;") };
    let zeros: String = (0..count).map(zero).collect();
    let store = |i| format!("st.global.b32 [%out + {}], %{class}{i};", 4 * i);
    let stores: String = (0..count).map(store).collect();
    let fill: String = (0..WORDS / 128)
        .map(|i| format!("ld.global.u32 %w, [%in + {0}]; st.shared.u32 [%s + {0}], %w;", 512 * i))
        .collect();
    format!(
        ".version 8.0\n.target sm_90a\n.address_size 64
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 a, .param .u64 b) {{
             .reg .b64 %in, %out, %a, %b, %x; .reg .b32 %s, %w, %t, %r<128>; .reg .f32 %f<128>;
             .shared .align 1024 .b8 tiles[{}];
             ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %a, [a]; ld.param.u64 %b, [b];
             mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %in, %in, %x;
             mul.wide.u32 %x, %t, {}; add.u64 %out, %out, %x;
             mov.u32 %s, tiles; mad.lo.u32 %s, %t, 4, %s;
             {fill} {zeros}
             fence.proxy.async.shared::cta; bar.sync 0;
             wgmma.fence.sync.aligned;
             {} {{{}}}, %a, %b, {};
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
             {stores} ret;
         }}",
        WORDS * 4,
        count * 4,
        case.op,
        registers(class),
        case.rest,
    )
}

fn check(case: &Case, schedule: Schedule) {
    let size = 32 / case.k;
    let mut image = vec![0u8; WORDS * 4];
    let mut put = |start, row, k, salt| {
        let at = place(case, start, row, k, size);
        image[at..at + size].copy_from_slice(&(case.encode)(factor(row, k, salt)));
    };
    for k in 0..case.k {
        (0..64).for_each(|row| put(0, row, k, 1));
        (0..case.n).for_each(|row| put(B, row, k, 2));
    }
    let words: Vec<u32> = image.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let mut m = Machine::new(&text(case));
    m.options.schedule = schedule;
    let input = m.upload(&words);
    let out = m.alloc(128 * case.n as u64 * 2);
    m.finish("k", 1, 128, args![input, out, descriptor(case, 0), descriptor(case, B)]);
    let got = m.words(out, 64 * case.n);
    for thread in 0..128 {
        for i in 0..case.n / 2 {
            let row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
            let column = i / 4 * 8 + thread % 4 * 2 + i % 2;
            let sum: i32 = (0..case.k).map(|k| factor(row, k, 1) * factor(column, k, 2)).sum::<i32>() + 1;
            let word = got[thread * case.n / 2 + i];
            let found = if case.float { f32::from_bits(word) as i32 } else { word as i32 };
            assert_eq!(found, sum, "{} in layout {}: row {row}, column {column}", case.name, case.layout.0);
        }
    }
}

#[test]
fn products_are_sums_in_every_layout() {
    for case in cases() {
        check(&case, Schedule::ConvergedFirst);
    }
}

#[test]
fn warps_may_come_in_any_order() {
    for case in cases().iter().take(2) {
        check(case, Schedule::RoundRobin { quantum: 1 });
        check(case, Schedule::Random);
    }
}

/// The other three warps never multiply: the first one's wait does not end.
#[test]
fn a_wait_is_for_the_whole_warpgroup() {
    let case = &cases()[0];
    let text = text(case).replace(
        "wgmma.fence.sync.aligned;",
        ".reg .pred %p; setp.ge.u32 %p, %t, 32; @%p bra LATE; wgmma.fence.sync.aligned;",
    );
    let text = text.replace("ret;", "ret; LATE: bar.sync 1; ret;");
    let m = Machine::new(&text);
    let (input, out) = (m.upload(&[0; WORDS]), m.alloc(1 << 16));
    let (progress, _) = m.run("k", 1, 128, args![input, out, descriptor(case, 0), descriptor(case, B)]);
    assert!(format!("{progress:?}").contains("Warpgroup"), "{progress:?}");
}
