//! Tests products of warpgroups: which bytes of shared memory their descriptors name, and until when they are read.

use crate::guardian::{module, races_of};

/// Returns the races of a body with `%rd4` and `%rd5` as descriptors of A, at `s`, and of B, at `s` + 4,096.
fn races(upper: u32, leading: u32, body: &str) -> Vec<(i32, i32)> {
    let text = module(body)
        .replace(".version 7.1", ".version 8.0")
        .replace(".target sm_80", ".target sm_90a")
        .replace(".shared .align 4 .b8 s[1024];", ".shared .align 1024 .b8 s[8192]; .reg .f32 %f<9>;")
        .replace(
            "shl.b32 %r4, %r1, 2;",
            &format!(
                "shl.b32 %r4, %r1, 2; shr.u32 %r5, %r3, 4; or.b32 %r5, %r5, {}; mov.u32 %r6, {upper}; \
                 mov.b64 %rd4, {{%r5, %r6}}; add.u32 %r5, %r5, 256; mov.u32 %r6, 16; mov.b64 %rd5, {{%r5, %r6}}; \
                 setp.eq.u32 %p4, %r1, 100; and.b32 %r7, %r1, 3; shl.b32 %r7, %r7, 9; add.u32 %r7, %r7, %r3; \
                 and.b32 %r5, %r1, 124; setp.eq.u32 %p5, %r5, 100;",
                leading >> 4 << 16
            ),
        );
    races_of(&text, 1, 128)
}

const PRODUCT: &str =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd4, %rd5, 1, 1, 1, 0, 0;";

const COMMIT: &str = "wgmma.commit_group.sync.aligned;";

/// Returns the text of a product, with a transposed A or not, on the one line of `COMMIT` and a wait for all groups.
fn product(transposed: bool) -> String {
    let product = PRODUCT.replace("0, 0;", if transposed { "1, 0;" } else { "0, 0;" });
    format!("wgmma.fence.sync.aligned;\n{product}\n{COMMIT}\nwgmma.wait_group.sync.aligned 0;")
}

#[test]
fn descriptors_name_the_bytes_that_a_product_reads() {
    // The stride's bytes are the lower 14 bits of the upper half, the swizzle the highest two.
    let (plain, by_128, by_64, by_32) = (16, 1 << 30 | 64, 2 << 30 | 32, 3 << 30 | 16);
    for (upper, transposed, inside, outside) in [
        // Rows of 16 bytes, the second chunk 128 bytes behind, eight rows 256 bytes behind.
        (plain, false, &[0, 124, 128, 252, 256, 2044][..], &[2048, 4092][..]),
        // Lines of 128 bytes, whose chunks the number of the line permutes.
        (by_128, false, &[0, 28, 128, 144, 288, 304, 1024], &[32, 124, 160, 256, 272]),
        (by_64, false, &[0, 16, 64, 80, 144, 128, 208, 192, 512], &[32, 48, 160, 176, 224, 240]),
        (by_32, false, &[0, 16, 32, 124, 128, 252, 256], &[2048]),
        // Columns of eight rows: the next column 16 bytes behind, eight columns 128, eight rows 256.
        (plain, true, &[0, 16, 112, 128, 240, 256, 2044], &[2048]),
    ] {
        for (at, found) in inside.iter().map(|at| (at, true)).chain(outside.iter().map(|at| (at, false))) {
            let store = format!("@%p4 st.shared.u32 [%r3+{at}], %r1;");
            let expected: &[(i32, i32)] = if found { &[(0, 2)] } else { &[] };
            let racy = format!("{store}\n{}", product(transposed));
            assert_eq!(races(upper, 128, &racy), expected, "{upper:#x} {transposed} {at}");
            let fenced =
                format!("{store}\nfence.proxy.async.shared::cta;\nbar.sync 0;\n{}", product(transposed));
            assert_eq!(races(upper, 128, &fenced), [], "{upper:#x} {transposed} {at}");
        }
    }
}

#[test]
fn products_are_pending_until_a_warp_has_waited() {
    // Into rows of each warp: a warp's wait makes those reads pending again that are its own.
    let store = |at: u32| format!("bar.sync 0;\n@%p5 st.shared.u32 [%r7+{at}], %r1;\nbar.sync 0;");
    let done = "wgmma.wait_group.sync.aligned 0;";
    let fence = "fence.proxy.async.shared::cta;\nwgmma.fence.sync.aligned;";
    let one = |wait: &str, at| format!("{fence}\n{PRODUCT}\n{COMMIT}\n{wait}\n{}\n{done}", store(at));
    assert_eq!(races(16, 128, &one("", 4)), [(2, 6)]);
    assert_eq!(races(16, 128, &one("wgmma.wait_group.sync.aligned 1;", 4)), [(2, 6)]);
    assert_eq!(races(16, 128, &one("", 4100)), [(2, 6)]);
    assert_eq!(races(16, 128, &one(done, 4)), []);
    // The older one of two groups is complete.
    let second = PRODUCT.replace("%rd4, %rd5", "%rd5, %rd5");
    let two = |at| {
        let wait = "wgmma.wait_group.sync.aligned 1;";
        format!("{fence}\n{PRODUCT}\n{COMMIT}\n{second}\n{COMMIT}\n{wait}\n{}\n{done}", store(at))
    };
    assert_eq!(races(16, 128, &two(4)), []);
    // A warp that has waited needs no barrier: its wait is one for the products of all four.
    let own = format!("{fence}\n{PRODUCT}\n{COMMIT}\n{done}\n@%p5 st.shared.u32 [%r7+4], %r1;");
    assert_eq!(races(16, 128, &own), []);
}

#[test]
fn stores_without_a_proxy_fence_race_with_products() {
    let store = "@%p4 st.shared.u32 [%r3+4], %r1;\nbar.sync 0;";
    assert_eq!(races(16, 128, &format!("{store}\n{}", product(false))), [(0, 3)]);
    let fenced = store.replace("\n", "\nfence.proxy.async;\n");
    assert_eq!(races(16, 128, &format!("{fenced}\n{}", product(false))), []);
}
